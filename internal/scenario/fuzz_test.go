package scenario

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"lockstep/internal/must"
)

// FuzzParse: any input is refused with problems that have a place, or is a plan that survives being
// resolved and parsed again.
func FuzzParse(f *testing.F) {
	bad := must.Get(filepath.Glob("testdata/bad/*.yaml"))(f)
	for _, file := range append(files(f), bad...) {
		data := must.Get(os.ReadFile(file))(f)
		if len(data) < 4000 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("fuzz.yaml", data)
		if err == nil {
			checkRoundTrip(t, p)
			return
		}
		var invalid *Invalid
		if !errors.As(err, &invalid) || len(invalid.Problems) == 0 || err.Error() == "" {
			t.Fatalf("an error without problems: %v", err)
		}
		for _, problem := range invalid.Problems {
			if problem.Line < 1 || problem.Col < 1 || problem.Message == "" {
				t.Fatalf("no place or message: %+v", problem)
			}
		}
	})
}
