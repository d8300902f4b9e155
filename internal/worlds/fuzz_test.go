package worlds

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever is in a file of kept runs: it is refused with the number of a line, or read, and
// then a second reading finds the same runs and leaves the file as it is. No whole line is
// ever taken away.
func FuzzKept(f *testing.F) {
	const head = `{"kept":1,"backend":"process","scale_ppm":100000}` + "\n"
	const line = `{"lock":"redlock","plan":"0123","seed":1,"letter":"V","why":"x"}` + "\n"
	for _, s := range []string{"", head, head + line, head + line + line, head + line[:20], line, head + "\n", head + "null\n", head + strings.Replace(line, "V", "Q", 1), head + strings.Replace(line, "1", "-1", 1), "\x00"} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		name := filepath.Join(dir, "kept.jsonl")
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		first, err := OpenKept(name, "process", 100_000)
		after, readErr := os.ReadFile(name)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), name+": line ") || !bytes.Equal(after, data) {
				t.Fatalf("%q: %v, and the file is then %q", data, err, after)
			}
			return
		}
		defer first.Close()
		if whole := data[:bytes.LastIndexByte(data, '\n')+1]; len(whole) > 0 && !bytes.Equal(after, whole) {
			t.Fatalf("%q became %q", data, after)
		}
		second, err := OpenKept(name, "process", 100_000)
		if err != nil {
			t.Fatalf("%q is read, and not a second time: %v", data, err)
		}
		defer second.Close()
		if len(first.runs) != len(second.runs) {
			t.Fatalf("%d plans, then %d", len(first.runs), len(second.runs))
		}
		for key, runs := range first.runs {
			if len(runs) != len(second.of(key.Lock, key.Plan)) {
				t.Fatalf("%v: %d runs, then %d", key, len(runs), len(second.of(key.Lock, key.Plan)))
			}
		}
	})
}
