package playground

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/store"
	"lockstep/internal/timeline"
)

// Edit is one change of the scenario. An edit says everything that it needs, so that of the many
// edits of a drag only the last one has to be played.
type Edit struct {
	Open  string `json:"open,omitempty"`  // instead of it: a scenario file's text
	Story string `json:"story,omitempty"` // instead of it: a shipped story, by name

	Control string   `json:"control,omitempty"` // a slider, by its id ...
	Index   int      `json:"index,omitempty"`   // ... and where it stands
	Locks   []string `json:"locks,omitempty"`   // these locks
	Seed    string   `json:"seed,omitempty"`    // in decimal
	Fence   string   `json:"fence,omitempty"`   // what the resource checks
	Lease   int64    `json:"lease,omitempty"`   // ms that the lease is longer
	Move    *Move    `json:"move,omitempty"`
	Add     *Add     `json:"add,omitempty"`
	Remove  int      `json:"remove,omitempty"` // the number of a fault
}

// Move drags a fault along the time, or its end.
type Move struct {
	Fault int   `json:"fault"` // its number
	End   bool  `json:"end"`   // only its end: it lasts longer
	By    int64 `json:"by"`    // ms
}

// Add puts a fault at an instant in the lane of a node, or at a message. One that hits a message may be
// put into the lane of a client: then it is the next message that the client sends.
type Add struct {
	Kind    string `json:"kind"` // see palette
	Node    string `json:"node"` // in whose lane; "" on a message: that of its client
	At      int64  `json:"at"`   // ms
	Client  string `json:"client"`
	Command string `json:"command"` // the message that it was dropped on; "" for none
	Nth     int    `json:"nth"`
	Reply   bool   `json:"reply"` // its reply rather than its request
}

func (e *Edit) empty() bool {
	return e.Control == "" && e.Locks == nil && e.Seed == "" && e.Fence == "" && e.Lease == 0 && e.Move == nil && e.Add == nil && e.Remove == 0
}

// grain is what dragged times are rounded to.
const grain = 50 * time.Millisecond

// leastLease is the shortest lease that can be dragged.
const leastLease = 500 * time.Millisecond

// apply changes the plan. The changed plan is checked when its text is read again.
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
		p.Faults = slices.DeleteFunc(p.Faults, func(f faults.Fault) bool { return f.Number == e.Remove })
		p.Chaos = nil // of a storm its other faults stay
	}
	return nil
}

func (m *Move) apply(p *plan.Plan) error {
	i := slices.IndexFunc(p.Faults, func(f faults.Fault) bool { return f.Number == m.Fault })
	if i < 0 {
		return fmt.Errorf("there is no fault %d", m.Fault)
	}
	f, by := p.Faults[i], time.Duration(m.By)*time.Millisecond
	at := f.Trigger
	switch {
	case m.End:
		if f.End.For > 0 {
			f.End.For = max((f.End.For + by).Round(grain), grain)
		}
	case at.Moment == faults.NoMoment && at.Every == 0:
		at.At = max((at.At + by).Round(grain), 0)
	case at.Moment != faults.NoMoment: // never before what it waits for
		at.After = max((at.After + by).Round(grain), 0)
	}
	p.Faults[i] = faults.Make(f.Number, f.Spec(), f.Args, at, f.End)
	return nil
}

// kind is a fault of the palette.
type kind struct {
	verb   string
	value  string // of the verb; "" for the node in whose lane it is dropped
	onWire bool   // it is dropped on a message
	by     time.Duration
	length time.Duration // 0: it is over at once
}

// palette are the faults that can be dropped, by what the page calls them.
var palette = map[string]kind{
	"pause":        {verb: "pause", length: 5 * time.Second},
	"crash":        {verb: "crash"},
	"cut-off":      {verb: "partition", length: 5 * time.Second},
	"clock":        {verb: "jump-clock", by: 5 * time.Second},
	"fail-over":    {verb: "fail-over", value: "operator"},
	"lose-request": {verb: "drop", value: "request", onWire: true},
	"lose-reply":   {verb: "drop", value: "reply", onWire: true},
	"late-request": {verb: "delay", value: "request", onWire: true, by: 5 * time.Second},
	"late-reply":   {verb: "delay", value: "reply", onWire: true, by: 5 * time.Second},
}

// Palette lists what can be dropped: first what hits a node, then what hits a message.
func Palette() []string {
	names := slices.Sorted(maps.Keys(palette))
	slices.SortStableFunc(names, func(a, b string) int { return order(palette[a].onWire) - order(palette[b].onWire) })
	return names
}

// OnMessage reports whether a fault of the palette hits a message and no node.
func OnMessage(name string) bool { return palette[name].onWire }

func order(later bool) int {
	if later {
		return 1
	}
	return 0
}

func (a *Add) apply(p *plan.Plan) error {
	k, ok := palette[a.Kind]
	switch {
	case !ok:
		return fmt.Errorf("there is no fault %q", a.Kind)
	case k.onWire && a.Command == "":
		return fmt.Errorf("this fault hits a message: drop it on an arrow of the diagram")
	}
	node := a.Node
	if node == "" {
		node = a.Client
	}
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
	spec, _ := faults.Lookup(k.verb)
	p.Chaos = nil // what it has drawn stays
	p.Faults = append(p.Faults, faults.Make(nextNumber(p), spec, args, a.trigger(k), faults.End{For: k.length}))
	return nil
}

func (a *Add) trigger(k kind) faults.Trigger {
	if a.Command == "" {
		return faults.Trigger{At: (time.Duration(a.At) * time.Millisecond).Round(grain)}
	}
	moment := faults.AboutToSend // of both halves, and of none
	switch {
	case k.onWire:
	case a.Reply:
		moment = faults.HasReply
	default:
		moment = faults.Sends
	}
	return faults.Trigger{Moment: moment, Subject: a.Client, Command: a.Command, Nth: max(a.Nth, 1)}
}

func nextNumber(p *plan.Plan) int {
	most := 0
	for _, f := range p.Faults {
		most = max(most, f.Number)
	}
	return most + 1
}

// needReplica gives the stores that can have one a replica.
func needReplica(p *plan.Plan) {
	p.SetReplicas(func(now int) int { return max(now, 1) })
}

// targets are the nodes of a run into whose lanes each fault of the palette can be put.
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
	for name, k := range palette { // order: none, a map again
		switch {
		case k.onWire, k.verb == "pause":
			all[name] = clients
		case k.verb == "fail-over":
			all[name] = primaries
		default:
			all[name] = append(slices.Clone(clients), servers...)
		}
	}
	return all
}

// nextMessage finds the message that a fault means which hits messages, and was put into a lane.
func (a *Add) nextMessage(h *timeline.Timeline) {
	counts := map[string]int{}
	for _, e := range h.Each(history.Sent) {
		if h.Name(e.Node) != a.Node || h.Role(e.Node) != history.RoleClient {
			continue
		}
		name := h.Op(e.Text).Name
		if name == "" {
			continue
		}
		counts[name]++
		if e.At.Duration() >= time.Duration(a.At)*time.Millisecond {
			a.Client, a.Command, a.Nth = a.Node, name, counts[name]
			return
		}
	}
}

// Message is one command of a client in a run, as a fault can wait for it.
type Message struct {
	Client  string `json:"client"`
	Command string `json:"command"`
	Nth     int    `json:"nth"`
	Reply   bool   `json:"reply"`          // its reply rather than its request
	Text    string `json:"text,omitempty"` // for people
}

// mostMessages is how many are listed: who wants a later one drops its fault on the diagram.
const mostMessages = 40
