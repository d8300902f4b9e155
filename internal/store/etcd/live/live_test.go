package live

import (
	"os"
	"strings"
	"testing"
	"time"

	"lockstep/internal/real/livestore"
	"lockstep/internal/real/realtest"
	"lockstep/internal/store/etcd"
)

func TestAnEtcdThatCannotStartSaysWhy(t *testing.T) {
	realtest.Need(t, "etcd")
	t.Setenv("TMPDIR", t.TempDir())
	// etcd refuses an election timeout of more than 50 s.
	_, err := livestore.Of(etcd.ID).Start(t.Context(), livestore.Wish{Election: time.Minute})
	if err == nil || !strings.Contains(err.Error(), "ended at its start (exit status") || !strings.Contains(err.Error(), "election") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
