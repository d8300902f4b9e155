package explore

import (
	"strings"
	"testing"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
)

// singleOf is the result of one kind alone.
func singleOf(t *testing.T, l *results.ExploredLock, kind, during string) *results.Single {
	t.Helper()
	for i := range l.Singles {
		if s := &l.Singles[i]; s.Kind == kind && s.During == during {
			return s
		}
	}
	t.Fatalf("%s: no single fault %s during %q", l.Lock, kind, during)
	return nil
}

// A pause between GET and DEL of the release robs, one of a holder does not, and all
// schedules of one fault are counted once.
func TestSinglesSayWhatTheClientWasAt(t *testing.T) {
	o := options(t, "set-nx-token-getdel", 2, "pause", "evict", "lag")
	o.In = []string{plainProfile, "twice"}
	o.keep = func(l *faultTemplate) bool { return l.pairs }
	s := walked(t, o)
	r := resultOf(t, s, o)
	l := &r.Locks[0]
	for _, tt := range []struct{ kind, during, broken string }{
		{"pause", "release", "foreign-release"}, {"pause", "hold", "overlap damage"}, {"evict", "", "overlap damage"}, {"lag", "", ""},
	} {
		one := singleOf(t, l, tt.kind, tt.during)
		for _, way := range checker.Ways() {
			shown := one.By(way)
			switch expected := strings.Contains(tt.broken, way.String()); {
			case way == checker.ForeignRelease && tt.kind == "evict": // not what this is about
			case tt.during == "release" && way != checker.ForeignRelease:
			case expected != (shown != nil):
				t.Errorf("%s during %q: %s: %v, want %v", tt.kind, tt.during, way, shown, expected)
			case expected && !l.Story(strings.TrimPrefix(shown.Name, l.Lock+"/")).Same(shown):
				t.Errorf("%s during %q: %s is another story", tt.kind, tt.during, shown.Name)
			}
		}
	}
	var walked, vain int64
	for i := range l.Singles {
		walked, vain = walked+l.Singles[i].Walked, vain+l.Singles[i].NoEffect
	}
	var of tally
	for _, st := range s.Locks[0].Stages {
		if st.Faults == 1 {
			of.add(st.tally)
		}
	}
	if walked != of.Walked || vain != of.NoEffect || walked == 0 || l.Walked <= walked {
		t.Errorf("%d schedules of one fault, %d of them without effect, want %+v of %d", walked, vain, of, l.Walked)
	}
}
