package locktest

import (
	"cmp"

	"lockstep/internal/checker"
)

// Option changes what Run plays or expects.
type Option func(*suite)

// The properties that a lock is judged by.
const (
	MutualExclusion  = checker.MutualExclusionID  // no two clients believe they hold it at the same time
	OwnerOnlyRelease = checker.OwnerOnlyReleaseID // no release removes the entry of another client
	Progress         = checker.ProgressID         // after the faults, each attempt succeeds within ten leases
	NoStaleWrite     = checker.NoStaleWriteID     // no write of an old holder reaches the resource
	NoLostUpdate     = checker.NoLostUpdateID     // no update of the resource is overwritten unseen
)

// Breaks says that the lock is known to break these properties in a story; without properties, mutual
// exclusion. The test then fails when they are kept. If a lock breaks mutual exclusion and has no fencing
// tokens, nothing is expected of the writes to the resource.
//
// A kind of fault of Walk is named as its subtest: walk/pause.
func Breaks(story string, properties ...string) Option {
	if len(properties) == 0 {
		properties = []string{MutualExclusion}
	}
	return func(s *suite) {
		s.named = append(s.named, story)
		for _, p := range properties {
			if _, ok := checker.Lookup(p); !ok {
				s.wrong("there is no property " + p)
			}
			s.breaks[story] = append(s.breaks[story], p)
		}
	}
}

// MayBeUntested allows a story to be no evidence: no clients contended in it, or its fault changed
// nothing. Without it, such a story fails. The story "rehearsal" is what is played before all others: that
// the store keeps an entry of the holder, and that it is the entry which keeps others out.
func MayBeUntested(story string) Option {
	return func(s *suite) {
		s.named = append(s.named, story)
		s.untested = append(s.untested, story)
	}
}

// Unjudged does without these properties where it is unknown whether the lock has kept them, say because the
// harness cannot follow the lock's entry. What is broken is broken all the same.
func Unjudged(properties ...string) Option {
	return func(s *suite) {
		for _, p := range properties {
			if _, ok := checker.Lookup(p); !ok {
				s.wrong("there is no property " + p)
			}
			s.unjudged = append(s.unjudged, p)
		}
	}
}

// Stories has these stories played instead of the usual ones, and no walk but by Walk. A story is one of the
// usual, one that `simulate list scenarios` shows, or a file. Your lock has to keep every property in it.
// What a story expects of `every lock` counts only in a file of your own.
func Stories(names ...string) Option {
	return func(s *suite) { s.stories = append([]string{}, names...) }
}

// Walk also searches single faults exhaustively, as `simulate explore` does: nine kinds, each at every request
// and every step of one client (while it waits long: one try in two seconds, and all of the last second):
// pause, crash, cut, lost-request, lost-reply, late-request, late-release, late-reply, restart. Each kind is a
// subtest, and is broken when it breaks the lock anywhere.
// It is on by default; name it to add it to Stories. Where Breaks names the story pause, the kind walk/pause
// may break the same.
func Walk() Option { return func(s *suite) { s.walk = true } }

// WithoutWalk leaves the walk out of the usual.
func WithoutWalk() Option { return func(s *suite) { s.noWalk = true } }

// Seeds has each story played with that many seeds. LOCKSTEP_SEED names the first one; it is
// 1 otherwise.
func Seeds(n int) Option { return func(s *suite) { s.seeds = max(n, 1) } }

// Name is what reports call the lock; the name of the test otherwise.
func Name(name string) Option { return func(s *suite) { s.name = cmp.Or(name, s.name) } }
