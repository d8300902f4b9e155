package playground

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/say"
	"lockstep/internal/store"
	"lockstep/internal/timeline"
)

// Edit is one change of the scenario. It is self-contained, so that of the many edits of a drag
// only the last one has to be played.
type Edit struct {
	Open  string `json:"open,omitempty"`  // replaces it: the text of a scenario file
	Story string `json:"story,omitempty"` // replaces it: a shipped story, by name

	Control string   `json:"control,omitempty"` // a slider, by its id ...
	Index   int      `json:"index,omitempty"`   // ... and its position
	Locks   []string `json:"locks,omitempty"`   // the locks to play
	Seed    string   `json:"seed,omitempty"`    // in decimal
	Fence   string   `json:"fence,omitempty"`   // what the resource checks
	Lease   int64    `json:"lease,omitempty"`   // ms to add to the lease
	Move    *Move    `json:"move,omitempty"`
	Add     *Add     `json:"add,omitempty"`
	Remove  int      `json:"remove,omitempty"` // the number of a fault
}

// Move moves a fault, or its end, in time.
type Move struct {
	Fault int   `json:"fault"` // its number
	End   bool  `json:"end"`   // only its end, which changes its length
	By    int64 `json:"by"`    // ms
}

// Add adds a fault, at an instant in the lane of a node or at a message. A fault that hits a
// message may be dropped in the lane of a client: it hits the next message that the client sends.
type Add struct {
	Kind    string `json:"kind"` // see Palette
	Node    string `json:"node"` // whose lane; "" on a message: that of its client
	At      int64  `json:"at"`   // ms
	Client  string `json:"client"`
	Command string `json:"command"` // the message that it was dropped on; "" if none
	Nth     int    `json:"nth"`
	Reply   bool   `json:"reply"` // its reply instead of its request
}

func (e *Edit) empty() bool {
	return e.Control == "" && e.Locks == nil && e.Seed == "" && e.Fence == "" && e.Lease == 0 && e.Move == nil && e.Add == nil && e.Remove == 0
}

// grain is the unit to which dragged times are rounded.
const grain = 50 * time.Millisecond

// leastLease is the shortest lease that dragging can set.
const leastLease = 500 * time.Millisecond

// apply changes the plan. The caller validates the result by parsing its text.
func (e *Edit) apply(p *plan.Plan) error {
	switch {
	case e.Control != "":
		return turn(p, e.Control, e.Index)
	case e.Locks != nil:
		if p.Locks = e.Locks; len(p.Locks) > MaxLocks {
			return fmt.Errorf("at most %d locks stand side by side", MaxLocks)
		}
	case e.Seed != "":
		seed, err := strconv.ParseUint(e.Seed, 10, 64)
		if err != nil || seed == 0 {
			return fmt.Errorf("a seed is a whole number from 1 on, and not %q", e.Seed)
		}
		p.Seed = seed
	case e.Fence != "":
		p.Workload.Fence = plan.Fence(e.Fence)
	case e.Lease != 0:
		p.Lease = max((p.Lease + time.Duration(e.Lease)*time.Millisecond).Round(grain), leastLease)
	case e.Move != nil:
		return e.Move.apply(p)
	case e.Add != nil:
		return e.Add.apply(p)
	default:
		remove(p, e.Remove)
		p.Chaos = nil // the other faults that it has drawn stay
	}
	return nil
}

func (m *Move) apply(p *plan.Plan) error {
	f := p.Fault(m.Fault)
	if f == nil {
		return fmt.Errorf("there is no fault %d", m.Fault)
	}
	at, by := f.Trigger, time.Duration(m.By)*time.Millisecond
	switch {
	case m.End:
		if f.End.For > 0 {
			f.End.For = max((f.End.For + by).Round(grain), grain)
		}
	case at.Moment == faults.NoMoment && at.Every == 0:
		at.At = max((at.At + by).Round(grain), 0)
	case at.Moment != faults.NoMoment: // not before the moment that it waits for
		at.After = max((at.After + by).Round(grain), 0)
	}
	*f = faults.Make(f.Number, f.Spec(), f.Args, at, f.End)
	return nil
}

// Kind is a fault of the palette.
type Kind struct {
	Name   string
	Text   string // on the page, in English
	OnWire bool   // it is dropped on a message
	verb   string
	value  string // of the verb; "" for the node in whose lane it is dropped
	by     time.Duration
	length time.Duration // 0: it is over at once
}

// Palette are the faults that can be dropped: on a node, then on a message.
var Palette = []Kind{
	{Name: "clock", Text: "clock steps", verb: "jump-clock", by: 5 * time.Second},
	{Name: "crash", Text: "crash", verb: "crash"},
	{Name: "cut-off", Text: "cut off", verb: "partition", length: 5 * time.Second},
	{Name: "fail-over", Text: "failover", verb: "fail-over", value: "operator"},
	{Name: "pause", Text: "pause", verb: "pause", length: 5 * time.Second},
	{Name: "late-reply", Text: "late reply", verb: "delay", value: "reply", OnWire: true, by: 5 * time.Second},
	{Name: "late-request", Text: "late request", verb: "delay", value: "request", OnWire: true, by: 5 * time.Second},
	{Name: "lose-reply", Text: "lose reply", verb: "drop", value: "reply", OnWire: true},
	{Name: "lose-request", Text: "lose request", verb: "drop", value: "request", OnWire: true},
}

// lookup finds a fault of the palette; the zero Kind if there is none.
func lookup(name string) Kind {
	if k := each.Find(Palette, func(k *Kind) bool { return k.Name == name }); k != nil {
		return *k
	}
	return Kind{}
}

func (a *Add) apply(p *plan.Plan) error {
	k := lookup(a.Kind)
	switch {
	case k.verb == "":
		return fmt.Errorf("there is no fault %q", a.Kind)
	case k.OnWire && a.Command == "":
		return fmt.Errorf("this fault hits a message: drop it on an arrow of the diagram")
	}
	node := cmp.Or(a.Node, a.Client)
	args := faults.Args{Value: k.value}
	switch {
	case k.verb == "partition":
		args.Sides = [][]string{{node}, {faults.TheStore}}
		if !slices.Contains(p.Clients, node) {
			args.Sides[1] = p.Clients
		}
	case k.value == "":
		args.Value = node
	}
	if k.by > 0 {
		args.Durations = map[string]time.Duration{"by": k.by}
	}
	if k.verb == "fail-over" {
		needReplica(p)
	}
	add(p, k.verb, args, a.trigger(k), faults.End{For: k.length})
	return nil
}

func (a *Add) trigger(k Kind) faults.Trigger {
	if a.Command == "" {
		return faults.Trigger{At: (time.Duration(a.At) * time.Millisecond).Round(grain)}
	}
	moment := faults.AboutToSend
	switch {
	case k.OnWire:
	case a.Reply:
		moment = faults.HasReply
	default:
		moment = faults.Sends
	}
	return faults.Trigger{Moment: moment, Subject: a.Client, Command: a.Command, Nth: max(a.Nth, 1)}
}

// needReplica gives each store a replica, if it can have one.
func needReplica(p *plan.Plan) {
	p.SetReplicas(func(now int) int { return max(now, 1) })
}

// targets are the nodes of a run in whose lanes each fault of the palette can be dropped.
func targets(h *history.History, lock string) map[string][]string {
	var clients, servers, primaries []string
	for i, n := range h.Header.Nodes {
		switch h.Role(history.NodeID(i + 1)) {
		case history.RoleClient:
			clients = append(clients, n.Name)
		case history.RoleStore:
			servers = append(servers, n.Name)
		}
	}
	if v, _ := locks.Lookup(lock); len(servers) > 0 && v.Store != "" && v.Kind().Topology == store.Replicated {
		primaries = servers[:1]
	}
	all := map[string][]string{}
	for _, k := range Palette {
		switch {
		case k.OnWire, k.verb == "pause":
			all[k.Name] = clients
		case k.verb == "fail-over":
			all[k.Name] = primaries
		default:
			all[k.Name] = slices.Concat(clients, servers)
		}
	}
	return all
}

// nextMessage finds the message for a fault that hits messages and was dropped in a lane.
func (a *Add) nextMessage(h *timeline.Timeline) {
	_, arrows := messagesOf(h, say.English)
	for i, e := range h.Each(history.Sent) {
		m, ok := arrows[int(i)]
		if ok && m.Client == a.Node && e.At.Duration() >= time.Duration(a.At)*time.Millisecond {
			a.Client, a.Command, a.Nth = m.Client, m.Command, m.Nth
			return
		}
	}
}

// Message is one command of a client in a run, for which a fault can wait.
type Message struct {
	Client  string `json:"client"`
	Command string `json:"command"`
	Nth     int    `json:"nth"`
	Reply   bool   `json:"reply"`          // its reply instead of its request
	Text    string `json:"text,omitempty"` // for people
}

// mostMessages bounds the list of messages. A fault at a later one is dropped on the diagram.
const mostMessages = 40
