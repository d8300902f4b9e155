//go:build unix

package runstore

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"lockstep/internal/must"
)

// Stored files have the mode that the umask leaves, whichever way they are written.
func TestTheUmaskHolds(t *testing.T) {
	for _, tt := range []struct {
		umask int
		want  os.FileMode
	}{{0o077, 0o600}, {0o027, 0o640}, {0o022, 0o644}} {
		was := syscall.Umask(tt.umask)
		root := filepath.Join(t.TempDir(), "reports")
		err := WriteWhole(filepath.Join(root, "index.html"), &File{Data: []byte("x")})
		dir, saved := Save(root, filepath.Join(root, "story", "run"), func(string) ([]File, error) {
			return []File{{Name: "result.json", Data: []byte("{}")}}, nil
		})
		syscall.Umask(was)
		if err != nil || saved != nil {
			t.Fatal(err, saved)
		}
		for _, path := range []string{filepath.Join(root, "index.html"), filepath.Join(dir, "result.json")} {
			info := must.Get(os.Stat(path))(t)
			if got := info.Mode().Perm(); got != tt.want {
				t.Errorf("umask %03o: %s has the mode %03o, want %03o", tt.umask, filepath.Base(path), got, tt.want)
			}
		}
	}
}

// A pipe in place of a result is refused, as reading would block.
func TestAPipeIsNotRead(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, syscall.Mkfifo(filepath.Join(dir, "result.json"), 0o600))
	if _, err := ReadResult(os.DirFS(dir), "."); err == nil || err.Error() != "result.json is not a file" {
		t.Error(err)
	}
}
