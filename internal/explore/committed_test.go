package explore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/measured"
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

// Each stored set has a story, which expects of its lock what the set says; each story
// belongs to a set. That the stories break as they expect, package run plays.
func TestStoredSetsHaveStories(t *testing.T) {
	r := committed(t)
	named := map[string]bool{}
	for i := range r.Locks {
		l := &r.Locks[i]
		for _, way := range Ways() {
			for _, s := range l.Breaks[way.String()] {
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
				var texts []string
				for k := range p.Faults {
					texts = append(texts, p.Faults[k].Text)
				}
				if text := strings.Join(texts, ", then "); !shown || text != s.Text || len(p.Faults) != len(s.Kinds) {
					t.Errorf("%s of %s by %v: %s tells of %q and expects %v", way, l.Lock, s.Kinds, s.Story, text, said)
				}
			}
		}
	}
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
		for _, way := range Ways() {
			want := []measured.CutSet{}
			for _, s := range r.Locks[i].Breaks[way.String()] {
				within := !slices.ContainsFunc(s.Kinds, func(k string) bool { return tt.only != nil && !slices.Contains(tt.only, k) })
				if within && len(s.Kinds) <= tt.faults {
					want = append(want, s)
				}
			}
			got := again.Locks[0].Breaks[way.String()]
			if !slices.EqualFunc(got, want, func(a, b measured.CutSet) bool {
				return slices.Equal(a.Kinds, b.Kinds) && a.Text == b.Text && a.World == b.World
			}) {
				t.Errorf("%s of %s by %v:\n%v\nstored:\n%v", way, tt.lock, tt.only, got, want)
			}
		}
	}
}
