package timeline

import (
	"slices"

	"lockstep/internal/history"
)

// Stored is an interval of events during which a server has an entry for a client.
type Stored struct {
	Node     history.NodeID // the server; of a quorum, the leader
	Owner    history.NodeID
	Key      history.TextID
	Copy     bool  // on a server that answers no client, such as a replica
	From, To int32 // events; To is history.NoCause when the history ends first
}

// Stored lists the entries of the servers, by start. It derives from State like the narrated steps,
// so that pictures and steps agree.
func (t *Timeline) Stored() []Stored {
	f := holdings{s: t.Begin(), leader: t.cluster}
	for i, e := range t.Each(ofServers...) {
		f.s.Before(e)
		f.s.Apply(i, e)
		if (e.Kind == history.Granted || e.Kind == history.Promoted) && t.InCluster(e.Node) {
			f.leader = e.Node
		}
		if e.Kind != history.Extended {
			f.follow(i)
		}
	}
	return f.all
}

// ofServers are the kinds of events that change what servers have.
var ofServers = []history.Kind{
	history.Granted, history.Extended, history.Removed, history.Expired, history.Replicated, history.Forgotten,
	history.Promoted, history.Demoted, history.Crashed, history.Restarted,
}

type holdings struct {
	s      *State
	leader history.NodeID // of the cluster
	all    []Stored
	open   []openHold
}

// openHold is a Stored without an end yet, and what distinguishes it from others of the same owner.
type openHold struct {
	index int // into all
	place int
	key   history.TextID
	from  history.Instant
	seen  bool // in this round
}

// follow ends the intervals that are over after event i, and begins new ones.
func (f *holdings) follow(i int32) {
	for n := range f.open {
		f.open[n].seen = false
	}
	begun := len(f.all)
	for place, list := range f.s.Entries {
		if f.s.Lost(place) {
			continue
		}
		for n := range list {
			f.has(i, place, &list[n])
		}
	}
	f.open = slices.DeleteFunc(f.open, func(o openHold) bool {
		over := !o.seen && o.index < begun
		if over {
			f.all[o.index].To = i
		}
		return over
	})
}

func (f *holdings) has(i int32, place int, held *Held) {
	is := Stored{Node: history.NodeID(place), Owner: held.Owner, Key: held.Key, Copy: !f.s.Serving[place], From: i, To: history.NoCause}
	if is.Node == f.s.t.cluster {
		is.Node = f.leader
	}
	for n := range f.open {
		o := &f.open[n]
		if was := &f.all[o.index]; o.place == place && o.key == held.Key && o.from == held.From &&
			was.Node == is.Node && was.Owner == is.Owner && was.Copy == is.Copy {
			o.seen = true
			return
		}
	}
	f.open = append(f.open, openHold{index: len(f.all), place: place, key: held.Key, from: held.From})
	f.all = append(f.all, is)
}
