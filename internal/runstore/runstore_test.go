package runstore

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func save(t *testing.T, root string, minute int, files ...File) (string, error) {
	t.Helper()
	dir := Dir(root, "story", 7, time.Date(2026, 1, 2, 3, minute, 0, 0, time.UTC))
	return dir, Save(root, dir, files)
}

func TestSaveWritesAllAndPointsAtTheLatest(t *testing.T) {
	root := filepath.Join(t.TempDir(), "reports")
	for minute := range 2 {
		dir, err := save(t, root, minute, File{Name: "result.json", Data: []byte("{}")}, File{Name: "plots/holders.svg", Data: []byte("<svg/>")})
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []string{dir, filepath.Join(root, "latest")} {
			if data, err := os.ReadFile(filepath.Join(at, "plots", "holders.svg")); err != nil || string(data) != "<svg/>" {
				t.Errorf("%s: %q, %v", at, data, err)
			}
		}
	}
}

func TestAFailureLeavesNothingBehind(t *testing.T) {
	root := t.TempDir()
	_, err := save(t, root, 0, File{Name: "a"}, File{Name: "a/b"}) // a cannot be a file and a directory
	if err == nil || !strings.Contains(err.Error(), "--out") {
		t.Errorf("error %v, want one that names the cure", err)
	}
	left, err := filepath.Glob(filepath.Join(root, "*", "*"))
	hidden, _ := filepath.Glob(filepath.Join(root, "*", ".*"))
	if err != nil || len(left)+len(hidden) > 0 {
		t.Errorf("left behind: %v %v", left, hidden)
	}
}

// What is too large for memory comes piece by piece, and may fail half-way.
func TestAFileThatIsWrittenInPieces(t *testing.T) {
	root := t.TempDir()
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, "in pieces")
		return err
	}
	dir, err := save(t, root, 0, File{Name: "history.jsonl", Write: write})
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "history.jsonl")); err != nil || string(data) != "in pieces" {
		t.Errorf("%q, %v", data, err)
	}
	full := errors.New("full")
	dir, err = save(t, root, 1, File{Name: "history.jsonl", Write: func(w io.Writer) error { return errors.Join(write(w), full) }})
	if !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("half a run is stored")
	}
}

func TestLatestThatIsNoLinkIsNotTouched(t *testing.T) {
	root := t.TempDir()
	precious := filepath.Join(root, "latest")
	if err := os.WriteFile(precious, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir, err := save(t, root, 0, File{Name: "result.json", Data: []byte("{}")})
	if err == nil {
		t.Error("no complaint about a file named latest")
	}
	if data, _ := os.ReadFile(precious); string(data) != "mine" {
		t.Error("somebody's file was overwritten")
	}
	if _, err := os.Stat(filepath.Join(dir, "result.json")); err != nil {
		t.Errorf("the run itself must be there: %v", err)
	}
}
