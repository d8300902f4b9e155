package explore

import (
	"strings"
	"testing"

	"lockstep/internal/campaign/measured"
	"lockstep/internal/checker"
)

// singleOf is what became of one kind alone.
func singleOf(t *testing.T, l *measured.ExploredLock, kind, during string) *measured.Single {
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
	o.In = []string{plainBase, "twice"}
	o.keep = func(l *letter) bool { return l.pairs }
	s := walked(t, o)
	r, err := s.Result(&o)
	if err != nil {
		t.Fatal(err)
	}
	l := &r.Locks[0]
	for _, tt := range []struct{ kind, during, broken string }{
		{"pause", "release", "robbed"}, {"pause", "hold", "believe damage"}, {"evict", "", "believe damage"}, {"lag", "", ""},
	} {
		one := singleOf(t, l, tt.kind, tt.during)
		for _, way := range checker.Ways() {
			shown := one.By(way)
			switch expected := strings.Contains(tt.broken, way.String()); {
			case way == checker.Robbed && tt.kind == "evict": // not what this is about
			case tt.during == "release" && way != checker.Robbed:
			case expected != (shown != nil):
				t.Errorf("%s during %q: %s: %v, want %v", tt.kind, tt.during, way, shown, expected)
			case expected && !l.Story(strings.TrimPrefix(shown.Name, l.Lock+"/")).Same(shown):
				t.Errorf("%s during %q: %s is another story", tt.kind, tt.during, shown.Name)
			}
		}
	}
	var walked, vain int64
	for i := range l.Singles {
		walked, vain = walked+l.Singles[i].Walked, vain+l.Singles[i].Vain
	}
	var of tally
	for _, st := range s.Locks[0].Stages {
		if st.Faults == 1 {
			of.add(st.tally)
		}
	}
	if walked != of.Walked || vain != of.Vain || walked == 0 || l.Walked <= walked {
		t.Errorf("%d schedules of one fault, %d of them in vain, want %+v of %d", walked, vain, of, l.Walked)
	}
}

// A walk that was stored before single faults were counted has them walked anew, and comes to
// the same; its pairs stay as they are.
func TestAWalkWithoutSinglesIsWalkedAgain(t *testing.T) {
	o := options(t, "set-nx-lua", 2, "lost-reply", "fail-over")
	o.In = []string{plainBase}
	s := walked(t, o)
	want := told(t, s, o)
	for _, l := range s.Locks {
		l.Singles = nil
	}
	data, err := s.Store()
	if err != nil {
		t.Fatal(err)
	}
	old, err := ReadState(data, &o)
	if err != nil {
		t.Fatal(err)
	}
	if got := old.Locks[0].complete(2); got != 0 {
		t.Errorf("complete up to %d: nobody has counted its single faults", got)
	}
	var again int64
	more := o
	more.Progress = func(p Progress) { again++ }
	before := old.Walked()
	if err := Walk(t.Context(), more, old); err != nil {
		t.Fatal(err)
	}
	if got := told(t, old, o); got != want {
		t.Errorf("walked again:\n%s\nwant\n%s", got, want)
	}
	if before == 0 || again == 0 || again >= before {
		t.Errorf("%d schedules were kept, %d pieces of work were walked again", before, again)
	}
}
