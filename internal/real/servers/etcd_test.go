package servers_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"lockstep/internal/real/osproc"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
)

func TestAnEtcdClusterComesAndGoes(t *testing.T) {
	realtest.Need(t, "etcd")
	t.Setenv("TMPDIR", t.TempDir())
	began := time.Now()
	members, err := servers.StartEtcd(t.Context(), servers.EtcdOptions{Members: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("three members ready after %v", time.Since(began))
	if len(members) != 3 {
		t.Errorf("%d members, want 3", len(members))
	}
	for _, s := range members {
		if osproc.StartTime(s.Pid()) == "" {
			t.Errorf("%s does not run", s.Name)
		}
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
		if osproc.StartTime(s.Pid()) != "" {
			t.Errorf("%s is still there", s.Name)
		}
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAnEtcdThatCannotStartSaysWhy(t *testing.T) {
	realtest.Need(t, "etcd")
	t.Setenv("TMPDIR", t.TempDir())
	// etcd refuses an election timeout of more than 50 s.
	_, err := servers.StartEtcd(context.Background(), servers.EtcdOptions{Election: time.Minute})
	if err == nil || !strings.Contains(err.Error(), "ended at its start (exit status") || !strings.Contains(err.Error(), "election") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAMissingEtcdIsOneSentence(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := servers.StartEtcd(context.Background(), servers.EtcdOptions{})
	want := "etcd is not installed: sudo apt-get install -y etcd-server"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}
