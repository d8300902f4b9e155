package explore

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/campaign/results"
	"lockstep/internal/campaign/results/resultstest"
	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
)

// several are the options of a walk of some locks, few kinds and one profile.
func several(t *testing.T, faults int, ids ...string) Options {
	t.Helper()
	o := options(t, ids[0], faults, "evict", "lost-reply", "hung")
	o.In = []string{plainProfile}
	o.Locks = nil
	for _, id := range ids {
		o.Locks = append(o.Locks, variant(t, id))
	}
	return o
}

func walkedOnce(t *testing.T, o Options) *results.Explored {
	t.Helper()
	return resultOf(t, walked(t, o), o)
}

// Locks that are walked one after the other, in any order and also twice, each into the stored
// result, give the bytes of one walk.
func TestIntoIsAsIfWalkedAtOnce(t *testing.T) {
	want := walkedOnce(t, several(t, 1, "consul-session", "etcd-txn", "lua-setex", "mysql-unique", "set-nx-lua", "setnx"))
	for _, order := range [][]string{
		{"lua-setex", "set-nx-lua", "setnx", "consul-session", "mysql-unique", "etcd-txn"},
		{"etcd-txn", "setnx", "mysql-unique", "set-nx-lua", "consul-session", "lua-setex", "set-nx-lua"},
	} {
		r := walkedOnce(t, several(t, 1, order[0]))
		for _, id := range order[1:] {
			o := several(t, 1, id)
			stored := must.Get(results.ReadExplored([]byte(asText(t, r))))(t)
			r = must.Get(walked(t, o).Into(&o, stored))(t)
		}
		if got := asText(t, r); got != asText(t, want) {
			t.Errorf("in the order %v:\n%s\nwant\n%s", order, got, asText(t, want))
		}
	}
}

// A lock that is walked again replaces its stored result.
func TestIntoForgetsWhatWasKnown(t *testing.T) {
	r := walkedOnce(t, several(t, 1, "lua-setex", "set-nx-lua"))
	wrong := `set: robbed by nothing`
	r.Lock("set-nx-lua").Doubts = []string{wrong}
	r.Scope.Faults = 2 // so many were walked of the other lock
	only := several(t, 1, "set-nx-lua")
	again := must.Get(walked(t, only).Into(&only, r))(t)
	if text := asText(t, again); strings.Contains(text, wrong) || len(again.Locks) != 2 || again.Scope.Faults != 2 {
		t.Errorf("%s", text)
	}
}

func TestIntoRefuses(t *testing.T) {
	pairs := several(t, 2, "setnx-expire")
	pairs.Only = []string{"evict"}
	deep := walkedOnce(t, pairs)
	shallow := pairs
	shallow.Faults = 1
	half := pairs
	half.Locks = []locks.Variant{variant(t, "setnx")}
	other := half
	other.Rounds = 2
	some := pairs
	some.Complete = []string{"just-within"} // and not plain, where all are known
	more := pairs                           // their pairs were not searched
	more.Only, more.Further = []string{"evict", "lost-reply"}, deep
	if err := more.CheckInto(deep); err == nil || !strings.Contains(err.Error(), "its pairs are of another scope") {
		t.Errorf("further with more kinds: %v", err)
	}
	if pairs.Further = deep; pairs.CheckInto(deep) != nil {
		t.Errorf("further with the same: %v", pairs.CheckInto(deep))
	}
	for _, tt := range []struct {
		name string
		o    Options
		walk bool
		want string
	}{
		{"loses pairs", shallow, true, "search with --faults 2"},
		{"loses the pairs of a profile", some, false, "all pairs of setnx-expire in the profile plain, and would lose them"},
		{"another scope", other, true, "another scope"},
		{"not walked", half, false, "not searched to its end"},
	} {
		tt.o.AsIs = !tt.walk
		s := walked(t, tt.o)
		_, err := s.Into(&tt.o, deep)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// A new lock's search goes into the shipped result, so its scope has to be that of the program,
// word for word. If a text has changed, change the stored one with it.
func TestTheShippedResultTakesAnotherLock(t *testing.T) {
	r := resultstest.Explored(t)
	o := options(t, "set-nx-lua", r.Scope.Faults)
	o.Sample, o.In, o.Only = r.Scope.Sample, nil, nil
	if err := o.CheckInto(r); err != nil {
		t.Errorf("%v: it is of %+v, and the program of %+v", err, r.Scope, o.scope())
	}
}

// Walking in two steps gives the result of walking at once: first the pairs of the plain profile,
// then, into that, those of just-within, of which some were drawn before.
func TestFurtherIsAsIfWalkedAtOnce(t *testing.T) {
	for _, lock := range ([]string{"set-wait-unchecked", "watchdog-lua"})[:realtest.Tiers(1, 2)] {
		o := options(t, lock, 2, "fail-over", "lag", "late-reply-short", "pause-short", "evict")
		o.Sample = 5
		want := walkedOnce(t, o)
		plain := o
		plain.Complete = []string{plainProfile}
		first := walkedOnce(t, plain)
		if first.Locks[0].Searched != results.Sampled || want.Locks[0].Searched != results.Complete {
			t.Errorf("%s: searched %s, then %s", lock, first.Locks[0].Searched, want.Locks[0].Searched)
		}
		further := o
		further.Further = first
		got, err := walked(t, further).Into(&o, first)
		if err != nil || len(Stale(got)) > 0 {
			t.Fatal(err, Stale(got))
		}
		if asText(t, got) != asText(t, want) {
			t.Errorf("%s:\n%s\nwant\n%s", lock, asText(t, got), asText(t, want))
		}
	}
}

// Pairs that were searched with older code of a lock stay pairs of that code, whether their lock is
// searched further or only kept.
func TestPairsOfOlderCodeStayStale(t *testing.T) {
	o := several(t, 2, "setnx", "set-nx-lua")
	stored := walkedOnce(t, o)
	if stale := Stale(stored); stale != nil {
		t.Errorf("%v is stale", stale)
	}
	stored.Locks[0].Version, stored.Locks[1].Version = "0123456789ab", ""
	stored.Locks = append(stored.Locks, results.ExploredLock{Lock: "gone"})
	o.Locks, o.Further = []locks.Variant{variant(t, "setnx")}, stored
	further, err := walked(t, o).Into(&o, stored)
	if err != nil || !slices.Equal(Stale(further), []string{"gone", "set-nx-lua", "setnx"}) {
		t.Errorf("further: %v, %v", err, Stale(further))
	}
	o.Further = nil
	o.Complete = []string{plainProfile}
	again, err := walked(t, o).Into(&o, stored)
	if err != nil || !slices.Equal(Stale(again), []string{"gone", "set-nx-lua"}) {
		t.Errorf("searched again: %v, %v", err, Stale(again))
	}
}

// A result of several faults depends on the faults that break the lock alone: if one no longer
// does, the result is void.
func TestFurtherChecksWhatItRestsOn(t *testing.T) {
	o := options(t, "set-nx-lua", 2, "evict", "crash")
	o.Complete = []string{plainProfile}
	first := walkedOnce(t, o)
	l := &first.Locks[0]
	for _, within := range []int{2, 0} {
		l.Breaks["foreign-release"] = []results.CutSet{{Kinds: []string{"crash"}, Within: within, Shown: results.Shown{Profile: "plain"}}}
		o.Further = first
		s, err := Walk(t.Context(), o)
		if within == 2 {
			if kept := s.Locks[0].minimal(checker.ForeignRelease); err != nil || len(kept) != 1 || kept[0].faults() != 2 {
				t.Errorf("found by two faults, of which one had no effect: %v, %v", kept, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "rests on [crash] alone, which shows no foreign-release any more: search all of it, without --further") {
			t.Errorf("%v", err)
		}
	}
}

// The stored result of one lock says nothing about another.
func TestFurtherTakesNothingOfAnotherLock(t *testing.T) {
	o := options(t, "set-nx-lua", 2)
	together := []results.Searched{{Profile: plainProfile, How: results.Complete}}
	o.Further, o.AsIs = &results.Explored{Locks: []results.ExploredLock{{Lock: "setnx", Complete: 2, Together: together}}}, true
	if s := walked(t, o); len(s.Locks[0].Taken) > 0 || len(s.Locks[0].Stages) > 0 {
		t.Errorf("took %+v of another lock", s.Locks[0])
	}
}
