package diagram

import (
	"fmt"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/clean"
	"lockstep/internal/say"
)

// timeLane is one row of bars.
type timeLane struct {
	name     string
	bars     []bundle.Bar
	faults   []bundle.Span // those that struck whose lane it is
	solid    bool          // grants are solid, beliefs hatched
	activity bool          // how much happened
}

// lanesOf lists the rows of a strip: a lane for each client that had the lock or that a fault
// struck, one for all others of many, and a lane for each server that ever had an entry or was
// struck. Faults that strike nobody in particular have one too. In a long history the first lane
// is how much happened at all.
func (d *timeDrawing) lanesOf(s *Strip) []timeLane {
	var out []timeLane
	if len(d.h.Events) > activityAfter {
		out = append(out, timeLane{name: say.Text("events").In(d.language), activity: true})
	}
	struck := d.struck(s.Bars)
	part := make([]bool, len(d.h.Header.Nodes)+1) // by NodeID
	for _, list := range [][]bundle.Bar{s.Bars.Beliefs, s.Bars.Grants} {
		for _, b := range list {
			part[b.Node] = true
		}
	}
	lane := make([]int, len(part)) // by NodeID: index into out plus one
	clients, servers, folded := 0, 0, 0
	most := maxLanes
	if clientsOf(d.h) <= fewClients {
		most = fewClients
	}
	for i, n := range d.h.Header.Nodes {
		id := history.NodeID(i + 1)
		if !part[id] && len(struck[id]) == 0 {
			continue
		}
		switch {
		case n.Role == history.RoleClient && clients < most:
			clients++
			out = append(out, timeLane{name: clean.Text(say.Name(n.Name).In(d.language), clean.MaxHeadName)})
		case n.Role == history.RoleClient && folded == 0:
			folded++
			out = append(out, timeLane{name: say.Text("others").In(d.language)})
		case n.Role == history.RoleClient:
		case n.Role == history.RoleStore && servers < maxLanes:
			servers++
			out = append(out, timeLane{name: clean.Text(n.Name, clean.MaxHeadName), solid: true})
		default:
			continue
		}
		lane[id] = len(out)
		out[len(out)-1].faults = append(out[len(out)-1].faults, struck[id]...)
	}
	if len(struck[0]) > 0 {
		out = append(out, timeLane{name: say.Text("faults").In(d.language), faults: struck[0]})
	}
	for _, list := range [][]bundle.Bar{s.Bars.Beliefs, s.Bars.Grants} {
		for _, b := range list {
			if n := lane[b.Node]; n > 0 {
				out[n-1].bars = append(out[n-1].bars, b)
			}
		}
	}
	return out
}

// struck lists the faults by whom they struck; by 0 those that struck nobody in particular.
func (d *timeDrawing) struck(bars *bundle.Bars) map[history.NodeID][]bundle.Span {
	out := map[history.NodeID][]bundle.Span{}
	known := map[int64]bool{} // faults whose bars say whom they strike
	for _, list := range [][]bundle.Bar{bars.Freezes, bars.Strikes} {
		for _, b := range list {
			from, to := d.lasts(b)
			out[b.Node] = append(out[b.Node], bundle.Span{From: from, To: to})
			known[b.Fault] = true
		}
	}
	for _, s := range bundle.FaultSpans(d.h) {
		if s.Fault == 0 || !known[s.Fault] {
			out[s.Node] = append(out[s.Node], s)
		}
	}
	return out
}

// lasts returns when a bar begins and ends.
func (d *timeDrawing) lasts(b bundle.Bar) (from, to history.Instant) {
	to = d.h.End()
	if b.To >= 0 {
		to = d.h.Events[b.To].At
	}
	return d.h.Events[b.From].At, to
}

// columns is how many columns a dense lane has.
const columns = 400

// coverage is how much of each column's time the bars of a lane cover, in
// thousandths. It is summed up in true time: the bars of a long run are narrower
// than anything that can be drawn, and still there are so many of them.
func (d *timeDrawing) coverage(l *timeLane) []int {
	sum := make([]time.Duration, columns)
	edge := func(c int) history.Instant {
		return history.Instant(float64(d.end) * float64(c) / columns)
	}
	for _, b := range l.bars {
		from, to := d.lasts(b)
		c := min(int(float64(from)/float64(d.end)*columns), columns-1)
		for ; c >= 0 && c < columns && edge(c) < to; c++ {
			sum[c] += max(min(to, edge(c+1)).Sub(max(from, edge(c))), 0)
		}
	}
	out := make([]int, columns)
	for c := range out {
		out[c] = min(int(sum[c]*1000/max(edge(c+1).Sub(edge(c)), 1)), 1000)
	}
	return out
}

// activity is how many events each column has, in thousandths of the fullest.
func (d *timeDrawing) activity() []int {
	out := make([]int, columns+1)
	most := 1
	for i := range d.h.Events {
		c := d.x(d.h.Events[i].At) * columns / whole
		out[c]++
		most = max(most, out[c])
	}
	out[columns-1] += out[columns]
	for c := range out {
		out[c] = min(out[c]*1000/most, 1000)
	}
	return out[:columns]
}

// dense draws shares of columns as bars of that height; columns of about equal
// height are one shape.
func (d *timeDrawing) dense(share []int, y int) {
	d.f(`<svg x="0" y="%d" width="100%%" height="%d" viewBox="0 0 %d %d" preserveAspectRatio="none"><path class="dense" d="M0 %d`, y, laneHeight, columns, laneHeight, laneHeight)
	last := -1
	for c, s := range share {
		if level := (s*laneHeight + 999) / 1000; level != last {
			fmt.Fprintf(&d.b, "V%d", laneHeight-level)
			last = level
		}
		if c+1 == len(share) || (share[c+1]*laneHeight+999)/1000 != last {
			d.f("H%d", c+1)
		}
	}
	d.f(`V%dZ"/></svg>`, laneHeight)
}
