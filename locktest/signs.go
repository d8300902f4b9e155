package locktest

import (
	"cmp"
	"fmt"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// signs reports violations of what every lock does, although no property demands it: a client that
// acquires has sent a request to the store and has an entry there; a command extends only its own
// client's entry; a client that has failed once can acquire a free lock; one to which the store has
// given the lock acquires; tokens grow; the entry lasts for the lease of the story. Each sign is a
// sentence, "" for none.
type signs struct {
	unasked string // acquired without the store, so the run proves nothing
	foreign string // extended an entry of another client
	dead    string // failed to acquire a free lock, or one that was its own
	alarm   string // was told that it has no lock, soon after it got it and before any fault
	token   string // a fencing token that the resource cannot compare, or that has not grown
	lease   string // an entry that the store keeps for longer than the story's lease
	long    string // a lock that outlived its dead holder for longer than that
	renewed string // kept renewing after a release: no violation, but a frequent cause
	left    string // waited in vain for a free lock: progress judges that
	stayed  string // its entry outlived its release: no violation either
	later   string // its release returned before it had asked the store for it, so no fault met it
	hushed  string // reported a release as done that the store has neither confirmed nor executed
}

// reader reads a history for signs.
type reader struct {
	h         *history.History
	entered   bool // it has the lock's entries
	patience  time.Duration
	trails    []trail
	holders   int             // clients that believe that they hold the lock
	entries   int             // of all clients, on all servers
	ending    map[int64]bool  // faults that end at some time
	faults    int             // of these, the active ones
	fault     history.Instant // when the latest of all began
	faulted   bool            // there was one
	skewed    bool            // a clock was set: entries whose time is a client's may seem to be over
	granting  history.NodeID  // the server that made the first entry
	forgets   bool            // a server may have lost something, or there is no order of all entries
	highest   history.Event   // the acquisition with the highest token so far
	highestAt history.Instant // when its entry was made
	free      history.Instant // since when the lock has been free without an active fault
	died      history.Instant // when the last holder died, if no client has acquired since
	removes   bool            // a release has removed its entry
	forgot    string          // signs.stayed, by most of a lease
	signs     signs
}

// read reads a history; followed says whether it has the lock's entries. A client must acquire a
// lock that has been free for the duration free, or since the client's attempt began.
func read(h *history.History, followed bool, free time.Duration) signs {
	r := reader{h: h, entered: followed, patience: free, ending: map[int64]bool{}}
	r.trails = make([]trail, len(h.Header.Nodes)+1)
	for i := range r.trails {
		r.trails[i].open = map[int64]history.Instant{}
	}
	account := timeline.Of(h)
	for _, e := range account.Each(history.FaultEnded) {
		r.ending[e.Value] = true
	}
	for _, e := range account.All() {
		if int(e.Node) < len(r.trails) && int(e.Owner) < len(r.trails) && int(e.Peer) < len(r.trails) {
			r.take(e)
		}
	}
	if r.removes { // else it is a lock that ends with its lease
		r.signs.alarm = cmp.Or(r.signs.alarm, r.forgot)
	}
	for i := range r.trails {
		t, name := &r.trails[i], h.Name(history.NodeID(i))
		if t.foreign.times > 0 && r.signs.foreign == "" {
			does := "extends"
			if t.foreign.keeps > 0 && t.foreign.keeps < h.Header.Lease/2 {
				does = "cuts short"
			}
			r.signs.foreign = fmt.Sprintf("%s's %s %s the entry of another client, %v. "+
				"It has to look whose entry it is", name, r.command(&t.foreign), does, &t.foreign)
		}
		if t.renewed.times > 1 && r.signs.renewed == "" {
			r.signs.renewed = fmt.Sprintf("%s goes on renewing though it holds nothing: %s, %v",
				name, r.command(&t.renewed), &t.renewed)
		}
	}
	return r.signs
}

// command returns the request that caused the first event of a stretch.
func (r *reader) command(s *stretch) string {
	if _, sent := r.h.Request(s.command); sent != nil {
		return r.h.Text(sent.Text)
	}
	return "command"
}

func (r *reader) take(e *history.Event) {
	t := &r.trails[e.Node]
	if r.busy() || e.Kind == history.FaultBegan {
		r.free = e.At
	}
	for i := range r.trails {
		if r.holders+r.faults > 0 || r.entries > r.trails[i].entries || e.Kind == history.FaultBegan {
			r.trails[i].alone = e.At
		}
	}
	r.alarms(e, t)
	switch e.Kind {
	case history.Sent:
		t.asked = true
		t.open[e.Value] = e.At
	case history.Replied:
		if sent, asked := t.open[e.Value]; asked && e.At.Sub(sent) > promptly {
			t.heard = e.At
		}
		t.answered = e.At
		delete(t.open, e.Value)
	case history.Waits:
		clear(t.open)
		t.failed = t.failed && t.phase != gone
		t.phase, t.waits, t.since, t.asked, t.granted, t.released = waiting, e.At, e.At, false, false, 0
	case history.Acquired:
		r.acquires(e, t)
	case history.AcquireFailed:
		r.stalls(e, t, e.Node)
		t.failed, t.since = true, e.At
	case history.GaveUp:
		r.givesUp(e, t)
	case history.Releasing, history.LostLease:
		t.releasing = e.At
		r.becomes(e, t, releasing)
	case history.Released, history.NotHeld, history.ReleaseFailed, history.Finished:
		if e.Kind == history.Released {
			r.hushes(e, t)
			t.released = e.At
			if t.extended < t.releasing { // else it keeps the lock for a while on purpose, as ShedLock does
				t.gave = e.At
			}
		}
		r.becomes(e, t, idle)
	case history.Crashed:
		r.forgets = r.forgets || r.h.Role(e.Node) == history.RoleStore
		if t.phase == holding {
			r.died = e.At
		}
		r.becomes(e, t, gone)
	case history.Promoted:
		r.forgets = true
	case history.FaultBegan:
		r.fault, r.faulted = e.At, true
		if r.ending[e.Value] {
			r.faults++
		}
	case history.FaultEnded:
		r.faults--
	case history.ClockChanged:
		r.skewed = true
	case history.Granted, history.Replicated, history.Extended, history.Removed, history.Expired, history.Forgotten:
		r.entry(e, &r.trails[e.Owner])
	}
}

// promptly is the longest time for an answer that no fault delays.
const promptly = time.Second

// busy reports whether the lock is held or recorded as held, or a fault is active.
func (r *reader) busy() bool { return r.holders+r.entries+r.faults > 0 }

func (r *reader) becomes(e *history.Event, t *trail, p phase) {
	if t.phase == holding {
		r.holders--
	}
	if p == holding {
		r.holders++
	}
	if t.phase != gone || p != idle {
		t.phase = p
	}
}

// acquires checks that an acquisition rests on the store.
func (r *reader) acquires(e *history.Event, t *trail) {
	name := r.h.Name(e.Node)
	switch {
	case r.signs.unasked != "":
	case !t.asked && t.entries == 0:
		r.signs.unasked = fmt.Sprintf("%s acquires at %v without a request to the store since it began to wait: "+
			"what kept the others out is no lock of the store", name, e.At)
	case r.entered && !r.skewed && !t.granted && t.entries == 0:
		r.signs.unasked = fmt.Sprintf("%s believes at %v that it holds the lock, and no server keeps an entry of %s",
			name, e.At, name)
	}
	r.tokens(e, t)
	r.takesOver(e, t)
	t.acquired, t.ends = e.At, ""
	r.becomes(e, t, holding)
}

// takesOver checks that the lock of a dead holder was taken when its lease was over. Who waits may look
// once in a lease.
func (r *reader) takesOver(e *history.Event, t *trail) {
	after, lease := e.At.Sub(max(r.died, t.waits)), r.h.Header.Lease
	if r.died > 0 && r.fault <= r.died && r.faults == 0 && after > lease/2*5 && r.signs.long == "" {
		r.signs.long = fmt.Sprintf("the holder dies at %v, and %s, the next one, gets the lock %v later. The lease of the story is %v, so its pauses "+
			"would be over before the lock's lease is. Give the lock the lease that Client.Lease returns", r.died, r.h.Name(e.Node), after, lease)
	}
	r.died = 0
}

// tokens checks that the token of a holder is greater than those of the holders before it. Of two
// holders at once either may be told first. A fault may have made the store forget them, and an
// answer may come late, so after one the order is that in which a store that forgets nothing has
// made the entries.
func (r *reader) tokens(e *history.Event, t *trail) {
	last := &r.highest
	ordered := !r.faulted || r.entered && !r.forgets && !r.skewed && t.entered > r.highestAt
	if e.Token > 0 && e.Token <= last.Token && r.holders == 0 && ordered && r.signs.token == "" {
		r.signs.token = fmt.Sprintf("%s acquires at %v with the fencing token %d, and %s had %d at %v. "+
			"A token is greater than those of all holders before, or the resource refuses what its holder writes",
			r.h.Name(e.Node), e.At, e.Token, r.h.Name(last.Node), last.Token, last.At)
	}
	if e.Token > last.Token {
		r.highest, r.highestAt = *e, t.entered
	}
}

// lasts checks that an entry ends when a story expects it: a pause that does not outlast the lease
// proves nothing.
func (r *reader) lasts(e *history.Event) {
	if r.signs.lease == "" {
		r.signs.lease = outlasts("the entry of "+r.h.Name(e.Owner), time.Duration(e.Value), r.h.Header.Lease)
	}
}

// alarms checks that a lock which a client has just got is there for its work and its release, and that
// a release finds an entry that is there. After a fault, one that the store has answered, with an error,
// must not leave its entry: the lock has not got over the fault.
func (r *reader) alarms(e *history.Event, t *trail) {
	what := ""
	switch e.Kind {
	case history.LostLease:
		what = "is told that its lock is lost"
	case history.NotHeld:
		what = "releases the lock and is told that it had none"
	case history.ReleaseFailed:
		what = "releases the lock and gets an error"
	}
	inside := t.phase == holding || t.phase == releasing
	missed := what != "" && e.Kind != history.LostLease && r.entered && t.entries > 0 && t.ends == ""
	soon := !r.faulted && e.At.Sub(t.acquired) < r.h.Header.Lease/2
	answered := len(t.open) == 0 && t.answered >= t.releasing // and not by a connection that the fault has broken
	refused := e.Kind == history.ReleaseFailed && answered && r.entered && t.entries > 0 && r.faults == 0 && t.acquired.Sub(r.fault) > promptly
	if what != "" && inside && r.signs.alarm == "" && (soon || missed && !r.faulted || refused) {
		since := ""
		if r.faulted {
			since = fmt.Sprintf(" since %v", r.fault)
		}
		r.signs.alarm = fmt.Sprintf("%s %s at %v. It got the lock at %v, and nothing has gone wrong%s",
			r.h.Name(e.Node), what, e.At, t.acquired, since)
		if said := r.h.Text(e.Text); said != "" {
			r.signs.alarm += ". The error: " + said
		}
		switch {
		case missed:
			r.signs.alarm += fmt.Sprintf(". The store has an entry of %s all the time", r.h.Name(e.Node))
		case t.ends != "":
			r.signs.alarm += ". " + t.ends
		}
	}
}

// hushes checks that a release which is said to be done has removed something, or been answered.
func (r *reader) hushes(e *history.Event, t *trail) {
	for _, sent := range t.open {
		unheard := sent >= t.releasing && t.answered < sent && e.At.Sub(sent) > promptly
		if unheard && t.entries > 0 && t.ended < t.releasing && r.signs.hushed == "" {
			r.signs.hushed = fmt.Sprintf("%s's release returns no error at %v, though the store has not answered its request "+
				"and still has its entry. Release returns nil only when the store has confirmed it", r.h.Name(e.Node), e.At)
		}
	}
}

// lingers checks that what removes an entry was sent before the release returned.
func (r *reader) lingers(e *history.Event, t *trail) {
	if _, sent := r.h.Request(e.Cause); sent != nil && t.released > 0 && sent.At >= t.released && r.signs.later == "" {
		r.signs.later = fmt.Sprintf("%s's release returns at %v, without an error, and sends its %s only then. "+
			"Release returns nil when the store has confirmed it", r.h.Name(e.Owner), t.released, r.h.Text(sent.Text))
	}
}

// givesUp checks whether the lock was free while a client failed to acquire it, not for the first
// time.
func (r *reader) givesUp(e *history.Event, t *trail) {
	free := min(e.At.Sub(t.waits), e.At.Sub(r.free))
	again := r.entered && t.failed && e.At > t.since && r.fault <= t.since
	if again && r.signs.dead == "" && (r.free <= t.since && free > promptly || free >= r.patience) {
		r.signs.dead = fmt.Sprintf("%s tries until %v and does not get the lock, which has been free for %v: "+
			"its handle is of no use any more%s", r.h.Name(e.Node), e.At, free.Round(time.Millisecond), t.unheard(e.At))
	} else if r.entered && r.signs.left == "" && free >= r.patience {
		r.signs.left = fmt.Sprintf("%s waits until %v for a lock that has been free for %v%s", r.h.Name(e.Node), e.At, free.Round(time.Millisecond), t.unheard(e.At))
	}
	r.stalls(e, t, e.Node)
	t.failed = true
	r.becomes(e, t, idle)
}

// stalls checks whether the store had given the lock to a client that gives up, or removes its
// entry, and had answered all that it asked. The answer to a lost request never comes, and the
// client may wait for it.
func (r *reader) stalls(e *history.Event, t *trail, client history.NodeID) {
	if t.phase != waiting {
		return
	}
	from := max(t.since, t.alone, t.heard)
	for _, sent := range t.open {
		if e.At.Sub(sent) > promptly {
			return
		}
	}
	if r.entered && t.entries > 0 && e.At.Sub(from) >= r.patience && r.signs.dead == "" {
		name := r.h.Name(client)
		r.signs.dead = fmt.Sprintf("%s waits until %v for a lock that has been its own since %v: from then on the store has "+
			"an entry of %s and of no other client, and has answered all requests of %s. It may have missed a notice (a watch "+
			"has to begin where the client has looked, not when the request arrives), or its own entry keeps it out", name, e.At, from, name, name)
	}
}

// loses notes how the entry of a holder ends while it works.
func (r *reader) loses(e *history.Event, owner *trail) {
	_, sent := r.h.Request(e.Cause)
	switch name := r.h.Name(e.Owner); {
	case owner.phase != holding:
	case e.Kind == history.Expired:
		owner.ends = fmt.Sprintf("%s's entry expires at %v: it was made to last %v", name, e.At, owner.keeps)
	case e.Peer == e.Owner && sent != nil:
		owner.ends = fmt.Sprintf("%s's own %s ends its entry at %v. What is bound to the context of Acquire ends when that returns",
			name, r.h.Text(sent.Text), e.At)
	}
}

// entry counts the entries of an owner.
func (r *reader) entry(e *history.Event, owner *trail) {
	by := &r.trails[e.Peer]
	fromClient := e.Peer != 0 && r.h.Role(e.Peer) == history.RoleClient
	// A client that gives an entry without an end one repairs what its owner has left half done.
	repaired := e.Kind == history.Extended && owner.keeps == 0 && time.Duration(e.Value) >= r.h.Header.Lease/2
	if e.Kind == history.Granted || e.Kind == history.Extended {
		r.lasts(e)
		owner.keeps = time.Duration(e.Value)
	}
	if e.Kind == history.Granted {
		r.granting, owner.entered, owner.gave = cmp.Or(r.granting, e.Node), e.At, 0
		r.forgets = r.forgets || e.Node != r.granting
	}
	switch e.Kind {
	case history.Granted, history.Replicated:
		owner.granted = true
		owner.entries++
		r.entries++
	case history.Removed, history.Expired, history.Forgotten:
		r.forgets = r.forgets || e.Kind == history.Forgotten || e.Kind == history.Removed && e.Peer == 0
		if e.Kind == history.Expired && owner.released > 0 && !r.faulted && r.signs.stayed == "" {
			r.signs.stayed = fmt.Sprintf("%s releases the lock at %v, without an error, and its entry stays until it expires at %v: "+
				"the release has not removed it", r.h.Name(e.Owner), owner.released, e.At)
		}
		if e.Kind == history.Expired && owner.gave > 0 && !r.faulted && e.At.Sub(owner.gave) > r.h.Header.Lease/2 {
			r.forgot = fmt.Sprintf("%s releases the lock at %v, without an error, and its entry stays until it expires at %v, though other releases have removed theirs. "+
				"Release returns nil when the store has confirmed it", r.h.Name(e.Owner), owner.gave, e.At)
		}
		r.removes = r.removes || e.Kind == history.Removed && fromClient && e.Peer == e.Owner && owner.phase == releasing
		if fromClient && e.Peer == e.Owner {
			r.stalls(e, owner, e.Owner)
			r.lingers(e, owner)
		}
		r.loses(e, owner)
		owner.ended = e.At
		if owner.entries > 0 {
			owner.entries--
			r.entries--
		}
	case history.Extended:
		if e.Peer == e.Owner {
			owner.extended = e.At
		}
		if fromClient && e.Peer != e.Owner && !repaired {
			by.foreign.add(e)
		}
		owner.granted = owner.granted || e.Peer == e.Owner // a client takes its own old entry over
	}
	renews := e.Kind == history.Granted || e.Kind == history.Extended
	if fromClient && renews && e.Peer == e.Owner && (by.phase == idle || by.phase == gone) {
		by.renewed.add(e)
	}
}
