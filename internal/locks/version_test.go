package locks

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/internal/must"
)

// A version changes with the code that a lock is made of, wherever it is declared, and with nothing
// else.
func TestVersions(t *testing.T) {
	before := Versions()
	for _, tt := range []struct {
		file, old, new string
		changed, same  []string
	}{
		{"set_nx_lua.go", "return 0\nend", "return 1\nend", []string{"set-nx-lua", "set-wait-pooled"}, []string{"setnx"}},
		{"common.go", "d.Env.Sleep(ctx, d.Retry)", "d.Env.Sleep(ctx, 2*d.Retry)", []string{"set-nx-lua", "setnx", "mysql-unique"}, []string{"zk-sequential", "redlock"}},
		{"common.go", "for {\n", "for { // again\n\n", nil, slices.Sorted(maps.Keys(before))},
		{"common.go", "func (f fenced) Token() int64 { return f.token }", "func (f fenced) Token() int64 { return -f.token }", []string{"etcd-txn"}, []string{"set-nx-lua"}},
		{"timerwheel/timerwheel.go", "type Wheel[T any] struct {", "type Wheel[T any] struct {\n\tmore int", []string{"redisson", "redisson-fenced"}, []string{"redlock", "set-nx-lua"}},
		{"set_wait.go", "func setThenWait(", "func setThenWait(_ int, ", []string{"set-wait", "set-wait-pooled"}, []string{"set-nx-lua"}},
	} {
		after := versionsIn(changedFile(t, tt.file, tt.old, tt.new))
		for _, id := range tt.changed {
			if after[id] == before[id] {
				t.Errorf("%s: %s: the version of %s does not change", tt.file, tt.new, id)
			}
		}
		for _, id := range tt.same {
			if after[id] != before[id] {
				t.Errorf("%s: %s: the version of %s changes", tt.file, tt.new, id)
			}
		}
	}
	if len(before) != len(Known()) || before["setnx"] == before["set-nx-lua"] {
		t.Errorf("%v", before)
	}
}

// changedFile is this package with a text of a file replaced.
func changedFile(t *testing.T, name, old, new string) fs.FS {
	t.Helper()
	out := fstest.MapFS{}
	must.Do(t, fs.WalkDir(sources, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(sources, path)
		if path == name {
			text := strings.Replace(string(data), old, new, 1)
			if data = []byte(text); !strings.Contains(text, new) {
				t.Fatalf("%s has no %q", name, old)
			}
		}
		out[path] = &fstest.MapFile{Data: data}
		return err
	}))
	return out
}
