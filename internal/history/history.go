// Package history is the vocabulary of lockstep: what happened in one run, in
// true time, as a flat list of events.
//
// Checkers, explainers and reports see nothing of a run but its history. It keeps apart what
// clients believe (Acquired to Releasing), what servers grant (Granted to Expired or Removed), and
// what the resource has accepted (WriteAccepted).
//
// The package imports no other of this module but jsonline, so that a newer checker can judge an
// old history.
package history

import (
	"fmt"
	"slices"
	"time"
)

// Instant is true time: nanoseconds since the start of the run. Nothing inside
// the world can read it; clients and servers have clocks of their own.
type Instant int64

// Duration returns the time since the start of the run.
func (i Instant) Duration() time.Duration { return time.Duration(i) }

// Add returns the instant d later.
func (i Instant) Add(d time.Duration) Instant { return i + Instant(d) }

// Sub returns i - j.
func (i Instant) Sub(j Instant) time.Duration { return time.Duration(i - j) }

// String formats the instant as seconds with three decimals and a unit.
func (i Instant) String() string {
	sign := ""
	if i < 0 {
		sign, i = "-", -i
	}
	ms := (int64(i) + 500_000) / 1_000_000
	return fmt.Sprintf("%s%d.%03d s", sign, ms/1000, ms%1000)
}

// NodeID names a node of a history: an index into Header.Nodes plus one.
// Zero means no node.
type NodeID uint16

// Role says what a node is.
type Role string

// The roles of nodes.
const (
	RoleClient   Role = "client"   // a process that wants the lock
	RoleProbe    Role = "probe"    // the client that tries the lock in the final quiet period
	RoleStore    Role = "store"    // a server that keeps lock entries
	RoleSentinel Role = "sentinel" // a process that watches over the servers and promotes a replica
	RoleResource Role = "resource" // what the lock guards
)

// Node is one participant of the run.
type Node struct {
	Name string `json:"name"`
	Role Role   `json:"role"`
}

// Fault is one planned fault, as the header of a history lists it.
type Fault struct {
	Number int    `json:"number"` // 1-based, in the order of the scenario file
	Verb   string `json:"verb"`
	Text   string `json:"text"` // one phrase: "pause A for 15 s when A is in its critical section"
	// Values say the same as Text. The hash leaves them out.
	Values Values `json:"values,omitempty"`
	Drawn  bool   `json:"drawn,omitempty"` // at random, so it need not have had an effect
	Line   int    `json:"line,omitempty"`  // the number of the Header.Lines that it was drawn from
	// Sides are the sides of a partition or a cut, by the names and groups of the scenario. The
	// hash leaves them out: Text has them.
	Sides [][]string `json:"sides,omitempty"`
}

// Values are a fault as JSON, from which package faults tells it in any language: its verb with the
// arguments, its trigger and its end. "" in older histories.
type Values string

// Header says what the run was about. A stored history can be judged by it, without the scenario.
type Header struct {
	Schema   int           `json:"schema"`
	Scenario string        `json:"scenario"`
	Lock     string        `json:"lock"`
	Seed     uint64        `json:"seed"`
	Backend  string        `json:"backend"`   // sim, process, docker, compose, bubble
	ScalePPM int64         `json:"scale_ppm"` // all durations of the scenario were multiplied by this / 1e6
	Lease    time.Duration `json:"lease_ns"`  // the lease asked for, after scaling
	Fence    string        `json:"fence"`     // none, writes, reads and writes
	Nodes    []Node        `json:"nodes"`
	Faults   []Fault       `json:"faults"`
	// Store is the product that the servers run: "ZooKeeper". Topology is "replicated",
	// "independent" or "quorum", see store.Topology; "" in a log from elsewhere. Expires: the store
	// can set an end to an entry. AtOnce: no server keeps a request waiting. Shards: how many a Redis
	// Cluster has; see Shard. The hash leaves these out.
	Store    string `json:"store,omitempty"`
	Topology string `json:"topology,omitempty"`
	Expires  bool   `json:"expires,omitempty"`
	AtOnce   bool   `json:"at_once,omitempty"`
	Shards   int    `json:"shards,omitempty"`
	// Drawn: all faults were drawn at random, a storm.
	Drawn bool `json:"drawn"`
	// What the world knows of a user's own lock. The hash leaves it out.
	Entry   Watched `json:"entry,omitempty"`    // how its entry was followed
	Keys    string  `json:"keys,omitempty"`     // the key that was followed, or those that it wrote, for people
	Alone   string  `json:"alone,omitempty"`    // the first client that took the lock without its servers
	AloneAt Instant `json:"alone_ns,omitempty"` // when it did
	// Lines are the faults of the scenario with a probability or a rate. Faults were drawn from
	// them, perhaps none.
	Lines []Line `json:"lines,omitempty"`
	// Asked are the properties besides the core ones for which the scenario has an expectation,
	// joined by commas. The hash leaves it out.
	Asked string `json:"asked,omitempty"`
}

// Line is a fault as the scenario lists it, before anything is drawn.
type Line struct {
	Number int    `json:"number"` // 1-based, in the order of the scenario file
	Text   string `json:"text"`
	Values Values `json:"values,omitempty"`
}

// Watched is how the entry of a user's own lock was followed.
type Watched string

// The ways; "" where the lock is one of lockstep's.
const (
	Followed   Watched = "followed"   // by its key
	Owned      Watched = "owned"      // the servers' records show which entries of other clients were removed
	Unfollowed Watched = "unfollowed" // its key is unknown
	Unread     Watched = "unread"     // neither requests nor records say whose entries were removed
)

// The worlds that a run is played in, as Header.Backend names them.
const (
	Sim     = "sim"     // simulated
	Process = "process" // real servers as child processes
	Docker  = "docker"  // real servers in containers
	Compose = "compose" // the real servers of docker-compose.yml
	Bubble  = "bubble"  // simulated servers, and a lock that is Go code of its own in virtual time
)

// Simulated reports whether the servers and the network of a backend are simulated.
func Simulated(backend string) bool { return backend == Sim || backend == Bubble }

// Quorum reports whether the servers agree on everything, so that all have the same entries.
func (h *Header) Quorum() bool { return h.Topology == "quorum" }

// HasEnd reports whether the stored history of this backend has an end line. A log from elsewhere
// has none: a part of it looks like the whole.
func (h *Header) HasEnd() bool {
	return slices.Contains([]string{Sim, Process, Docker, Compose, Bubble}, h.Backend)
}

// CurrentSchema is the version of the stored form.
const CurrentSchema = 2

// NoCause marks an event that no earlier event of the history caused.
const NoCause int32 = -1

// Event is one thing that happened. Which fields mean something depends on the
// kind; the comment of each Kind says so. Unused fields are zero (Cause: NoCause).
type Event struct {
	At    Instant // true time
	Clock int64   // what Node's own wall clock showed: nanoseconds since the epoch of the run; 0 when unknown
	Token int64   // fencing token, 0 when the lock hands out none
	Value int64   // see the kind
	Cause int32   // index of the event that caused this one, or NoCause
	Text  TextID  // interned text, see the kind
	Node  NodeID  // where it happened
	Peer  NodeID  // the other end, see the kind
	Owner NodeID  // for grants: whose entry it is
	Kind  Kind
}

// TextID names an interned text of a history. Zero is the empty text.
type TextID uint32

// History is one recorded run: a header and events in order of true time; ties
// are in the order in which they happened.
type History struct {
	Header Header
	Events []Event
	// Whole: nothing is missing at the end. The world sets it when the run is over, and the
	// stored form keeps it as a last line; see Header.HasEnd.
	Whole bool
	// OmitText leaves out the texts of events, for callers that do not read them.
	OmitText bool

	texts   []string
	ids     map[string]TextID
	letters letters // memory of the texts given as bytes
	bytes   int     // see TextBytes

	meant   []meaning // of texts
	ops     []Op
	answers []Answer

	milestones []int32 // see Milestones
	surveyed   int     // how many events milestones covers

	textUses []uint32 // scratch of Hash
	hashed   []byte   // the same
}

// New returns an empty history for the given header.
func New(h Header) *History {
	hist := &History{}
	hist.Reset(h)
	return hist
}

// Reset empties the history, keeping its buffers, and gives it a new header.
func (h *History) Reset(header Header) {
	header.Schema = CurrentSchema
	h.Header, h.Whole = header, false
	h.Events = h.Events[:0]
	h.milestones, h.surveyed = h.milestones[:0], 0
	h.texts, h.bytes = append(h.texts[:0], ""), 0
	h.meant = append(h.meant[:0], meaning{})
	h.ops, h.answers = append(h.ops[:0], Op{}, Op{}), append(h.answers[:0], Answer{}, Answer{})
	if h.ids == nil {
		h.ids = make(map[string]TextID, 64)
	} else {
		clear(h.ids)
	}
	h.ids[""] = 0
}

// Add appends an event and returns its index, to be a later event's Cause.
func (h *History) Add(e Event) int32 {
	h.Events = append(h.Events, e)
	return int32(len(h.Events) - 1)
}

// GrowOnce makes room for most events once there are some: growing step by step would leave several
// times as much garbage, and unused room costs address space only.
func (h *History) GrowOnce(some, most int) {
	if len(h.Events) >= some && cap(h.Events) < most {
		h.Events = slices.Grow(h.Events, most-len(h.Events))
	}
}

// CutAt drops all but the first n events, which must exist, and ends the history with a CutShort
// that says why.
func (h *History) CutAt(n int, why string) {
	h.Events = h.Events[:n]
	h.milestones, h.surveyed = h.milestones[:0], 0
	h.Add(Event{Kind: CutShort, At: h.End(), Text: h.Intern(why), Cause: NoCause})
	h.Whole = true
}

// WhyCutShort returns why the history was cut short; "" when it was not, or does not say why.
func (h *History) WhyCutShort() string {
	if n := len(h.Events); n > 0 && h.Events[n-1].Kind == CutShort {
		return h.Text(h.Events[n-1].Text)
	}
	return ""
}

// Milestones returns the indices of all events that are not messages on the wire, in order: most
// checkers need no others. The slice is valid until the next event is added.
func (h *History) Milestones() []int32 {
	if h.surveyed > len(h.Events) {
		h.milestones, h.surveyed = h.milestones[:0], 0
	}
	milestones, events := h.milestones, h.Events
	for i := h.surveyed; i < len(events); i++ {
		if !events[i].Kind.OnWire() {
			milestones = append(milestones, int32(i))
		}
	}
	h.milestones, h.surveyed = milestones, len(events)
	return milestones
}

// Intern returns the id of a text, the same id for the same text.
func (h *History) Intern(text string) TextID {
	if text == "" || h.OmitText {
		return 0
	}
	if id, ok := h.ids[text]; ok {
		return id
	}
	return h.addText(text)
}

// InternBytes is Intern for a text in a buffer; it allocates only for a new text.
func (h *History) InternBytes(text []byte) TextID {
	if h.OmitText {
		return 0
	}
	if id, ok := h.ids[string(text)]; ok {
		return id
	}
	return h.addText(h.letters.keep(text))
}

func (h *History) addText(text string) TextID {
	id := TextID(len(h.texts))
	h.texts, h.meant = append(h.texts, text), append(h.meant, meaning{})
	h.bytes += len(text) + textOverhead
	h.ids[text] = id
	return id
}

// textOverhead is about the memory that a text takes besides its bytes: two string headers, an id,
// and spare room in a map and a list.
const textOverhead = 96

// TextBytes is about how much memory the interned texts take.
func (h *History) TextBytes() int { return h.bytes }

// Text returns an interned text; the empty string for an unknown id.
func (h *History) Text(id TextID) string {
	if int(id) >= len(h.texts) {
		return ""
	}
	return h.texts[id]
}

// Fault returns the fault of a number; an empty one for an unknown number.
func (h *History) Fault(number int64) *Fault {
	for i := range h.Header.Faults {
		if f := &h.Header.Faults[i]; int64(f.Number) == number {
			return f
		}
	}
	return &Fault{}
}

// Name returns a node's name, or "nobody".
func (h *History) Name(id NodeID) string {
	if id == 0 || int(id) > len(h.Header.Nodes) {
		return "nobody"
	}
	return h.Header.Nodes[id-1].Name
}

// Role returns a node's role, or "" for no node.
func (h *History) Role(id NodeID) Role {
	if id == 0 || int(id) > len(h.Header.Nodes) {
		return ""
	}
	return h.Header.Nodes[id-1].Role
}

// NodesOf lists the nodes of a role, in the order of the header.
func (h *History) NodesOf(role Role) (ids []NodeID) {
	for i, n := range h.Header.Nodes {
		if n.Role == role {
			ids = append(ids, NodeID(i+1))
		}
	}
	return ids
}

// Shard returns which shard of a Redis Cluster a server belongs to, counted from 0. The n-th server
// is one of shard n mod Shards, see plan.Servers. It is 0 for all nodes where there are no shards.
func (h *History) Shard(id NodeID) int {
	if h.Header.Shards == 0 {
		return 0
	}
	n := 0
	for i := NodeID(1); i < id; i++ {
		if h.Role(i) == RoleStore {
			n++
		}
	}
	return n % h.Header.Shards
}

// Node returns the id of the node with that name, or 0.
func (h *History) Node(name string) NodeID {
	for i, n := range h.Header.Nodes {
		if n.Name == name {
			return NodeID(i + 1)
		}
	}
	return 0
}

// End returns the instant of the last event, 0 for an empty history.
func (h *History) End() Instant {
	if len(h.Events) == 0 {
		return 0
	}
	return h.Events[len(h.Events)-1].At
}
