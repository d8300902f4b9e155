package servers

import (
	"os"
	"testing"

	"lockstep/internal/real/images"
)

// After the error of a place no directory is left.
func TestAPlaceThatFailsLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	if _, err := (children{}).Place(t.Context(), images.Redis, "a/b"); err == nil {
		t.Fatal("a directory with a slash in its name")
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}
