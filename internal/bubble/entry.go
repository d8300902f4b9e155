package bubble

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/store"
)

// A lock may keep its entry under any name: with a prefix, or in a table of its own. So a rehearsal
// collects what each client has written on the servers when it enters its critical section. The
// entry is what every holder has written.

// Held has the entries of a client on the servers when it entered its critical section.
type Held struct {
	Client string
	Kept   []store.Entry
}

// learns wraps watch to collect the entries whenever a client enters.
func (w *World) learns(watch func(faults.Moment, history.Instant)) func(faults.Moment, history.Instant) {
	return func(m faults.Moment, at history.Instant) {
		if m.Kind == faults.Enters {
			w.notes.Held = append(w.notes.Held, Held{m.Subject, w.sim.Kept(m.Subject)})
		}
		if watch != nil {
			watch(m, at)
		}
	}
}

// EntryOf returns the entry of the lock with a name: the one that every holder has written. If it
// cannot be followed, why says why.
func EntryOf(name string, all []Held) (entry store.Entry, why string) {
	var common []store.Entry
	for i, h := range all {
		switch {
		case len(h.Kept) == 0:
			return entry, fmt.Sprintf("when %s believed that it held the lock, the store had nothing that %s had written",
				h.Client, h.Client)
		case i == 0:
			common = slices.Clone(h.Kept)
		default:
			common = intersect(common, h.Kept)
		}
	}
	if len(common) == 0 {
		return entry, "the holders have written " + strings.Join(written(all), ", ") +
			", and no key or row is each holder's while it holds"
	}
	best := slices.MaxFunc(common, func(a, b store.Entry) int { return likeness(a, name) - likeness(b, name) })
	for _, e := range common {
		if likeness(e, name) == likeness(best, name) && !within(e, best) && !within(best, e) && !sameRow(e, best) {
			return entry, fmt.Sprintf("each holder has written both %s and %s, and one of them only can be its entry",
				shown(best), shown(e))
		}
	}
	return best, ""
}

// intersect returns the entries in both lists; they keep their expiry if it is the same.
func intersect(a, b []store.Entry) (out []store.Entry) {
	for _, e := range a {
		at := slices.IndexFunc(b, func(o store.Entry) bool {
			return o.Key == e.Key && o.Table == e.Table && o.Name == e.Name
		})
		if at < 0 {
			continue
		}
		if b[at].Expires != e.Expires || b[at].Seconds != e.Seconds {
			e.Expires, e.Seconds = "", false
		}
		e.Held = e.Held && b[at].Held
		out = append(out, e)
	}
	return out
}

// likeness returns how similar the key of an entry is to the name of the lock.
func likeness(e store.Entry, name string) int {
	switch {
	case e.Key == name:
		return 2
	case strings.Contains(e.Key, name):
		return 1
	}
	return 0
}

// within reports whether an entry is in a folder.
func within(e, folder store.Entry) bool {
	return e == folder || strings.HasPrefix(e.Key, folder.Key+"/")
}

// sameRow reports whether both can be columns of one row.
func sameRow(a, b store.Entry) bool { return a.Table != "" && a.Table == b.Table && a.Name != b.Name }

// written describes some entries of the holders.
func written(all []Held) (out []string) {
	for _, h := range all {
		for _, e := range h.Kept {
			if s := shown(e); !slices.Contains(out, s) && len(out) < mostShown {
				out = append(out, s)
			}
		}
	}
	return out
}

const mostShown = 4

// shown describes an entry.
func shown(e store.Entry) string {
	if e.Table != "" {
		return fmt.Sprintf("the row of %s whose %s is %s", e.Table, e.Name, legible(e.Key))
	}
	return legible(e.Key)
}
