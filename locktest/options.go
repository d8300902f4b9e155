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
	NoLostUpdate     = checker.NoLostUpdateID     // no update of the resource is overwritten unread
)

// Breaks says that the lock is known to break these properties in a story; without properties,
// mutual exclusion. The test then fails when it keeps one of them. If a lock breaks mutual exclusion
// and has no fencing tokens, nothing is expected of the writes to the resource.
//
// A kind of fault of Walk is named like its subtest: walk/pause. It may break what the story of its
// name does, unless Breaks names the kind itself.
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

// MayBeUntested allows a story to test nothing, because no clients contended or its fault changed
// nothing; otherwise such a story fails. The story "rehearsal" is played before all others, and
// shows that the store keeps an entry of the holder, and that the entry keeps others out. In a
// story that may be untested, a release may also hide its error.
func MayBeUntested(story string) Option {
	return func(s *suite) {
		s.named = append(s.named, story)
		s.untested = append(s.untested, story)
	}
}

// Unjudged allows these properties to be unknown, for instance because the harness cannot follow
// the lock's entry. They may still not be broken.
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

// Stories plays these stories instead of the usual ones, and no walk without Walk. A story is one
// of the usual, one of `simulate list scenarios`, or a file. Your lock has to keep every property
// in it. Expectations for `every lock` count only in a file of your own.
func Stories(names ...string) Option {
	return func(s *suite) { s.stories = append([]string{}, names...) }
}

// Walk also plays single faults exhaustively, as `simulate explore` does: nine kinds (pause, crash,
// cut, lost-request, lost-reply, late-request, late-release, late-reply, restart), each at every
// request and every step of one client; during a long wait, at one attempt in two seconds and at
// all of the last second. A late request comes 2 s late, and 12 s late. Each kind is a subtest,
// which fails when the kind breaks the lock anywhere. Walk is on by default, but not with Stories.
func Walk() Option { return func(s *suite) { s.walk = true } }

// WithoutWalk plays the usual stories without a walk.
func WithoutWalk() Option { return func(s *suite) { s.noWalk = true } }

// Seeds plays each story with n seeds, from LOCKSTEP_SEED on, or 1.
func Seeds(n int) Option { return func(s *suite) { s.seeds = max(n, 1) } }

// Name sets the name of the lock in reports; by default it is the name of the test.
func Name(name string) Option { return func(s *suite) { s.name = cmp.Or(name, s.name) } }
