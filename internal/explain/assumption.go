package explain

import (
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// False is an assumption that a run has proved false.
type False struct {
	Assumed say.Phrase // the assumption, as a sentence
	Formula say.Phrase // why it is false, with numbers: "pause 15.000 s > lease 10.000 s - 0.048 s spent"
}

// Proved reports whether there is one.
func (f False) Proved() bool { return !f.Assumed.Empty() }

// Assumption derives the assumption behind the first violation. lag is the
// replication lag of the set-up, 0 when it is not known. The result is zero when
// the history does not prove one: nothing is guessed.
func Assumption(h *history.History, findings []checker.Finding, lag time.Duration) False {
	first, property := firstViolation(findings)
	if first == nil {
		return False{}
	}
	if property == checker.ProgressID {
		return stuck(h, first)
	}
	lives := livesOf(h)
	if property == checker.OwnerOnlyReleaseID {
		return wrongOwner(h, lives, first)
	}
	for _, id := range first.Clients {
		if f := outlived(h, lives, id, first.From, lag); f.Proved() {
			return f
		}
	}
	return False{}
}

func firstViolation(findings []checker.Finding) (first *checker.Violation, property string) {
	for _, id := range orderOf(findings) {
		f := findingOf(findings, id)
		if f.Verdict != checker.Broken || len(f.Violations) == 0 {
			continue
		}
		if v := &f.Violations[0]; first == nil || v.From < first.From {
			first, property = v, id
		}
	}
	return first, property
}

// life is an entry from its creation to its end.
type life struct {
	owner, node history.NodeID
	key         history.TextID
	from        history.Instant
	set         history.Instant // when its time to live was last set
	ttl         time.Duration   // as it was set then
	over        history.Instant // when it ended
	how         history.Kind    // Expired, Removed, Forgotten, Crashed (with its server), or 0
	by          history.NodeID  // for Removed: whose command it was
	replicated  bool
}

func livesOf(h *history.History) []life {
	var lives []life
	t := teller{h: h, cluster: clusterOf(h)}
	open := func(node, owner history.NodeID, key history.TextID) *life {
		for i := len(lives) - 1; i >= 0; i-- {
			if l := &lives[i]; l.how == 0 && (l.node == node || t.inCluster(node)) && l.owner == owner && l.key == key {
				return l
			}
		}
		return nil
	}
	for i := range h.Events {
		e := &h.Events[i]
		switch e.Kind {
		case history.Granted:
			lives = append(lives, life{
				owner: e.Owner, node: e.Node, key: e.Text, from: e.At, set: e.At, ttl: time.Duration(e.Value),
			})
		case history.Extended:
			if l := open(e.Node, e.Owner, e.Text); l != nil {
				l.set, l.ttl = e.At, time.Duration(e.Value)
			}
		case history.Replicated:
			if l := open(e.Peer, e.Owner, e.Text); l != nil {
				l.replicated = true
			}
		case history.Expired, history.Removed, history.Forgotten:
			l := open(e.Node, e.Owner, e.Text)
			if l == nil && e.Kind == history.Forgotten {
				l = diedWith(lives, e)
			}
			if l != nil {
				l.over, l.how, l.by = e.At, e.Kind, e.Peer
			}
		case history.Restarted: // what it has not forgotten is there again
			for j := range lives {
				if lives[j].node == e.Node && lives[j].how == history.Crashed {
					lives[j].how = 0
				}
			}
		case history.Crashed:
			for j := range lives {
				if lives[j].node == e.Node && lives[j].how == 0 && !t.inCluster(e.Node) {
					lives[j].over, lives[j].how = e.At, history.Crashed
				}
			}
		}
	}
	return lives
}

// diedWith returns the entry that went with its server's crash and that the
// server has now turned out to have lost, or nil.
func diedWith(lives []life, e *history.Event) *life {
	for i := len(lives) - 1; i >= 0; i-- {
		if l := &lives[i]; l.how == history.Crashed && l.node == e.Node && l.owner == e.Owner && l.key == e.Text {
			return l
		}
	}
	return nil
}

// outlived explains why a client still believed at an instant although its
// entry was gone.
func outlived(h *history.History, lives []life, id history.NodeID, at history.Instant, lag time.Duration) False {
	var hold *history.Hold
	holds := history.Holds(h)
	for i := range holds {
		if holds[i].Client == id && holds[i].Start <= at {
			hold = &holds[i]
		}
	}
	var entry *life
	for i := range lives {
		if l := &lives[i]; l.owner == id && l.from <= at {
			entry = l
		}
	}
	if hold == nil || entry == nil {
		return False{}
	}
	if entry.how == 0 || entry.over > at {
		return splitBrain(h, entry, at)
	}
	switch entry.how {
	case history.Expired:
		return expiredEarly(h, hold, entry)
	case history.Crashed, history.Forgotten:
		return failedOver(h, entry, lag)
	case history.Removed:
		switch {
		case entry.by == 0:
			return dropped(entry)
		case entry.by != id:
			return removedByOther(h, lives, entry)
		}
	}
	return False{}
}

// expiredEarly compares what took long with the lease that was left for it.
func expiredEarly(h *history.History, hold *history.Hold, entry *life) False {
	who := say.Client(h.Name(hold.Client))
	if entry.ttl == 0 {
		return False{
			Assumed: say.SessionLasts.With(who),
			Formula: say.SessionEndedAfter.With(say.Seconds(entry.over.Sub(entry.from))),
		}
	}
	if jump := clockJump(h, entry); jump > 0 {
		left := entry.ttl - entry.over.Sub(entry.set)
		if left > 0 && jump >= left {
			return False{
				Assumed: say.StoreClockIsRight.With(),
				Formula: say.ClockStep.With(say.Seconds(jump), say.Seconds(entry.ttl), say.Seconds(entry.over.Sub(entry.set))),
			}
		}
	}
	if lived := entry.over.Sub(entry.set); entry.ttl-lived > rounding {
		return False{
			Assumed: say.StoreClockIsRight.With(),
			Formula: say.LeaseEndedAfter.With(say.Seconds(entry.ttl), say.Seconds(lived)),
		}
	}
	if hold.Start > entry.over {
		return False{
			Assumed: say.HearsInTime.With(who),
			Formula: say.ReplyAfter.With(say.Seconds(hold.Start.Sub(entry.from)), say.Seconds(entry.ttl)),
		}
	}
	if began, length := pauseOver(h, hold.Client, entry.over); length > 0 {
		spent := began.Sub(entry.set)
		if spent >= 0 && length > entry.ttl-spent {
			return False{
				Assumed: say.NeverPausesLonger.With(who),
				Formula: say.PauseOverLease.With(say.Seconds(length), say.Seconds(entry.ttl), say.Seconds(spent)),
			}
		}
	}
	if held := hold.End.Sub(entry.set); held > entry.ttl {
		since := say.HeldSinceGrant
		if entry.set > hold.Start {
			since = say.HeldSinceRenewal
		}
		return False{
			Assumed: say.IsDoneInTime.With(who),
			Formula: since.With(say.Seconds(held), say.Seconds(entry.ttl)),
		}
	}
	return False{}
}

// rounding is more than any store rounds the end of an entry by: they count
// milliseconds or more.
const rounding = 20 * time.Millisecond

// clockJump returns how far a server's clock was stepped while an entry lived.
func clockJump(h *history.History, entry *life) time.Duration {
	var jump time.Duration
	for i := range h.Events {
		e := &h.Events[i]
		if e.Kind == history.ClockChanged && e.Node == entry.node && e.At >= entry.set && e.At <= entry.over {
			jump += time.Duration(e.Value)
		}
	}
	return jump
}

// pauseOver returns the freeze of a client that covers an instant.
func pauseOver(h *history.History, id history.NodeID, at history.Instant) (began history.Instant, length time.Duration) {
	frozen := false
	for i := range h.Events {
		e := &h.Events[i]
		if e.Node != id {
			continue
		}
		switch e.Kind {
		case history.Froze:
			if e.At > at {
				return 0, 0
			}
			began, frozen = e.At, true
		case history.Thawed:
			if frozen && e.At >= at {
				return began, e.At.Sub(began)
			}
			frozen = false
		}
	}
	return 0, 0 // never thawed, so its length is not known
}

func failedOver(h *history.History, entry *life, lag time.Duration) False {
	if f := amnesia(h, entry); f.Proved() {
		return f
	}
	if entry.replicated {
		return False{}
	}
	age := entry.over.Sub(entry.from)
	for i := range h.Events {
		// The crash, not the moment at which the loss was noticed, is what the
		// lag competes with.
		if e := &h.Events[i]; e.Kind == history.Crashed && e.Node == entry.node && e.At >= entry.from && e.At <= entry.over {
			age = e.At.Sub(entry.from)
			break
		}
	}
	f := False{Assumed: say.OutlivesThePrimary.With()}
	switch {
	case age > max(lag, time.Second) && neverReplicated(h):
		f.Formula = say.NeverReplicated.With()
	case lag > age:
		f.Formula = say.YoungerThanLag.With(say.Seconds(age), say.OptionalSeconds(lag))
	default:
		f.Formula = say.YoungerThanLag.With(say.Seconds(age), 0)
	}
	return f
}

// neverReplicated reports whether the lock's entries are left out by replication,
// as those of database sessions are: they have no end, and no replica ever got
// one.
func neverReplicated(h *history.History) bool {
	granted := false
	for _, i := range h.Milestones() {
		switch e := &h.Events[i]; {
		case e.Kind == history.Replicated, e.Kind == history.Granted && e.Value > 0:
			return false
		case e.Kind == history.Granted:
			granted = true
		}
	}
	return granted
}

// wrongOwner explains a release that removed another client's entry.
func wrongOwner(h *history.History, lives []life, v *checker.Violation) False {
	for _, i := range v.Events {
		if i < 0 || int(i) >= len(h.Events) {
			continue
		}
		e := &h.Events[i]
		if e.Kind != history.Removed || e.Peer == 0 || e.Peer == e.Owner {
			continue
		}
		return afterOwnEnd(h, lives, e.Peer, e.At, i)
	}
	return False{}
}

// removedByOther explains the loss of an entry by another client's release.
func removedByOther(h *history.History, lives []life, entry *life) False {
	for i := range h.Events {
		e := &h.Events[i]
		if e.Kind == history.Removed && e.At == entry.over && e.Node == entry.node && e.Owner == entry.owner {
			return afterOwnEnd(h, lives, entry.by, e.At, int32(i))
		}
	}
	return False{}
}

// afterOwnEnd compares a removal with the end of the remover's own entry.
func afterOwnEnd(h *history.History, lives []life, id history.NodeID, at history.Instant, index int32) False {
	var own *life
	for i := range lives {
		if l := &lives[i]; l.owner == id && l.how != 0 && l.over < at {
			own = l
		}
	}
	if own == nil {
		return False{}
	}
	t := teller{h: h}
	return False{
		Assumed: say.RemovesOnlyItsOwn.With(say.Client(h.Name(id))),
		Formula: say.RemovedAfterOwnEnd.With(t.command(index), say.Seconds(at), say.Seconds(own.over), say.Seconds(at.Sub(own.over))),
	}
}

// stuck explains a lock that does not become free: an entry without an end whose
// owner cannot remove it any more.
func stuck(h *history.History, v *checker.Violation) False {
	lives := livesOf(h)
	for i := range lives {
		l := &lives[i]
		if l.how != 0 || l.ttl != 0 || l.from > v.To {
			continue
		}
		for j := range h.Events {
			e := &h.Events[j]
			if e.Node != l.owner || e.At < l.from {
				continue
			}
			switch e.Kind {
			case history.Crashed, history.AcquireFailed, history.ReleaseFailed:
				return False{
					Assumed: say.AlwaysRemovesItsOwn.With(say.Client(h.Name(l.owner))),
					Formula: say.OwnerLost.With(say.Seconds(e.At)),
				}
			}
		}
	}
	return False{}
}
