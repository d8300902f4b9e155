package live

import (
	"os"
	"path/filepath"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
)

// All servers begin with the database that was installed first, even a server whose own
// installation finished later.
func TestADatabaseIsInstalledOnce(t *testing.T) {
	realtest.Need(t, "mariadbd")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	installed := 0
	var during func()
	make1 := func(name string) string {
		t.Helper()
		data := filepath.Join(dir, name)
		must.Do(t, initDatabase("mariadbd", data, func() error {
			installed++
			if during != nil {
				during()
			}
			if err := os.Mkdir(data, 0o750); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(data, "tables"), []byte(name), 0o640)
		}))
		info, err := os.Stat(filepath.Join(data, "tables"))
		if err != nil || info.Mode() != 0o640 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		text := must.Get(os.ReadFile(filepath.Join(data, "tables")))(t)
		return string(text)
	}
	during = func() {
		during = nil
		must.Equalf(t, make1("faster"), "faster", "the first server began with the database of")
	}
	for _, name := range []string{"slower", "later"} {
		must.Equalf(t, make1(name), "faster", "%s began with the database of", name)
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "lockstep", "databases", "new-*")); len(left) > 0 {
		t.Errorf("left in the cache: %v", left)
	}
	must.Equalf(t, installed, 2, "databases were installed")
}
