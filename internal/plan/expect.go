package plan

import (
	"cmp"
	"slices"
)

// EveryLock is used in place of a lock's id and means all locks.
const EveryLock = "every lock"

// Anything is the verdict of an author who expects nothing and only observes.
const Anything = "anything"

// Expectation is what the scenario's author expects of one property of one lock.
type Expectation struct {
	Lock     string // id of a variant, or EveryLock
	Property string // "" for Anything
	Verdict  string // kept, broken or Anything
	Line     int    // its line in the file
}

// ExpectationsFor returns the expectations for a lock, sorted by property, those for every lock included. It
// is false when the plan has none.
func (p *Plan) ExpectationsFor(lock string) (said []Expectation, ok bool) {
	all := p.about(lock)
	for _, e := range all {
		if e.Verdict == Anything {
			break // whatever follows was said of every lock
		}
		said = append(said, e)
	}
	slices.SortFunc(said, func(a, b Expectation) int { return cmp.Compare(a.Property, b.Property) })
	return said, len(all) > 0
}

// Asked returns the properties for which the plan has an expectation; none for a nil plan.
func (p *Plan) Asked() (ids []string) {
	if p == nil {
		return nil
	}
	for _, e := range p.Expect {
		if e.Verdict != Anything && !slices.Contains(ids, e.Property) {
			ids = append(ids, e.Property)
		}
	}
	return ids
}

// about returns a lock's own expectations, then those for every lock that they do not override.
func (p *Plan) about(lock string) (all []Expectation) {
	for _, of := range []string{lock, EveryLock} {
		for _, e := range p.Expect {
			same := func(o Expectation) bool { return o.Property == e.Property }
			if e.Lock == of && !slices.ContainsFunc(all, same) {
				e.Lock = lock
				all = append(all, e)
			}
		}
	}
	return all
}

// ExpectKept drops the expectations for some locks, so that they are expected to keep every
// property. Those for every lock still apply to the other locks.
func (p *Plan) ExpectKept(ids []string) {
	var out []Expectation
	for _, lock := range p.Locks {
		if slices.Contains(ids, lock) {
			continue
		}
		out = append(out, p.about(lock)...)
	}
	p.Expect = out
}

// ExpectsNothing reports whether the plan expects nothing of any lock.
func (p *Plan) ExpectsNothing() bool {
	return slices.ContainsFunc(p.Expect, func(e Expectation) bool {
		return e.Lock == EveryLock && e.Verdict == Anything
	})
}

// PlayOnly limits the plan to these locks and drops the expectations for all others.
func (p *Plan) PlayOnly(locks []string) {
	p.Locks = locks
	p.Expect = slices.DeleteFunc(slices.Clone(p.Expect), func(e Expectation) bool {
		return e.Lock != EveryLock && !slices.Contains(locks, e.Lock)
	})
}
