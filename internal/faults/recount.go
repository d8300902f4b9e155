package faults

// Recount returns the trigger of each fault with the smallest Nth for the same moment: the 2nd SET
// of a client may be the first in its 2nd round, or the first after fault 1. That is easier to
// read, and more robust on real servers. seen are all moments of a run with these faults, in order.
// Triggers with an Nth of 1, without one, or for any client, stay as they are.
func Recount(fs []Fault, seen []Moment) []Trigger {
	out := make([]Trigger, len(fs))
	begins := make([]int, len(fs)) // the index of the moment at which a fault began, or -1
	for i := range fs {
		t := fs[i].Trigger
		out[i], begins[i] = t, -1
		reached := indexOf(&t, seen)
		if t.After == 0 {
			begins[i] = reached
		}
		if t.Nth <= 1 || reached < 0 {
			continue
		}
		least := func(from, round, behind int) {
			if n, _ := t.count(seen[from:reached+1], 0); n < out[i].Nth {
				out[i].Nth, out[i].Round, out[i].AfterFault = n, round, behind
			}
		}
		start, round := roundOf(t.Subject, seen[:reached+1])
		least(start, round, 0)
		for k := range i {
			if begins[k] >= 0 && begins[k] < reached {
				least(begins[k]+1, 0, fs[k].Number)
			}
		}
	}
	return out
}

// indexOf returns the index of the moment that a trigger waits for; -1 when it never came, or
// cannot be recounted.
func indexOf(t *Trigger, seen []Moment) int {
	if t.Moment == NoMoment || t.Nth == 0 || t.Round > 0 || t.AfterFault > 0 {
		return -1
	}
	_, at := t.count(seen, t.Nth)
	return at
}

// count returns how often a trigger's moment occurs, and the index of one occurrence; -1 when there
// are not so many.
func (t *Trigger) count(seen []Moment, nth int) (n, at int) {
	at = -1
	for i := range seen {
		if t.named(&seen[i]) {
			if n++; n == nth {
				at = i
			}
		}
	}
	return n, at
}

// named reports whether a trigger that names its client waits for such a moment.
func (t *Trigger) named(m *Moment) bool {
	return t.Moment == m.Kind && t.Subject == m.Subject && (!m.Kind.OnWire() || t.names(m))
}

// roundOf returns where the last round of a client begins, and its number; 0 before its first.
func roundOf(client string, seen []Moment) (start, round int) {
	for i := range seen {
		if seen[i].Kind == StartsWaiting && seen[i].Subject == client {
			start, round = i, round+1
		}
	}
	return start, round
}
