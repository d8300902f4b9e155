package plan

import (
	"cmp"
	"slices"
)

// EveryLock stands in the place of a lock's id and speaks of all locks.
const EveryLock = "every lock"

// Anything is the verdict of an author who only looks: nothing is expected.
const Anything = "anything"

// Expectation is what the scenario's author expects of one property of one lock.
type Expectation struct {
	Lock     string // id of a variant, or EveryLock
	Property string // "" for Anything
	Verdict  string // kept, broken or Anything
	Line     int    // where the file says so
}

// Said returns what the plan says about a lock: of each property what is said of this
// lock, else what is said of every lock. It is false when nothing is said of either.
func (p *Plan) Said(lock string) (said []Expectation, ok bool) {
	own, every := p.about(lock), p.about(EveryLock)
	for _, e := range slices.Concat(own, every) {
		if e.Verdict == Anything {
			break // nothing, or nothing beyond what was said of this lock
		}
		if !slices.ContainsFunc(said, func(s Expectation) bool { return s.Property == e.Property }) {
			e.Lock = lock
			said = append(said, e)
		}
	}
	slices.SortFunc(said, func(a, b Expectation) int { return cmp.Compare(a.Property, b.Property) })
	return said, len(own)+len(every) > 0
}

// Asked returns the properties that the plan says anything of.
func (p *Plan) Asked() (ids []string) {
	for _, e := range p.Expect {
		if e.Verdict != Anything && !slices.Contains(ids, e.Property) {
			ids = append(ids, e.Property)
		}
	}
	return ids
}

func (p *Plan) about(lock string) (all []Expectation) {
	for _, e := range p.Expect {
		if e.Lock == lock {
			all = append(all, e)
		}
	}
	return all
}

// ExpectKept drops what the plan says of some locks, and of every lock as far as it is about them: they are
// expected to keep every property, as is any lock of which nothing is said. What is said of every lock goes on
// to hold for the others.
func (p *Plan) ExpectKept(ids []string) {
	every := p.about(EveryLock)
	var out []Expectation
	for _, lock := range p.Locks {
		if slices.Contains(ids, lock) {
			continue
		}
		own := p.about(lock)
		for _, e := range every {
			if !slices.ContainsFunc(own, func(o Expectation) bool { return o.Property == e.Property }) {
				e.Lock = lock
				own = append(own, e)
			}
		}
		out = append(out, own...)
	}
	p.Expect = out
}

// OnlyLooks reports whether the plan says that nothing is expected of any lock.
func (p *Plan) OnlyLooks() bool {
	every := p.about(EveryLock)
	return len(every) > 0 && every[0].Verdict == Anything
}

// PlayOnly has the plan played with these locks. What it says of others is dropped; what
// it says of every lock holds for these.
func (p *Plan) PlayOnly(locks []string) {
	p.Locks = locks
	p.Expect = slices.DeleteFunc(slices.Clone(p.Expect), func(e Expectation) bool {
		return e.Lock != EveryLock && !slices.Contains(locks, e.Lock)
	})
}
