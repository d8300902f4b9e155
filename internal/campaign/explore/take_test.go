package explore

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/real/realtest"
)

// Walking in two steps gives the result of walking at once: first the pairs of the plain profile, then, into that, those of
// just-within, of which some were drawn before.
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
