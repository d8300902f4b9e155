package locktest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"lockstep/internal/bubble"
	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/scenario"
	"lockstep/internal/store"
	"lockstep/internal/timeline"
)

// rehearsal is the name of the runs before the stories; see MayBeUntested.
const rehearsal = "rehearsal"

// The plans of the rehearsal: one without a fault, and one in which the entry is evicted while A
// works, just before B comes, since a holder that renews may make another entry.
const (
	nothingWrong = "scenario: Rehearsal\nclients: [A, B, C]\nworkload: {repeat: 2 times}\n"
	entryGone    = "scenario: Rehearsal without an entry\nclients: [A, B]\nworkload: {work: 9s, stagger: 2s}\n" +
		"faults: [{when: A is in its critical section, after: 1900ms, evict: lock}]\n"
)

// rehearse plays the lock without a fault. Afterwards the primaries know its scripts, as
// in production, and it is known where the lock keeps its entry. It reports whether the lock can be
// played.
func (s *suite) rehearse(t *testing.T) bool {
	t.Helper()
	p := s.rehearsalOf(t, nothingWrong)
	s.learning = true
	r := s.play(t, p, s.seed, nil)
	s.scripts, s.learning = r.notes.Learned, false
	s.fenced = r.Err == nil && slices.ContainsFunc(r.Judgement.History.Events, func(e history.Event) bool {
		return e.Kind == history.Acquired && e.Token > 0
	})
	if !s.works(t, p, r) || !s.tested(t, r.notes.Doubt, "") {
		return false
	}
	entry, why := bubble.EntryOf(s.key(p), r.notes.Held)
	if why == "" {
		why = s.follow(t, p, entry)
	}
	if why != "" && !s.cannotFollow(t, p, r, why) || !s.tested(t, allOutlast(r.notes.Held, p.Lease), "") {
		return false
	}
	return why != "" || s.keptOutByTheStore(t)
}

// follow sets the entry to be followed in all runs, and returns why it cannot be, or "".
func (s *suite) follow(t *testing.T, p *plan.Plan, entry store.Entry) (why string) {
	s.entry = entry
	r := s.play(t, p, s.seed, nil)
	if r.Err != nil {
		return r.Err.Error()
	}
	if why = read(r.Judgement.History, true, p.Lease).unasked; why != "" {
		return why
	}
	s.followed = true
	return ""
}

// key is the name of the lock in a plan.
func (s *suite) key(p *plan.Plan) string { return p.Resources()[0] }

func (s *suite) rehearsalOf(t *testing.T, text string) *plan.Plan {
	p, err := scenario.Parse(rehearsal, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s.expect(p, "")
	return p
}

// works reports whether each client acquired the lock each time, by requests to the store.
func (s *suite) works(t *testing.T, p *plan.Plan, r *result) bool {
	t.Helper()
	h := r.Judgement.History
	switch {
	case r.Err != nil:
		t.Errorf("the lock cannot be played: %v", r.Err)
	case len(r.notes.Missed) > 0:
		t.Errorf("%s%s", r.unmodelled(), r.firstError())
	case !slices.ContainsFunc(h.Events, func(e history.Event) bool { return e.Kind == history.Sent }):
		t.Errorf("the lock has sent nothing to its store: it has to use the connections of locktest.Client%s", r.firstError())
	case r.Judgement.Acquired == 0:
		t.Errorf("no client has ever got the lock, though nothing went wrong%s\n%s", r.firstError(), s.terminalReport(p, r))
	default:
		for _, client := range p.Clients {
			if !got(h, client) {
				t.Errorf("%s has waited for the lock in vain, though nothing went wrong%s\n%s",
					client, r.firstError(), s.terminalReport(p, r))
				return false
			}
		}
		if sign := cmp.Or(r.signs.token, read(h, false, 0).unasked, r.signs.alarm); sign != "" {
			t.Errorf("untested: %s", sign)
			return false
		}
		return true
	}
	return false
}

// got reports whether all attempts of a client succeeded.
func got(h *history.History, client string) bool {
	node, wanted, had := h.Node(client), 0, 0
	for _, e := range timeline.Of(h).Each(history.Waits, history.Acquired) {
		switch {
		case e.Node != node:
		case e.Kind == history.Waits:
			wanted++
		default:
			had++
		}
	}
	return wanted > 0 && had == wanted
}

// nowhere is where a lock has its entry that cannot be followed: what is under its name may be
// another client's than the holder's, and is no evidence.
var nowhere = store.Entry{Key: "\x00"}

// cannotFollow reports that the lock's entry cannot be followed, and returns whether to go on.
func (s *suite) cannotFollow(t *testing.T, p *plan.Plan, r *result, why string) bool {
	t.Helper()
	s.entry = nowhere
	nothing := slices.ContainsFunc(r.notes.Held, func(h bubble.Held) bool { return len(h.Kept) == 0 })
	switch {
	case nothing && slices.Contains(s.untested, rehearsal):
		t.Logf("untested, as the test allows: %s", why)
		s.tally.untested = append(s.tally.untested, rehearsal)
	case nothing:
		t.Errorf("untested: %s. A lock that leaves nothing in its store keeps no client out by it, and what another client "+
			"has written for the holder, as a release that hands the lock over, cannot be followed. "+
			"If yours keeps others out all the same, allow it with locktest.MayBeUntested(%q)", why, rehearsal)
		if r.Judgement.Finding(MutualExclusion).Verdict == checker.Broken {
			t.Errorf("two clients have held the lock at once, though nothing went wrong:\n%s", s.terminalReport(p, r))
		}
		return false
	case slices.Contains(s.unjudged, OwnerOnlyRelease):
		t.Logf("owner-only-release is not judged, as the test says: %s", why)
	default:
		t.Errorf("inconclusive: owner-only-release cannot be judged, because the lock's entry cannot be followed: %s. "+
			"Keep it under one key or in one row that has the lock's name, or do without the property: "+
			"locktest.Unjudged(locktest.OwnerOnlyRelease)", why)
	}
	return true
}

// keptOutByTheStore reports whether the store keeps others out, for the lease of the story: after
// the eviction of A's entry, B has to acquire the lock at once.
func (s *suite) keptOutByTheStore(t *testing.T) bool {
	t.Helper()
	p := s.rehearsalOf(t, entryGone)
	r := s.play(t, p, s.seed, nil)
	if r.Err != nil {
		t.Errorf("the lock cannot be played: %v", r.Err)
		return false
	}
	why, story := r.signs.lease, ""
	if !takenAtOnce(r.Judgement.History, p.Lease/2) {
		why, story = notTheStore, "\n"+s.terminalReport(p, r)
	}
	return s.tested(t, why, story)
}

// tested reports whether nothing speaks against a lock, or the test allows what does.
func (s *suite) tested(t *testing.T, why, story string) bool {
	t.Helper()
	switch {
	case why == "":
		return true
	case slices.Contains(s.untested, rehearsal):
		t.Logf("untested, as the test allows: %s", why)
		s.tally.untested = append(s.tally.untested, rehearsal)
		return true
	}
	t.Errorf("untested: %s. If there is another reason, allow it with locktest.MayBeUntested(%q).%s", why, rehearsal, story)
	return false
}

// takenAtOnce reports whether B acquires within a time when A's entry has gone.
func takenAtOnce(h *history.History, within time.Duration) bool {
	b, asked, gone := h.Node("B"), history.Instant(0), false
	for _, e := range timeline.Of(h).Each(history.FaultBegan, history.Waits, history.Acquired) {
		switch {
		case e.Kind == history.FaultBegan:
			gone = true
		case e.Node != b || !gone:
		case e.Kind == history.Waits:
			asked = e.At
		case e.Kind == history.Acquired && e.At.Sub(asked) < within:
			return true
		}
	}
	return false
}

const notTheStore = "A's entry has gone from the store, and B, who comes then, does not get the lock: " +
	"it is not this entry that keeps B out, but another one of A, or something outside of the store. The locks of two clients " +
	"must share nothing but the store, as in two processes"

// outlasts says that the store keeps something of a holder for too long, "" if it does not.
func outlasts(what string, kept, lease time.Duration) string {
	if kept <= lease+lease/2 {
		return ""
	}
	return fmt.Sprintf("the store keeps %s for %v, and the lease of the story is %v, so its pauses would be over before "+
		"the lock's lease is. Give the lock the lease that Client.Lease returns", what, kept.Round(time.Millisecond), lease)
}

// allOutlast says that all that a holder has written, as far as it ends by itself, stays for too
// long: one of that is its lease, though it may be unknown which one.
func allOutlast(held []bubble.Held, lease time.Duration) string {
	for _, h := range held {
		limited := slices.DeleteFunc(slices.Clone(h.Kept), func(e store.Entry) bool { return e.Lease == 0 })
		if len(limited) > 0 {
			e := slices.MinFunc(limited, func(a, b store.Entry) int { return cmp.Compare(a.Lease, b.Lease) })
			if why := outlasts(e.Key+" of "+h.Client, e.Lease, lease); why != "" {
				return why
			}
		}
	}
	return ""
}
