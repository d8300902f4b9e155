package plan

import (
	"slices"
	"testing"
)

func TestSaid(t *testing.T) {
	every := Expectation{Lock: EveryLock, Property: "progress", Verdict: "kept", Line: 1}
	own := Expectation{Lock: "a", Property: "exclusion", Verdict: "broken", Line: 2}
	other := Expectation{Lock: "a", Property: "progress", Verdict: "broken", Line: 3}
	nothing := Expectation{Lock: "a", Verdict: Anything}
	nothingOfAny := Expectation{Lock: EveryLock, Verdict: Anything}
	everyForA := every
	everyForA.Lock = "a"
	tests := []struct {
		name string
		give []Expectation
		want []Expectation
		said bool
	}{
		{"nothing is said", nil, nil, false},
		{"of another lock", []Expectation{{Lock: "b", Property: "progress", Verdict: "kept"}}, nil, false},
		{"of every lock", []Expectation{every}, []Expectation{everyForA}, true},
		{"of both", []Expectation{every, own}, []Expectation{own, everyForA}, true},
		{"its own goes before", []Expectation{every, other}, []Expectation{other}, true},
		{"anything", []Expectation{nothingOfAny}, nil, true},
		{"anything of this lock", []Expectation{every, nothing}, nil, true},
		{"something of this lock", []Expectation{nothingOfAny, own}, []Expectation{own}, true},
	}
	for _, tt := range tests {
		p := Plan{Expect: tt.give}
		if got, said := p.ExpectationsFor("a"); said != tt.said || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %+v, %v", tt.name, got, said)
		}
	}
}

func TestPlayOnlyKeepsWhatIsSaidOfEveryLock(t *testing.T) {
	given := []Expectation{
		{Lock: EveryLock, Property: "progress", Verdict: "kept"},
		{Lock: "a", Property: "progress", Verdict: "broken"}, {Lock: "b", Property: "progress", Verdict: "broken"},
	}
	p := Plan{Locks: []string{"a", "b"}, Expect: given}
	p.PlayOnly([]string{"b", "c"})
	if want := []Expectation{given[0], given[2]}; !slices.Equal(p.Expect, want) || !slices.Equal(p.Locks, []string{"b", "c"}) {
		t.Errorf("got %v, %+v", p.Locks, p.Expect)
	}
	if of, _ := p.ExpectationsFor("c"); len(of) != 1 || of[0].Lock != "c" || of[0].Verdict != "kept" {
		t.Errorf("of a lock that the file does not know: %+v", of)
	}
	if given[1].Lock != "a" {
		t.Error("the given list was changed")
	}
}

// ExpectKept removes all expectations of the given locks; those of every lock remain for the
// others.
func TestExpectKept(t *testing.T) {
	every := []Expectation{{Lock: EveryLock, Property: "progress", Verdict: "kept"}, {Lock: EveryLock, Property: "mutual-exclusion", Verdict: "broken"}}
	p := Plan{
		Locks:  []string{"mine", "other"},
		Expect: append(every, Expectation{Lock: "other", Property: "progress", Verdict: "broken"}, Expectation{Lock: "mine", Property: "progress", Verdict: "broken"}),
	}
	p.ExpectKept([]string{"mine"})
	if said, ok := p.ExpectationsFor("mine"); ok {
		t.Errorf("of mine: %v", said)
	}
	if said, _ := p.ExpectationsFor("other"); len(said) != 2 || said[0].Verdict != "broken" || said[1].Verdict != "broken" || said[1].Property != "progress" {
		t.Errorf("of the other: %v", said)
	}
	p = Plan{Locks: []string{"mine", "other"}, Expect: []Expectation{{Lock: EveryLock, Verdict: Anything}}}
	if !p.ExpectsNothing() {
		t.Error("ExpectsNothing is false")
	}
	p.ExpectKept([]string{"mine"})
	if said, ok := p.ExpectationsFor("other"); !ok || len(said) != 0 {
		t.Errorf("of the other, without expectations: %v, %v", said, ok)
	}
	if p.ExpectsNothing() {
		t.Error("ExpectsNothing is still true")
	}
}
