package servers_test

import (
	"testing"
	"time"

	"lockstep/internal/real/livestore"
	"lockstep/internal/real/realtest"
	"lockstep/internal/store/etcd"
)

func TestAServerComesBackWithWhatItHad(t *testing.T) {
	realtest.Need(t, "etcd")
	t.Setenv("TMPDIR", t.TempDir())
	q := livestore.Of(etcd.ID)
	members, err := q.Start(t.Context(), livestore.Wish{})
	if err != nil {
		t.Fatal(err)
	}
	s := members[0]
	defer s.Stop()
	addr, pid := s.Addr, s.Pid()
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := s.Relaunch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.Addr != addr || s.Pid() == pid {
		t.Errorf("on %s as process %d, want %s and another process than %d", s.Addr, s.Pid(), addr, pid)
	}
	for end := time.Now().Add(20 * time.Second); !q.Leads(t.Context(), s); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never leads again")
		}
	}
}
