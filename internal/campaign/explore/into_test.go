package explore

import (
	"strings"
	"testing"

	"lockstep/internal/campaign/results"
	"lockstep/internal/campaign/results/resultstest"
	"lockstep/internal/locks"
	"lockstep/internal/must"
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
