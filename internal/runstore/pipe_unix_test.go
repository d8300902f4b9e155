//go:build unix

package runstore

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"lockstep/internal/must"
)

// A pipe in place of a result is refused, as reading would block.
func TestAPipeIsNotRead(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, syscall.Mkfifo(filepath.Join(dir, "result.json"), 0o600))
	if _, err := ReadResult(os.DirFS(dir), "."); err == nil || err.Error() != "result.json is not a file" {
		t.Error(err)
	}
}
