package logcheck

import "slices"

// What becomes of the holds that may overlap.

// settle looks again at the pairs of a hold of which there is news.
func (j *judge) settle(l *lock, h *Hold) {
	if h.further > 0 && h.Heard > h.From {
		l.Overlaps.AtLeast = true // those without a pair are not counted one by one
		h.further = 0
	}
	if len(h.pairs) > 0 {
		j.conclude(l, h)
	}
}

// conclude notes what has become of the pairs of a hold, and keeps those that are pending. Whom a client may have met of which no more is heard, that is one doubt and not many.
func (j *judge) conclude(l *lock, h *Hold) {
	pairs := h.pairs
	h.pairs = nil
	var doubt *Violation
	for _, p := range pairs {
		if p.outcome(j.widest()) != certain && p.pending(j.settings) {
			h.pairs = append(h.pairs, p)
			continue
		}
		j.pairs--
		other := p.x
		if other == h {
			other = p.y
		}
		other.pairs = slices.DeleteFunc(other.pairs, func(q *pair) bool { return q == p })
		switch found := j.weigh(Overlap, p.outcome); {
		case found == possible && p.x == h && h.Ending != ByLine:
			if p.y.doubted == h.Client {
				continue
			}
			if p.y.doubted = h.Client; doubt != nil {
				doubt.Further++
				continue
			}
			doubt = j.doubtful(l, p)
		default:
			j.report(l, p, found)
		}
	}
	if doubt != nil {
		doubt.Further += h.further
		h.further = 0
		j.violation(l, doubt)
	}
}

// doubtful is the violation of a pair that overlaps possibly.
func (j *judge) doubtful(l *lock, p *pair) *Violation {
	return &Violation{Sort: Overlap, Lock: l.Lock, Holds: []*Hold{p.y, p.x}, inside: p.y.beganIn(p.x, j.widest())}
}

// report notes what a pair has come to. An acquisition that may have met the one or the other hold of a
// client counts once.
func (j *judge) report(l *lock, p *pair, found outcome) {
	switch {
	case found == certain:
		j.overlap(l, p)
	case found == possible && p.y.doubted != p.x.Client:
		p.y.doubted = p.x.Client
		j.violation(l, j.doubtful(l, p))
	}
}

// overlap notes a pair that certainly overlaps. What counts is the intruder, however many it found.
func (j *judge) overlap(l *lock, p *pair) {
	v := p.y.intrusion
	switch {
	case v == nil:
		v = &Violation{Sort: Overlap, Certain: true, Lock: l.Lock, Holds: []*Hold{p.y, p.x}}
		p.y.intrusion = v
		j.violation(l, v)
	case len(v.Holds) <= maxFound:
		v.Holds = append(v.Holds, p.x)
	}
}
