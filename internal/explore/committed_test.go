package explore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/measured"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// committed is the stored result.
func committed(t *testing.T) *measured.Explored {
	t.Helper()
	data, err := os.ReadFile("../../docs/explore.json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := measured.ReadExplored(data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What is cut short is unknown, so a lock with such schedules has no good letter. Only one lock spins.
func TestOnlyAFairLockOfRedissonSpins(t *testing.T) {
	for _, l := range committed(t).Locks {
		if spins := l.Lock == "redisson-fair"; spins != (l.Cut > 0) {
			t.Errorf("%s has %d schedules without an end", l.Lock, l.Cut)
		}
	}
}

// Each stored set has a story, which expects of its lock what the set says; each story
// belongs to a set. That the stories break as they expect, package run plays.
func TestStoredSetsHaveStories(t *testing.T) {
	r := committed(t)
	named := map[string]bool{}
	for i := range r.Locks {
		l := &r.Locks[i]
		for _, name := range measured.Outcomes() {
			way := wayOf(name)
			for _, s := range l.Breaks[name] {
				named[filepath.Base(s.Story)] = true
				p, err := scenario.Load("../../" + s.Story)
				if err != nil {
					t.Fatal(err)
				}
				said, _ := p.Said(l.Lock)
				shown := false
				for _, e := range said {
					shown = shown || e.Verdict == "broken" && slices.Contains(properties[way], e.Property)
				}
				text, chinese := "", ""
				if len(p.Faults) > 0 {
					told := toldOf(p.Faults)
					text, chinese = told.English(), told.In(say.Chinese)
				}
				if !shown || text != s.Text || chinese != s.TextChinese || len(p.Faults) != len(s.Kinds) {
					t.Errorf("%s of %s by %v: %s tells of %q, %q and expects %v", way, l.Lock, s.Kinds, s.Story, text, chinese, said)
				}
			}
		}
	}
	singles(t, r, named)
	files, err := filepath.Glob("../../scenarios/cutsets/*.yaml")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d stories, %v", len(files), err)
	}
	for _, f := range files {
		if !named[filepath.Base(f)] {
			t.Errorf("%s belongs to no set: remove it", f)
		}
	}
}

// wayOf is the way of breaking that a result tells of; hung work is stuck by itself.
func wayOf(name string) Way {
	if name == measured.Hung {
		return Stuck
	}
	return Way(slices.Index(wayNames[:], name))
}

// singles notes the stories of single faults, and asks the same of them as of sets; a kind
// alone breaks a lock in some way if a set says so.
func singles(t *testing.T, r *measured.Explored, named map[string]bool) {
	for i := range r.Locks {
		l := &r.Locks[i]
		broken := map[string]bool{}
		for k := range l.Singles {
			s := &l.Singles[k]
			for way, shown := range s.Breaks {
				named[filepath.Base(shown.Story)] = true
				broken[s.Kind+" "+way] = true
				p, err := scenario.Load("../../" + shown.Story)
				if err != nil {
					t.Fatal(err)
				}
				if len(p.Faults) != 1 || p.Faults[0].Text != shown.Text || !slices.Contains(p.Locks, l.Lock) {
					t.Errorf("%s by %s: %s does not tell of %q", l.Lock, s.Kind, shown.Story, shown.Text)
				}
			}
		}
		for _, way := range measured.Outcomes() {
			alone := 0
			for _, set := range l.Breaks[way] {
				if hung := slices.Contains(set.Kinds, measured.Hung); (way == "stuck" || way == measured.Hung) && hung != (way == measured.Hung) {
					t.Errorf("%s: %v is %s", l.Lock, set.Kinds, way)
				}
				if len(set.Kinds) == 1 && set.Within == 0 {
					alone++
					if !broken[set.Kinds[0]+" "+way] {
						t.Errorf("%s: %s alone is a set of %s, and no single fault shows it", l.Lock, set.Kinds[0], way)
					}
				}
			}
			for what := range broken {
				if strings.HasSuffix(what, " "+way) {
					alone--
				}
			}
			if alone != 0 {
				t.Errorf("%s: %d sets of one kind of %s too many", l.Lock, alone, way)
			}
		}
	}
}

// A part of the walk, walked anew, is that part of the stored result: sets of these kinds
// alone depend on no others.
func TestStoredResultIsWhatIsWalked(t *testing.T) {
	r := committed(t)
	for _, tt := range []struct {
		lock   string
		faults int
		only   []string
	}{
		{"set-nx-lua", 1, nil},
		{"mysql-unique", 1, []string{"lost-reply", "late-release-short", "split", "fail-over"}},
		{"etcd-mutex", 1, []string{"late-release-short", "evict"}},
		{"redlock", 1, []string{"evict", "clock-rate", "slow"}},
		{"watchdog-lua", 2, []string{"lost-request", "fail-over"}},
		{"set-wait-1of2", 2, []string{"fail-over", "lost-reply"}},
	} {
		o := options(t, tt.lock, tt.faults, tt.only...)
		s := walked(t, o)
		again, _, err := s.Result(&o)
		if err != nil {
			t.Fatal(err)
		}
		Below(again, "scenarios/cutsets")
		i := slices.IndexFunc(r.Locks, func(l measured.ExploredLock) bool { return l.Lock == tt.lock })
		if i < 0 {
			t.Errorf("%s is not stored", tt.lock)
			continue
		}
		for _, way := range measured.Outcomes() {
			want := []measured.CutSet{}
			for _, s := range r.Locks[i].Breaks[way] {
				within := !slices.ContainsFunc(s.Kinds, func(k string) bool { return tt.only != nil && !slices.Contains(tt.only, k) })
				if within && len(s.Kinds) <= tt.faults {
					want = append(want, s)
				}
			}
			got := again.Locks[0].Breaks[way]
			if !slices.EqualFunc(got, want, func(a, b measured.CutSet) bool {
				return slices.Equal(a.Kinds, b.Kinds) && a.Text == b.Text && a.World == b.World
			}) {
				t.Errorf("%s of %s by %v:\n%v\nstored:\n%v", way, tt.lock, tt.only, got, want)
			}
		}
		stored := slices.DeleteFunc(slices.Clone(r.Locks[i].Singles), func(s measured.Single) bool { return tt.only != nil && !slices.Contains(tt.only, s.Kind) })
		if got := again.Locks[0].Singles; !slices.EqualFunc(got, stored, sameSingle) {
			t.Errorf("%s alone by %v:\n%v\nstored:\n%v", tt.lock, tt.only, got, stored)
		}
	}
}

// sameSingle compares all but the names of the files, which depend on what else was walked.
func sameSingle(a, b measured.Single) bool {
	if a.Kind != b.Kind || a.During != b.During || a.Walked != b.Walked || a.Vain != b.Vain || a.Cut != b.Cut || len(a.Breaks) != len(b.Breaks) {
		return false
	}
	for way, shown := range a.Breaks {
		if o := b.Breaks[way]; o == nil || o.World != shown.World || o.Text != shown.Text {
			return false
		}
	}
	return true
}
