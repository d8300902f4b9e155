package servers_test

import (
	"context"
	"os"
	"testing"
	"time"

	"lockstep/internal/real/osproc"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
)

func TestAConsulClusterComesAndGoes(t *testing.T) {
	realtest.Need(t, "consul")
	t.Setenv("TMPDIR", t.TempDir())
	began := time.Now()
	members, err := servers.StartConsul(t.Context(), servers.ConsulOptions{Members: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("three servers ready after %v", time.Since(began))
	leaders := 0
	for _, s := range members {
		if s.LeadsConsul(t.Context()) {
			leaders++
		}
	}
	if len(members) != 3 || leaders != 1 {
		t.Errorf("%d servers and %d leaders, want 3 and 1", len(members), leaders)
	}
	for _, s := range members {
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

func TestAMissingConsulIsOneSentence(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	_, err := servers.StartConsul(context.Background(), servers.ConsulOptions{})
	want := "consul is not installed: make consul"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}
