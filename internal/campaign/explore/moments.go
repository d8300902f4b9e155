package explore

import (
	"maps"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
)

// trigger is a moment as a scenario names it. Requests are counted by their own name or part of the
// lock, since renewals would shift a count of all.
type trigger struct {
	Moment faults.MomentKind `json:"m"`
	Who    int8              `json:"c"`
	Word   string            `json:"w,omitempty"` // of a moment of the wire: a command, a script or a part
	Nth    int               `json:"n"`
}

func (t *trigger) fault(clients []string) faults.Trigger {
	return faults.Trigger{Moment: t.Moment, Subject: clients[t.Who], Command: t.Word, Nth: t.Nth}
}

// phrase is how a scenario says it.
func (t *trigger) phrase(clients []string) string {
	f := t.fault(clients)
	return f.Text()
}

// plainness orders moments by how easily a reader pictures them; 0 is best.
func (t *trigger) plainness() int {
	n := 0
	switch t.Moment {
	case faults.InSection, faults.AboutToWrite, faults.Releases:
	case faults.StartsWaiting, faults.Acquires, faults.Enters:
		n = 1
	case faults.AboutToSend:
		n = 2
	default:
		n = 3
	}
	if t.Nth > 1 {
		n++
	}
	if t.Who > 0 {
		n++
	}
	return n
}

// reached is a moment that a run has reached.
type reached struct {
	trigger
	at     history.Instant
	part   faults.Part
	during string
	// open: all clients have begun, so that a fault lets no client in.
	open bool
}

// recorder notes the moments of a run.
type recorder struct {
	clients []string
	counts  map[counted]int
	during  [mostClients]string // the phase of each client
	all     []reached
	begun   int // clients
}

// never is after all instants of a run.
const never = history.Instant(1<<63 - 1)

// between reports which moments of a run a client only repeats, more often than the clients of the
// plain world do: a message soon after an equal one that is kept. The last second before the
// client's next step is kept: it has the attempt that gets the lock.
func (r *recorder) between() []bool {
	const often, atOnce, last = 2 * time.Second, 100 * time.Millisecond, time.Second
	out := make([]bool, len(r.all))
	var next [mostClients]history.Instant // steps
	for i := range next {
		next[i] = never
	}
	for i, m := range slices.Backward(r.all) {
		if !m.Moment.OnWire() {
			next[m.Who] = m.at
		}
		out[i] = next[m.Who].Sub(m.at) > last
	}
	kept := map[counted]history.Instant{}
	for i, m := range r.all {
		if !m.Moment.OnWire() {
			maps.DeleteFunc(kept, func(c counted, _ history.Instant) bool { return c.who == m.Who })
		}
		like := counted{m.Moment, m.Who, m.Word}
		since, known := kept[like]
		if out[i] = out[i] && known && m.at.Sub(since) > atOnce && m.at.Sub(since) < often; !out[i] && (!known || m.at.Sub(since) > atOnce) {
			kept[like] = m.at
		}
	}
	return out
}

// counted identifies moments that are counted together.
type counted struct {
	kind faults.MomentKind
	who  int8
	word string
}

func newRecorder(clients []string) *recorder {
	return &recorder{clients: clients, counts: map[counted]int{}}
}

func (r *recorder) reset() {
	clear(r.counts)
	clear(r.during[:])
	r.all, r.begun = r.all[:0], 0
}

// observe notes one moment.
func (r *recorder) observe(m faults.Moment, at history.Instant) {
	who := int8(slices.Index(r.clients, m.Subject))
	if who < 0 {
		return
	}
	t := trigger{Moment: m.Kind, Who: who}
	if !m.Kind.OnWire() {
		t.Nth = r.count(m.Kind, who, "")
		if m.Kind == faults.StartsWaiting && t.Nth == 1 {
			r.begun++
		}
		r.note(reached{trigger: t, at: at, during: r.goOn(m.Kind, who)})
		return
	}
	t.Word = m.Call.Command
	if m.Script != "" {
		t.Word = m.Script
		r.count(m.Kind, who, m.Call.Command)
	}
	t.Nth = r.count(m.Kind, who, t.Word)
	if m.Part != faults.NoPart {
		if n := r.count(m.Kind, who, m.Part.String()); n < t.Nth {
			t.Word, t.Nth = m.Part.String(), n
		}
	}
	r.note(reached{trigger: t, at: at, part: m.Part, during: r.during[who]})
}

func (r *recorder) note(m reached) {
	m.open = r.begun == len(r.clients)
	r.all = append(r.all, m)
}

// goOn notes a step of a client, and returns its phase at that moment: until it releases, it holds.
func (r *recorder) goOn(m faults.MomentKind, who int8) string {
	now, next := r.during[who], r.during[who]
	switch m {
	case faults.StartsWaiting:
		now, next = acquiring, acquiring
	case faults.Enters:
		now, next = holding, holding
	case faults.Releases:
		next = releasing
	}
	r.during[who] = next
	return now
}

func (r *recorder) count(kind faults.MomentKind, who int8, word string) int {
	c := counted{kind, who, word}
	r.counts[c]++
	return r.counts[c]
}

// place is a template at a moment.
type place struct {
	Template int           `json:"l"`
	When     trigger       `json:"t"`
	After    time.Duration `json:"a,omitempty"` // later than the moment, in true time: the end of the fault before

	during string // the phase of the client that a first fault hits; "" for one of servers
	moment int    // its index in the run before; endOfLast: the end of the fault before
}

// endOfLast replaces the index of a moment: it is the end of the fault before.
const endOfLast = -1

// schedule is some faults, in the order of their moments.
type schedule []place
