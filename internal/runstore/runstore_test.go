package runstore

import (
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
		dir, err := save(t, root, minute, File{"result.json", []byte("{}")}, File{"plots/holders.svg", []byte("<svg/>")})
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
	_, err := save(t, root, 0, File{"a", nil}, File{"a/b", nil}) // a cannot be a file and a directory
	if err == nil || !strings.Contains(err.Error(), "--out") {
		t.Errorf("error %v, want one that names the cure", err)
	}
	left, err := filepath.Glob(filepath.Join(root, "*", "*"))
	hidden, _ := filepath.Glob(filepath.Join(root, "*", ".*"))
	if err != nil || len(left)+len(hidden) > 0 {
		t.Errorf("left behind: %v %v", left, hidden)
	}
}

func TestLatestThatIsNoLinkIsNotTouched(t *testing.T) {
	root := t.TempDir()
	precious := filepath.Join(root, "latest")
	if err := os.WriteFile(precious, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir, err := save(t, root, 0, File{"result.json", []byte("{}")})
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
