package servers_test

import (
	"errors"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/realtest"
	"lockstep/internal/store/etcd"
)

func TestARelaunchedServerHasItsAddress(t *testing.T) {
	s := livetest.Start(t, etcd.ID, livestore.Wish{}).Members[0]
	addr, pid := s.Addr, s.Pid()
	must.Do(t, errors.Join(s.Kill(), s.Relaunch(t.Context())))
	if s.Addr != addr || s.Pid() == pid {
		t.Errorf("on %s as process %d, want %s and another process than %d", s.Addr, s.Pid(), addr, pid)
	}
	if !realtest.Soon(20*time.Second, func() bool { return livestore.Of(etcd.ID).Leads(t.Context(), s) }) {
		t.Fatal("it never leads again")
	}
}
