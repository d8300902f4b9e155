package diagram

import (
	"time"
	"unicode/utf8"

	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// fold is a long stretch without rows that takes little room.
type fold struct {
	y        int
	from, to history.Instant
}

// folds draws the tears where time was folded. Their labels avoid the messages in flight.
func (d *drawing) folds(b *bundle.Bars) {
	wide := d.l.width - gutter
	for _, f := range d.l.folds {
		d.f(`<rect x="0" y="%d" width="%d" height="22" class="fold"/>`, f.y-11, d.l.width)
		d.f(`<path d="M0 %dH%dM0 %dH%d" class="tear"/>`, f.y-11, d.l.width, f.y+11, d.l.width)
		says := sanitize.Text(d.passes(f, b).In(d.language), sanitize.MaxLine)
		if w := labelBox(0, 0, beside, says).x1; w > wide {
			says = sanitize.Text(says, utf8.RuneCountInString(says)*wide/w-3)
		}
		x, least := 0, 1<<30 // the least cost, which includes that of the fold itself
		for far := 0; far < wide/2 && far+onWords < least; far += 4 {
			for _, at := range [...]int{gutter + wide/2 - far, gutter + wide/2 + far} {
				if cost := d.cost(labelBox(at, f.y+4, middle, says), far, least); cost < least {
					x, least = at, cost
				}
			}
		}
		d.text(x, f.y+4, middle, "quiet", says)
	}
}

// passes says how much time a fold skips, which nodes are frozen throughout, and whose entries
// expire: if the client keeps others, on which servers.
func (d *drawing) passes(f fold, b *bundle.Bars) say.Phrase {
	h := d.l.h
	at := func(event int32) history.Instant {
		if event < 0 {
			return h.End() + 1
		}
		return h.Events[event].At
	}
	var what say.Clauses
	var frozen say.Names
	for _, z := range b.Freezes {
		if at(z.From) <= f.from && f.to <= at(z.To) {
			frozen = append(frozen, h.Name(z.Node))
		}
	}
	switch len(frozen) {
	case 0:
	case 1:
		what = append(what, say.IsFrozen.With(say.Name(frozen[0])))
	default:
		what = append(what, say.AreFrozen.With(frozen))
	}
	var expired []bundle.Bar
	keeps := map[history.NodeID]bool{}
	for _, g := range b.Grants {
		switch over := at(g.To); {
		case g.Copy || h.Role(g.Owner) != history.RoleClient:
		case over > f.to:
			keeps[g.Owner] = keeps[g.Owner] || at(g.From) <= f.from
		case over > f.from && h.Events[g.To].Kind == history.Expired:
			expired = append(expired, g)
		}
	}
	for _, of := range each.Groups(expired, func(g bundle.Bar) history.NodeID { return g.Owner }) {
		var on say.Names
		if keeps[of.Key] {
			on = each.Map(of.All, func(g bundle.Bar) string { return h.Name(g.Node) })
		}
		runsOut := say.LeaseRunsOut
		if from := &h.Events[of.All[len(of.All)-1].From]; from.Kind == history.Granted && from.Value == 0 {
			runsOut = say.SessionRunsOut
		}
		what = append(what, runsOut.With(say.Name(h.Name(of.Key)), on))
	}
	return say.TimePasses.With(say.Rounded(time.Duration(f.to-f.from)), what)
}
