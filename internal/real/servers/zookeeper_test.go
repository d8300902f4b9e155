package servers_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"lockstep/internal/real/osproc"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
)

func TestAZooKeeperEnsembleComesAndGoes(t *testing.T) {
	realtest.Need(t, "java")
	realtest.Need(t, "zookeeper.jar")
	t.Setenv("TMPDIR", t.TempDir())
	began := time.Now()
	members, err := servers.StartZooKeeper(t.Context(), servers.ZooKeeperOptions{Members: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("three servers ready after %v", time.Since(began))
	if len(members) != 3 {
		t.Errorf("%d servers, want 3", len(members))
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

func TestAZooKeeperThatCannotStartSaysWhy(t *testing.T) {
	realtest.Need(t, "java")
	t.Setenv("TMPDIR", t.TempDir())
	_, err := servers.StartZooKeeper(t.Context(), servers.ZooKeeperOptions{Jar: "/nowhere.jar"})
	if err == nil || !strings.Contains(err.Error(), "zk-1 ended at its start (exit status") || !strings.Contains(err.Error(), "ClassNotFoundException") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAMissingJavaIsOneSentence(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := servers.StartZooKeeper(t.Context(), servers.ZooKeeperOptions{})
	want := "java is not installed: sudo apt-get install -y default-jre-headless"
	if err == nil || err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}
