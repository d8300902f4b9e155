package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
)

// whatToExpect is the advice on expecting something or nothing.
const whatToExpect = "every lock: {progress: kept} below it, or expect: anything"

// expect reads the expectations. A lock without any is expected to keep every property.
func (r *reader) expect(n *node, p *plan.Plan) {
	if anything(n) {
		p.Expect = []plan.Expectation{{Lock: plan.EveryLock, Verdict: plan.Anything, Line: n.line}}
		return
	}
	entries, ok := r.entries(n, "expect", whatToExpect)
	if ok && len(n.entries) == 0 {
		r.problemf(n, "expect says nothing: leave it out, and every lock is expected to keep every property; or write expect: anything")
	}
	said := map[string][]plan.Expectation{}
	for _, e := range entries {
		if r.knownLock(e.key, p) {
			said[e.key.text] = r.verdicts(e)
		}
	}
	p.Expect = append(p.Expect, said[plan.EveryLock]...)
	for _, lock := range p.Locks {
		p.Expect = append(p.Expect, said[lock]...)
		if design := designOf(lock); design != lock && said[lock] == nil {
			for _, x := range said[design] { // of its lock of every resource
				x.Lock = lock
				p.Expect = append(p.Expect, x)
			}
		}
	}
}

// anything reports whether a value is the word for expecting nothing.
func anything(n *node) bool {
	return n.is(scalarNode) && strings.TrimSpace(n.text) == plan.Anything
}

// knownLock reports whether a key of expect names a lock of this file.
func (r *reader) knownLock(key *node, p *plan.Plan) bool {
	id := key.text
	_, isLock := locks.Lookup(id)
	_, isProperty := checker.Lookup(id)
	switch {
	case id == plan.EveryLock || slices.ContainsFunc(p.Locks, func(lock string) bool { return id == lock || id == designOf(lock) }):
		return true
	case isLock && r.locksUnclear:
	case isLock:
		r.problemf(key, "%s is not among the locks of this scenario: add it to locks, or remove it here", id)
	case isProperty:
		r.problemf(key, "%s is a property, which is expected of a lock: write every lock: {%s: kept}", id, id)
	default:
		r.problemf(key, "unknown lock %s in expect: %s", quote(id), suggest(id, append([]string{plan.EveryLock}, p.Locks...)))
	}
	return false
}

// verdicts reads the expectations for one lock or for every lock, sorted by property.
func (r *reader) verdicts(of entry) []plan.Expectation {
	lock := of.key.text
	if anything(of.value) {
		return []plan.Expectation{{Lock: lock, Verdict: plan.Anything, Line: of.key.line}}
	}
	entries, ok := r.entries(of.value, "the expectations of "+lock, fmt.Sprintf("%[1]s: {progress: kept}, or %[1]s: anything", lock))
	if ok && len(of.value.entries) == 0 {
		r.problemf(of.value, "nothing is expected of %[1]s: leave it out, or write %[1]s: anything", lock)
	}
	var out []plan.Expectation
	for _, e := range entries {
		property := e.key.text
		if _, ok := checker.Lookup(property); !ok {
			r.problemf(e.key, "unknown property %s: %s", quote(property), suggest(property, propertyIDs()))
			continue
		}
		verdict, ok := r.choice(e.value, property, string(checker.Kept), string(checker.Broken))
		if !ok {
			continue
		}
		out = append(out, plan.Expectation{Lock: lock, Property: property, Verdict: verdict, Line: e.key.line})
	}
	slices.SortFunc(out, func(a, b plan.Expectation) int { return cmp.Compare(a.Property, b.Property) })
	return out
}

func propertyIDs() []string {
	return each.Map(checker.All(), func(p checker.Property) string { return p.ID })
}
