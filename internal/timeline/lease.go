package timeline

import (
	"cmp"
	"slices"
	"time"

	"lockstep/internal/history"
)

// Promise is an end that a server has set, in true time if the server's clock is right.
type Promise struct{ At, Until history.Instant }

// Until returns the end as last set by an instant.
func (l *Entry) Until(at history.Instant) history.Instant {
	until := l.Promises[0].Until
	for _, p := range l.Promises {
		if p.At <= at {
			until = p.Until
		}
	}
	return until
}

// RanOut reports whether the entry has expired.
func (l *Entry) RanOut() bool { return l.How == history.Expired }

// Released reports whether the entry's owner has removed it.
func (l *Entry) Released() bool { return l.How == history.Removed && l.By == l.Owner }

// Leases returns the entries with an end, in the order of their creation.
func (t *Timeline) Leases() (all []*Entry) {
	for i := range t.Entries {
		if t.Entries[i].TTL > 0 {
			all = append(all, &t.Entries[i])
		}
	}
	return all
}

// HolderFreeze is a freeze of a client that had an entry.
type HolderFreeze struct {
	Client history.NodeID
	From   history.Instant
	Slept  time.Duration
	Left   time.Duration // of the lease when it began
}

// LongestFreezeOfHolder returns the longest freeze of a client that had an entry.
func (t *Timeline) LongestFreezeOfHolder() (longest HolderFreeze, ok bool) {
	leases := map[history.NodeID][]*Entry{} // by owner
	for _, l := range t.Leases() {
		leases[l.Owner] = append(leases[l.Owner], l)
	}
	for _, s := range t.Freezes {
		slept := s.To.Sub(s.From)
		if l := during(leases[s.Node], s.From); s.Over && l != nil && slept > longest.Slept {
			longest, ok = HolderFreeze{s.Node, s.From, slept, l.Until(s.From).Sub(s.From)}, true
		}
	}
	return longest, ok
}

// quorum exceeds the number of servers on which a client has entries at once.
const quorum = 16

// during returns the lease that exists at an instant, or nil. All leases are of one owner.
func during(leases []*Entry, at history.Instant) *Entry {
	n, _ := slices.BinarySearchFunc(leases, at+1, func(l *Entry, at history.Instant) int { return cmp.Compare(l.From, at) })
	for i := n - 1; i >= max(n-quorum, 0); i-- {
		if at < leases[i].Over {
			return leases[i]
		}
	}
	return nil
}
