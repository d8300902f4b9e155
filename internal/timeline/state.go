package timeline

import (
	"slices"
	"time"

	"lockstep/internal/history"
)

// Held is what a server has stored for an owner.
type Held struct {
	Key             history.TextID
	Owner           history.NodeID
	From            history.Instant // when it was created
	End             history.Instant // 0: it has no end
	PendingRenewals int             // renewals by its owner without a step of the story so far
	Replicated      bool            // a replica has it, too
}

// Client is the state of a client.
type Client struct {
	Believes  bool
	Since     history.Instant // of the belief, or of the previous one
	Waits     bool            // is trying to acquire
	Asked     history.Instant // when that began, or began last
	Releasing bool
	Lost      bool  // was told that the lock is lost, and has not acquired again
	Failed    bool  // an attempt in this wait has failed
	LastWire  int32 // its last message
}

// State is the state between two events. Its lists are indexed by NodeID, Entries by Place.
type State struct {
	Clients []Client
	Entries [][]Held
	Serving []bool // servers that clients talk to
	Standby []bool // replicas that have not been promoted
	Down    []bool // dead processes
	Frozen  []bool // frozen processes
	Grants  bool   // the history has the servers' entries
	Stores  int    // how many servers the header lists

	t        *Timeline
	involved []bool // servers that have the lock's entry at some time, or would have if it were not lost
	sharded  bool   // some node has redirected a client, as only a Redis Cluster does
}

// Begin returns the state before the first event. Which servers are replicas follows from later
// events.
func (t *Timeline) Begin() *State {
	n := len(t.Header.Nodes) + 1
	s := &State{
		t: t, Clients: make([]Client, n), Entries: make([][]Held, n), involved: make([]bool, n),
		Serving: make([]bool, n), Standby: make([]bool, n), Down: make([]bool, n), Frozen: make([]bool, n),
		Stores: len(t.NodesOf(history.RoleStore)),
	}
	for i := range s.Clients {
		s.Clients[i].LastWire = history.NoCause
	}
	for _, e := range t.Each(history.Promoted, history.Replicated, history.Granted, history.Replied, history.Executed) {
		place := t.Place(e.Node)
		switch e.Kind {
		case history.Promoted, history.Replicated:
			s.Standby[place] = !s.Serving[place]
			s.involve(e)
		case history.Granted:
			s.Grants = true
			s.involve(e)
			s.Serving[place] = !s.Standby[place]
		case history.Replied:
			s.sharded = s.sharded || t.Answer(e.Text).Redirected
		case history.Executed:
			if t.Role(e.Node) == history.RoleStore && !s.Standby[place] && !t.Answer(e.Text).Redirected {
				s.Serving[place] = true
			}
		}
	}
	return s
}

// involve marks a server as one that has the lock's entry. So has the successor of such a primary.
func (s *State) involve(e *history.Event) {
	if e.Kind != history.Promoted || s.involved[s.t.Place(e.Peer)] {
		s.involved[s.t.Place(e.Node)] = true
	}
}

// OfAnotherShard reports whether a promoted server of a Redis Cluster does not serve the lock's
// key.
func (s *State) OfAnotherShard(e *history.Event) bool {
	return s.Grants && s.sharded && !s.involved[s.t.Place(e.Node)]
}

// node maps an unknown id to 0.
func (s *State) node(id history.NodeID) history.NodeID {
	if int(id) >= len(s.Clients) {
		return 0
	}
	return id
}

// Client returns the state of a client.
func (s *State) Client(id history.NodeID) *Client { return &s.Clients[s.node(id)] }

// IsDown reports whether a process is dead, StandsStill whether it is frozen, and StandsBy whether
// a server is a replica.
func (s *State) IsDown(id history.NodeID) bool      { return s.Down[s.node(id)] }
func (s *State) StandsStill(id history.NodeID) bool { return s.Frozen[s.node(id)] }
func (s *State) StandsBy(id history.NodeID) bool    { return s.Standby[s.node(id)] }

// Find returns the entry of an owner on a server under a key, or nil.
func (s *State) Find(server, owner history.NodeID, key history.TextID) *Held {
	list := s.Entries[s.t.Place(server)]
	for i := range list {
		if list[i].Owner == owner && list[i].Key == key {
			return &list[i]
		}
	}
	return nil
}

// original returns the entry that a replica has copied, or nil. Peer may be unknown.
func (s *State) original(e *history.Event) *Held {
	for place := range s.Entries {
		id := history.NodeID(place)
		if id != s.t.Place(e.Node) && (id == s.t.Place(e.Peer) || e.Peer == 0) {
			if held := s.Find(id, e.Owner, e.Text); held != nil {
				return held
			}
		}
	}
	return nil
}

// Held returns the entry of an owner on a serving server that runs, or nil: of two primaries, that
// on the one that made it last. Of independent servers it is the first one.
func (s *State) Held(owner history.NodeID) (newest *Held) {
	for place, list := range s.Entries {
		i := slices.IndexFunc(list, func(h Held) bool { return h.Owner == owner })
		switch {
		case i < 0 || !s.Serving[place] || s.Lost(place):
		case newest == nil, s.t.Header.Topology == "replicated" && list[i].From > newest.From:
			newest = &list[i]
		}
	}
	return newest
}

// Lost reports whether the entries of a place are out of reach. Those of a quorum outlive its
// members.
func (s *State) Lost(place int) bool {
	return s.Down[place] && !s.t.InCluster(history.NodeID(place))
}

func (s *State) drop(server, owner history.NodeID, key history.TextID) {
	list := &s.Entries[s.t.Place(server)]
	*list = slices.DeleteFunc(*list, func(h Held) bool { return h.Owner == owner && h.Key == key })
}

// put puts an entry in the place of any other with its key, whose end may have no event.
func (s *State) put(place history.NodeID, held Held) {
	others := slices.DeleteFunc(s.Entries[place], func(h Held) bool { return h.Key == held.Key })
	s.Entries[place] = append(others, held)
}

// Before makes the changes that sentences about the event already take into account.
func (s *State) Before(e *history.Event) {
	// A replaced primary that is alive goes on to serve.
	if e.Kind == history.Promoted && e.Peer != 0 && s.IsDown(e.Peer) {
		s.Serving[s.t.Place(e.Peer)] = s.t.InCluster(e.Peer)
	}
}

// Apply moves the state past an event.
func (s *State) Apply(index int32, e *history.Event) {
	c := s.Client(e.Node)
	switch e.Kind {
	case history.Waits:
		c.Waits, c.Asked, c.Releasing, c.Failed = true, e.At, false, false
	case history.Acquired:
		c.Believes, c.Since, c.Waits, c.Failed, c.Lost = true, e.At, false, false, false
	case history.AcquireFailed:
		c.Failed = true
	case history.GaveUp, history.Finished, history.Released, history.NotHeld, history.ReleaseFailed:
		c.Waits, c.Releasing = false, false
	case history.LostLease:
		c.Believes, c.Lost = false, true
	case history.Releasing:
		c.Believes, c.Releasing = false, true
	case history.Crashed:
		c.Believes, c.Waits, c.Releasing = false, false, false
		s.Down[s.node(e.Node)], s.Frozen[s.node(e.Node)] = true, false
	case history.Restarted:
		s.Down[s.node(e.Node)] = false
	case history.Froze, history.Thawed:
		s.Frozen[s.node(e.Node)] = e.Kind == history.Froze
	case history.Demoted:
		s.Serving[s.t.Place(e.Node)], s.Standby[s.t.Place(e.Node)] = false, true
	case history.Sent, history.Replied, history.TimedOut, history.RequestDropped:
		c.LastWire = index
	case history.Executed:
		s.Client(e.Peer).LastWire = index
	case history.Promoted:
		s.promote(index, e)
	default:
		s.applyGrant(e)
	}
}

func (s *State) applyGrant(e *history.Event) {
	place := s.t.Place(e.Node)
	switch e.Kind {
	case history.Granted:
		s.put(place, Held{Key: e.Text, Owner: e.Owner, From: e.At, End: EndOf(e)})
	case history.Replicated:
		copied := Held{Key: e.Text, Owner: e.Owner, From: e.At, End: EndOf(e)}
		if original := s.original(e); original != nil {
			original.Replicated = true
			copied = *original
		}
		s.put(place, copied)
	case history.Extended:
		if held := s.Find(place, e.Owner, e.Text); held != nil {
			held.End = EndOf(e)
		}
	case history.Removed, history.Expired, history.Forgotten:
		s.drop(place, e.Owner, e.Text)
		for other := range s.Entries { // the history does not say when a replica follows
			if s.Standby[other] {
				s.drop(history.NodeID(other), e.Owner, e.Text)
			}
		}
	}
}

// promote makes a replica the server that clients talk to. It has no expired copies.
func (s *State) promote(index int32, e *history.Event) {
	place := s.t.Place(e.Node)
	s.Standby[place], s.Serving[place] = false, !s.OfAnotherShard(e)
	if s.t.InCluster(e.Node) { // whose entries only a leader ends
		return
	}
	s.Entries[place] = slices.DeleteFunc(s.Entries[place], func(h Held) bool {
		return h.End != 0 && h.End <= e.At
	})
	if old := s.t.leftover(index, e); old != nil && s.Find(place, old.Owner, old.Text) == nil {
		s.put(place, Held{Key: old.Text, Owner: old.Owner, From: e.At, End: leftUntil(old)})
	}
}

// EndOf returns when an entry ends after an event that sets its time to live; 0 for never.
func EndOf(e *history.Event) history.Instant {
	if e.Value <= 0 {
		return 0
	}
	return e.At.Add(time.Duration(e.Value))
}

// Owners returns the owners of entries on serving servers, and on how many each has one.
func (s *State) Owners() (owners []history.NodeID, counts []int) {
	for place, list := range s.Entries {
		if !s.Serving[place] || s.Lost(place) || len(list) == 0 {
			continue
		}
		i := slices.Index(owners, list[0].Owner)
		if i < 0 {
			i, owners, counts = len(owners), append(owners, list[0].Owner), append(counts, 0)
		}
		counts[i]++
	}
	return owners, counts
}

// AllDown reports whether no serving server is left.
func (s *State) AllDown() bool {
	for place := range s.Serving {
		if s.Serving[place] && !s.Lost(place) {
			return false
		}
	}
	return true
}

// Servers returns how many servers serve.
func (s *State) Servers() (n int) {
	for _, serves := range s.Serving {
		if serves {
			n++
		}
	}
	return n
}
