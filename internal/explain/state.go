package explain

import (
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/say"
	"lockstep/internal/world"
)

// together is how close two events of one client must be to be told in one
// sentence, and how late a message may be without being worth a sentence.
const together = 250 * time.Millisecond

// entry is what a server has stored for an owner.
type entry struct {
	key        history.TextID
	owner      history.NodeID
	from       history.Instant // when it was created
	set        history.Instant // when its time to live was last set
	end        history.Instant // 0: it has no end
	renewals   int             // by its owner, that have not been told
	replicated bool            // a replica has it as well
	inRedis    bool            // on a server that sets an end to an entry by itself
}

// client is what the teller knows about a client.
type client struct {
	believes  bool
	since     history.Instant // of the belief, or of the last one
	waits     bool            // is trying to acquire
	releasing bool
	lost      bool  // was told that the lock is lost, and has not got it again
	failed    bool  // its failed attempt has been told
	lastWire  int32 // its last message
}

// teller walks through a history and keeps the state that sentences speak of.
type teller struct {
	h        *history.History
	breaks   map[int32][]breach
	progress bool // progress is broken: the final quiet period is part of the story
	clients  []client
	entries  [][]entry      // by node
	serving  []bool         // by node: a server that clients talk to
	standby  []bool         // by node: a replica that has not been promoted yet
	down     []bool         // by node: a process that has died
	frozen   []bool         // by node: a process that stands still
	involved []bool         // by node: a server that has the lock's entry at some time, or would have if it were not lost
	sharded  bool           // some node has sent a client away, as only a Redis Cluster does
	cluster  history.NodeID // the member that stands for all of a cluster; 0 without one
	stores   int            // how many stores the header lists
	grants   bool           // the history shows what the stores do
	drops    []int64        // numbers of drop faults that have begun and not been seen to act
	foreign  []bool         // by node: its command on another's entry has been told
}

func newTeller(h *history.History, findings []checker.Finding) *teller {
	n := len(h.Header.Nodes) + 1
	t := &teller{
		h: h, breaks: anchors(h, findings),
		clients: make([]client, n), entries: make([][]entry, n),
		serving: make([]bool, n), standby: make([]bool, n), down: make([]bool, n), frozen: make([]bool, n), foreign: make([]bool, n), involved: make([]bool, n), cluster: clusterOf(h),
	}
	for i := range t.clients {
		t.clients[i].lastWire = history.NoCause
	}
	for _, f := range findings {
		t.progress = t.progress || (f.Property == checker.ProgressID && f.Verdict == checker.Broken)
	}
	for _, node := range h.Header.Nodes {
		if node.Role == history.RoleStore {
			t.stores++
		}
	}
	for i := range h.Events {
		switch e := &h.Events[i]; e.Kind {
		case history.Promoted, history.Replicated:
			t.standby[t.place(e.Node)] = !t.serving[t.place(e.Node)]
			t.involve(e)
		case history.Granted:
			t.grants = true
			t.involve(e)
			t.serving[t.place(e.Node)] = !t.standby[t.place(e.Node)]
		case history.Replied:
			t.sharded = t.sharded || world.Answer(h.Text(e.Text)).SentAway()
		case history.Executed:
			if h.Role(e.Node) == history.RoleStore && !t.standby[t.place(e.Node)] && !world.Answer(h.Text(e.Text)).SentAway() {
				t.serving[t.place(e.Node)] = true
			}
		}
	}
	return t
}

// involve notes which servers have to do with the lock. A primary's successor does, too.
func (t *teller) involve(e *history.Event) {
	if e.Kind != history.Promoted || t.involved[t.place(e.Peer)] {
		t.involved[t.place(e.Node)] = true
	}
}

// ofAnotherShard reports whether a server that is promoted serves other keys than that
// of the lock, as most nodes of a Redis Cluster do.
func (t *teller) ofAnotherShard(e *history.Event) bool {
	return t.grants && t.sharded && !t.involved[t.place(e.Node)]
}

// node maps an id that the header does not know to nobody, so that a damaged
// history is told badly instead of not at all.
func (t *teller) node(id history.NodeID) history.NodeID {
	if int(id) >= len(t.clients) {
		return 0
	}
	return id
}

func (t *teller) client(id history.NodeID) *client { return &t.clients[t.node(id)] }

// find returns the entry of an owner on a server under a key, or nil.
func (t *teller) find(server, owner history.NodeID, key history.TextID) *entry {
	list := t.entries[t.place(server)]
	for i := range list {
		if list[i].owner == owner && list[i].key == key {
			return &list[i]
		}
	}
	return nil
}

// original returns the entry that a replica has copied, or nil. Not every server says from whom.
func (t *teller) original(e *history.Event) *entry {
	for place := range t.entries {
		id := history.NodeID(place)
		if id != t.place(e.Node) && (id == t.place(e.Peer) || e.Peer == 0) {
			if held := t.find(id, e.Owner, e.Text); held != nil {
				return held
			}
		}
	}
	return nil
}

// held returns the entry of an owner on any server that serves, or nil.
func (t *teller) held(owner history.NodeID) *entry {
	for node := range t.entries {
		if !t.serving[node] {
			continue
		}
		for i := range t.entries[node] {
			if t.entries[node][i].owner == owner {
				return &t.entries[node][i]
			}
		}
	}
	return nil
}

func (t *teller) drop(server, owner history.NodeID, key history.TextID) {
	list := t.entries[t.place(server)]
	for i := range list {
		if list[i].owner == owner && list[i].key == key {
			t.entries[t.place(server)] = append(list[:i], list[i+1:]...)
			return
		}
	}
}

// dropKey removes whatever a server has under a key.
func (t *teller) dropKey(node history.NodeID, key history.TextID) {
	kept := t.entries[node][:0]
	for _, e := range t.entries[node] {
		if e.key != key {
			kept = append(kept, e)
		}
	}
	t.entries[node] = kept
}

// before notes what the sentences about an event need to see as already done.
func (t *teller) before(e *history.Event) {
	// A primary that lives on serves the clients that still talk to it.
	if e.Kind == history.Promoted && e.Peer != 0 && t.down[t.node(e.Peer)] {
		t.serving[t.place(e.Peer)] = t.inCluster(e.Peer)
	}
}

// apply moves the state past an event.
func (t *teller) apply(index int32, e *history.Event) {
	c := t.client(e.Node)
	switch e.Kind {
	case history.Waits:
		c.waits, c.releasing, c.failed = true, false, false
	case history.Acquired:
		c.believes, c.since, c.waits, c.failed, c.lost = true, e.At, false, false, false
	case history.AcquireFailed:
		c.failed = true
	case history.GaveUp, history.Finished, history.Released, history.NotHeld, history.ReleaseFailed:
		c.waits, c.releasing = false, false
	case history.LostLease:
		c.believes, c.lost = false, true
	case history.Releasing:
		c.believes, c.releasing = false, true
	case history.Crashed:
		c.believes, c.waits, c.releasing = false, false, false
		t.down[t.node(e.Node)], t.frozen[t.node(e.Node)] = true, false
	case history.Restarted:
		t.down[t.node(e.Node)] = false
	case history.Froze, history.Thawed:
		t.frozen[t.node(e.Node)] = e.Kind == history.Froze
	case history.Demoted:
		t.serving[t.place(e.Node)], t.standby[t.place(e.Node)] = false, true
	case history.Sent, history.Replied, history.TimedOut, history.RequestDropped:
		c.lastWire = index
	case history.Executed:
		t.client(e.Peer).lastWire = index
	case history.Promoted:
		t.promote(e)
	default:
		t.applyGrant(e)
	}
}

func (t *teller) applyGrant(e *history.Event) {
	node := t.place(e.Node)
	switch e.Kind {
	case history.Granted:
		t.dropKey(node, e.Text) // what was there is gone, even if nobody saw it go
		t.entries[node] = append(t.entries[node], entry{
			key: e.Text, owner: e.Owner, from: e.At, set: e.At, end: endOf(e), inRedis: plan.InRedis(t.name(e.Node)),
		})
	case history.Replicated:
		copied := entry{key: e.Text, owner: e.Owner, from: e.At, set: e.At, end: endOf(e), inRedis: plan.InRedis(t.name(e.Node))}
		if original := t.original(e); original != nil {
			original.replicated = true
			copied = *original
		}
		t.dropKey(node, e.Text) // of another owner, too: its end came before anybody saw it
		t.entries[node] = append(t.entries[node], copied)
	case history.Extended:
		if held := t.find(node, e.Owner, e.Text); held != nil {
			held.set, held.end = e.At, endOf(e)
		}
	case history.Removed, history.Expired, history.Forgotten:
		t.drop(node, e.Owner, e.Text)
		for other := range t.entries { // a replica follows; when, the history does not say
			if t.standby[other] {
				t.drop(history.NodeID(other), e.Owner, e.Text)
			}
		}
	}
}

// promote makes a replica the server that clients talk to. Copies whose time was
// up are dropped in silence, as the server itself does.
func (t *teller) promote(e *history.Event) {
	node := t.place(e.Node)
	t.standby[node], t.serving[node] = false, !t.ofAnotherShard(e)
	live := t.entries[node][:0]
	for _, held := range t.entries[node] {
		if held.end == 0 || held.end > e.At {
			live = append(live, held)
		}
	}
	t.entries[node] = live
}

func endOf(e *history.Event) history.Instant {
	if e.Value <= 0 {
		return 0
	}
	return e.At.Add(time.Duration(e.Value))
}

// product is the software of the servers.
func (t *teller) product() say.Product {
	for _, n := range t.h.Header.Nodes {
		if n.Role == history.RoleStore {
			return say.Product(n.Name)
		}
	}
	return ""
}

// beliefs says what the clients believe and what the store has, and whether the
// two come apart.
func (t *teller) beliefs() (belief, store say.Phrase, apart bool) {
	var believers []history.NodeID
	for id := range t.clients {
		if t.clients[id].believes {
			believers = append(believers, history.NodeID(id))
		}
	}
	switch {
	case len(believers) == 0:
		belief = say.NobodyBelieves.With()
	case len(believers) == 1:
		belief = say.Believes.With(say.Name(t.name(believers[0])))
	case len(believers) > 4:
		belief = say.ManyBelieve.With(say.Number(len(believers)))
	default:
		belief = say.Believe.With(t.names(believers))
	}
	if !t.grants {
		return belief, nothing, len(believers) > 1
	}
	owners, counts := t.owners()
	switch {
	case t.allDown():
		return belief, say.StoreIsDown.With(t.product()), len(believers) > 0
	case len(owners) == 0:
		store = say.StoreHasNobody.With(t.product())
	case len(owners) == 1 && counts[0] == t.servers():
		store = say.StoreHas.With(t.product(), say.Name(t.name(owners[0])))
	default:
		shares := make(say.Shares, len(owners))
		for i, o := range owners {
			shares[i] = say.Share{Name: say.Name(t.name(o)), Has: counts[i], Of: t.servers()}
		}
		store = say.StoresHave.With(shares)
	}
	agree := len(owners) == len(believers) && (len(owners) == 0 || owners[0] == believers[0])
	return belief, store, !agree || len(believers) > 1
}

// owners returns who has an entry on the serving servers, and on how many.
func (t *teller) owners() (owners []history.NodeID, counts []int) {
	for node := range t.entries {
		if !t.serving[node] || t.lost(node) || len(t.entries[node]) == 0 {
			continue
		}
		owner, seen := t.entries[node][0].owner, false
		for i := range owners {
			if owners[i] == owner {
				counts[i]++
				seen = true
			}
		}
		if !seen {
			owners, counts = append(owners, owner), append(counts, 1)
		}
	}
	return owners, counts
}

// allDown reports whether no server is left that serves.
func (t *teller) allDown() bool {
	for node := range t.serving {
		if t.serving[node] && !t.lost(node) {
			return false
		}
	}
	return true
}

func (t *teller) servers() int {
	n := 0
	for _, s := range t.serving {
		if s {
			n++
		}
	}
	return n
}
