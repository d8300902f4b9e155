package explain

import "lockstep/internal/history"

// Hold is a stretch of events during which a server has an entry for a client.
type Hold struct {
	Node     history.NodeID // the server; of a cluster, whichever member leads
	Owner    history.NodeID
	Copy     bool  // on a server that answers nobody, such as a replica: the steps do not count it
	From, To int32 // events; To is history.NoCause when the history ends first
}

// Holds lists what the servers have, in the order of its beginnings. It goes by the very state
// that the steps speak of, so a picture of it and "store: A" cannot come apart.
func Holds(h *history.History) []Hold {
	f := holdings{t: newTeller(h, nil)}
	f.leader = f.t.cluster
	for i := range h.Events {
		e := &h.Events[i]
		f.t.before(e)
		f.t.apply(int32(i), e)
		switch e.Kind {
		case history.Granted, history.Promoted:
			if f.t.inCluster(e.Node) {
				f.leader = e.Node
			}
			f.follow(int32(i))
		case history.Replicated, history.Removed, history.Expired, history.Forgotten, history.Crashed, history.Restarted, history.Demoted:
			f.follow(int32(i))
		}
	}
	return f.all
}

// holdings follows the entries of a teller.
type holdings struct {
	t      *teller
	leader history.NodeID // of the cluster
	all    []Hold
	open   []openHold
}

// openHold is a hold that goes on, with what tells it from another one of the same owner.
type openHold struct {
	index int // into all
	place int
	key   history.TextID
	from  history.Instant
	seen  bool // in this round
}

// follow ends the holds that are over after event i, and begins the new ones.
func (f *holdings) follow(i int32) {
	for n := range f.open {
		f.open[n].seen = false
	}
	begun := len(f.all)
	for place, list := range f.t.entries {
		if f.t.lost(place) {
			continue
		}
		for n := range list {
			f.has(i, place, &list[n])
		}
	}
	kept := f.open[:0]
	for _, o := range f.open {
		if o.seen || o.index >= begun {
			kept = append(kept, o)
		} else {
			f.all[o.index].To = i
		}
	}
	f.open = kept
}

// has notes that a place has an entry after event i.
func (f *holdings) has(i int32, place int, held *entry) {
	is := Hold{Node: history.NodeID(place), Owner: held.owner, Copy: !f.t.serving[place], From: i, To: history.NoCause}
	if is.Node == f.t.cluster {
		is.Node = f.leader
	}
	for n := range f.open {
		o := &f.open[n]
		if was := &f.all[o.index]; o.place == place && o.key == held.key && o.from == held.from &&
			was.Node == is.Node && was.Owner == is.Owner && was.Copy == is.Copy {
			o.seen = true
			return
		}
	}
	f.open = append(f.open, openHold{index: len(f.all), place: place, key: held.key, from: held.from})
	f.all = append(f.all, is)
}
