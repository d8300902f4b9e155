package scenario

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
)

// files returns all scenario files of the repository.
func files(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"../../scenarios/*/*.yaml", "testdata/good/*.yaml"} {
		found := must.Get(filepath.Glob(pattern))(t)
		out = append(out, found...)
	}
	if len(out) < 10 {
		t.Fatalf("only %d scenario files found", len(out))
	}
	return out
}

// checkRoundTrip parses the resolved plan and compares.
func checkRoundTrip(t *testing.T, p *plan.Plan) {
	t.Helper()
	text := Resolved(p)
	again, err := Parse(p.File, []byte(text))
	if err != nil {
		t.Fatalf("the resolved plan does not parse: %v\n%s", err, text)
	}
	if a, b := unplaced(p), unplaced(again); !reflect.DeepEqual(a, b) {
		t.Fatalf("the resolved plan is another one:\n%+v\n%+v\n%s", a, b, text)
	}
	if twice := Resolved(again); twice != text {
		t.Fatalf("resolving twice gives another text:\n%s\n%s", text, twice)
	}
}

func TestScenarioFiles(t *testing.T) {
	for _, file := range files(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			p := must.Get(Load(file))(t)
			checkRoundTrip(t, p)
			brief := Brief(p, "a comment")
			if again, err := Parse(p.File, []byte(brief)); err != nil || !reflect.DeepEqual(unplaced(p), unplaced(again)) {
				t.Fatalf("its brief form is another plan: %v\n%s", err, brief)
			}
			for _, f := range p.Faults {
				if f.Line == 0 || f.Text == "" || f.Number == 0 {
					t.Errorf("fault without its line, text or number: %+v", f)
				}
			}
		})
	}
}

// TestLessonsAreComplete: each lesson has its texts and expectations, and can be scaled.
func TestLessonsAreComplete(t *testing.T) {
	for _, file := range files(t) {
		if !strings.Contains(file, "lessons") {
			continue
		}
		p, err := Load(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if p.Story == "" || p.Question == "" || p.Lesson == "" {
			t.Errorf("%s: a lesson has a story, a question and a lesson", file)
		}
		for _, lock := range p.Locks {
			if said, _ := p.ExpectationsFor(lock); len(said) == 0 {
				t.Errorf("%s: nothing is expected of %s", file, lock)
			}
			// A tenth of the lease must still do, for --scale 0.1.
			if v, ok := locks.Lookup(lock); ok && v.CheckLease(p.Lease/10) != nil {
				t.Errorf("%s: %v", file, v.CheckLease(p.Lease/10))
			}
		}
	}
}
