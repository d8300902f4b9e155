package scenario

import (
	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
)

// everyLock is the key that speaks of all locks of the file.
const everyLock = "every lock"

// expect reads the expectations. What a file says about one lock goes before
// what it says about every lock, wherever it stands.
func (r *reader) expect(n *node, p *plan.Plan) {
	const example = "every lock: {progress: kept} below it"
	entries, _ := r.entries(n, "expect", example)
	said := map[string]map[string]plan.Expectation{}
	for _, e := range entries {
		if !r.knownLock(e.key, p) {
			continue
		}
		said[e.key.text] = r.verdicts(e)
	}
	for _, lock := range p.Locks {
		for _, property := range propertyIDs() {
			x, ok := said[lock][property]
			if !ok {
				x, ok = said[everyLock][property]
			}
			if ok {
				x.Lock = lock
				p.Expect = append(p.Expect, x)
			}
		}
	}
}

// knownLock reports whether a key of expect names a lock of this file.
func (r *reader) knownLock(key *node, p *plan.Plan) bool {
	id := key.text
	if id == everyLock || contains(p.Locks, id) {
		return true
	}
	if _, ok := locks.Lookup(id); ok {
		if r.locksUnclear {
			return false
		}
		r.problemf(key, "%s is not among the locks of this scenario: add it to locks, or remove it here", id)
		return false
	}
	r.problemf(key, "unknown lock %s in expect: %s", quote(id), suggest(id, append([]string{everyLock}, p.Locks...)))
	return false
}

// verdicts reads what is expected of one lock, by property.
func (r *reader) verdicts(of entry) map[string]plan.Expectation {
	entries, _ := r.entries(of.value, "the expectations of "+of.key.text, of.key.text+": {progress: kept}")
	out := map[string]plan.Expectation{}
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
		out[property] = plan.Expectation{Property: property, Verdict: verdict, Line: e.key.line}
	}
	return out
}

func propertyIDs() []string {
	var ids []string
	for _, p := range checker.All() {
		ids = append(ids, p.ID)
	}
	return ids
}
