package checker

import (
	"maps"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// A fault has no part in the story when the lock cannot notice it:
//
//	2 - fault-began value=1      the replica stands still
//	3 A sent peer=S              clients ask the primary only, and it stays the primary
//
// One that hits servers alone has a part when from then on, or during a pause, a client asks the
// server that it hits, a server refuses a request, a command waits for replicas, or a replica takes
// over. Where the primary is hit, too, a replica of its shard may be missing. In a quorum each
// server has a part, since a write needs most of them. A step of a clock has none when other steps
// undo it before its node does anything, and a pause of a client has none when it is over well
// before the client starts, or goes on after a rest.
type parts struct {
	h      *history.History
	all    bool          // faults of servers have a part, but for those of other shards
	shard  int           // of the lock's key
	hit    map[int64]hit // by faults of servers that have none so far
	nodes  []doings
	has    map[int64]bool
	undone map[int64]bool
}

// doings is what has happened to a node, and whether it has noticed.
type doings struct {
	steps  []step           // of its clock, since it last did something
	busy   bool             // it is in a round
	thawed []*history.Event // the ends of its pauses
}

// hit is what a fault of servers has hit.
type hit struct {
	server history.NodeID // 0: the links between them
	until  int32          // the event with which a pause was over; 0: it is not, or the server is not as before
}

// atOnce is how soon a real client goes on at the latest when only a pause held it back.
const atOnce = 100 * time.Millisecond

type step struct {
	fault int64
	by    time.Duration
}

// partless says why faults that have begun have no part, by their numbers.
func partless(h *history.History) map[int64]say.Phrase {
	if len(h.Header.Faults) == 0 {
		return nil
	}
	p := parts{
		h: h, all: h.Header.Topology == "" || h.Header.Quorum(),
		hit: map[int64]hit{}, nodes: make([]doings, len(h.Header.Nodes)+1), has: map[int64]bool{}, undone: map[int64]bool{},
	}
	if i := slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Kind == history.Granted }); i >= 0 {
		p.shard = h.Shard(h.Events[i].Node)
	}
	for i := range h.Events {
		p.observe(int32(i), &h.Events[i])
	}
	why := map[int64]say.Phrase{}
	for _, n := range p.nodes {
		for _, e := range n.thawed {
			if !p.has[e.Value] {
				why[e.Value] = say.Text("it delayed nothing that its client did with this lock")
			}
		}
	}
	for number := range p.undone { // order: a set
		if !p.has[number] {
			why[number] = say.Text("its node did nothing for this lock until the clock was right again")
		}
	}
	for number := range p.hit { // order: a set
		why[number] = say.Text("no client of this lock asked a server that it hit, and no replica took over")
	}
	return why
}

func (p *parts) observe(i int32, e *history.Event) {
	if e.Kind == history.FaultBegan {
		if f, known := faults.Of(p.h.Fault(e.Value).Values); known {
			p.begin(e, &f)
		}
		return
	}
	if n := &p.nodes[e.Node]; !e.Kind.OfProcess() {
		p.acts(n, e)
	} else if e.Kind == history.Crashed {
		n.busy = false
	} else if e.Kind == history.Thawed && p.h.Role(e.Node) == history.RoleClient {
		n.thawed = append(n.thawed, e)
		p.has[e.Value] = p.has[e.Value] || n.busy
	}
	switch {
	case len(p.hit) == 0:
	case e.Kind == history.Thawed:
		if h, ok := p.hit[e.Value]; ok && h.until == 0 {
			p.hit[e.Value] = hit{h.server, i}
		}
	case e.Kind.OnWire() && p.asks(e):
		p.haveAll()
	case e.Kind == history.Promoted, e.Kind == history.Sent && p.h.Op(e.Text).Name == "WAIT",
		e.Kind == history.Executed && p.h.Answer(e.Text).Refused != "":
		for number := range p.hit { // order: a set
			p.has[number] = true
		}
		clear(p.hit)
	}
}

// acts notes that a node does something.
func (p *parts) acts(n *doings, e *history.Event) {
	for _, s := range n.steps {
		p.has[s.fault] = true
	}
	if k := len(n.thawed); k > 0 && e.At.Sub(n.thawed[k-1].At) < atOnce {
		p.has[n.thawed[k-1].Value] = true
	}
	n.steps = nil
	switch e.Kind {
	case history.Waits:
		n.busy = true
	case history.Released, history.NotHeld, history.ReleaseFailed, history.GaveUp, history.Finished:
		n.busy = false
	}
}

// haveAll notes that faults of servers have a part from now on, and so have those that began before.
func (p *parts) haveAll() {
	p.all = true
	maps.DeleteFunc(p.hit, func(_ int64, h hit) bool { return p.inShard(h.server) })
}

// inShard reports whether a server, or 0 for links, may keep the lock's entry.
func (p *parts) inShard(server history.NodeID) bool {
	return server == 0 || p.h.Role(server) != history.RoleStore || p.h.Shard(server) == p.shard
}

// asks notes a message of a server that was hit, and reports whether it is one of the lock's shard. A
// pause hits no request that was sent later, and no reply that was on its way.
func (p *parts) asks(e *history.Event) (inShard bool) {
	answered := e.Kind == history.Replied && history.Simulated(p.h.Header.Backend) // counts when it is executed
	maps.DeleteFunc(p.hit, func(_ int64, h hit) bool {
		paused := h.until == 0 || e.Cause >= 0 && e.Cause < h.until
		asked := h.server != 0 && (h.server == e.Node || h.server == e.Peer && !answered) && paused
		inShard = inShard || asked && p.inShard(h.server)
		return asked
	})
	return inShard
}

func (p *parts) begin(e *history.Event, f *faults.Fault) {
	spec := f.Spec()
	if spec.Promoter {
		p.haveAll()
	}
	if server, alone := p.hitsServers(e, f, &spec); alone && !p.has[e.Value] && !(p.all && p.inShard(server)) {
		p.hit[e.Value] = hit{server: server}
	}
	if spec.Name != "jump-clock" {
		return
	}
	n, off := &p.nodes[e.Node], time.Duration(0)
	n.steps = append(n.steps, step{e.Value, f.Args.Durations["by"]})
	for _, s := range n.steps {
		off += s.by
	}
	if off != 0 {
		return
	}
	for _, s := range n.steps {
		p.undone[s.fault] = true
	}
	n.steps = nil
}

// hitsServers returns the server that a fault hits, 0 when it is the links between them. It is not
// ok for a fault that hits anything else.
func (p *parts) hitsServers(began *history.Event, f *faults.Fault, spec *faults.Spec) (server history.NodeID, ok bool) {
	isServer := func(id history.NodeID) bool {
		return p.h.Role(id) == history.RoleStore || p.h.Role(id) == history.RoleSentinel
	}
	if server = began.Node; server == 0 {
		server = p.h.Node(f.Args.Choices["from"])
	}
	if server != 0 {
		return server, isServer(server)
	}
	ok = spec.Cuts() || spec.Replica && spec.Ends
	for _, side := range f.Args.Sides {
		for _, name := range side {
			group := name == faults.TheStore || name == faults.TheReplicas || name == faults.Sentinels || name == faults.ThePrimary
			ok = ok && (group || isServer(p.h.Node(name)))
		}
	}
	return 0, ok
}
