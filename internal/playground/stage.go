package playground

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/report/axis"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/clean"
	"lockstep/internal/say"
)

// The stage is the timeline of a run, and a control: true time from left to right, a lane for each
// client and server, and the faults as things to take hold of. So it is made of HTML and places
// things in percent of its width: its texts and handles keep their size on a phone, and while
// somebody drags, its axis stays where it is.

// mostLanes is how many clients, and how many servers, have a lane.
const mostLanes = 6

type stage struct {
	b        strings.Builder
	r        *played
	window   time.Duration
	lanes    []history.NodeID
	faults   map[history.NodeID][]bundle.Span // by the lane that they are drawn in
	language say.Language
}

func (s *stage) f(format string, args ...any) { fmt.Fprintf(&s.b, format, args...) }

// windowOf is how much time the timelines show, in ms: what the clients did, with room to drag.
func windowOf(runs []played) int64 {
	last := history.Instant(0)
	for i := range runs {
		last = max(last, lastDeed(runs[i].h()))
	}
	ms := last.Duration().Milliseconds() * 5 / 4
	for _, step := range []int64{100, 500, 1000, 5000, 10_000} {
		if ms <= 20*step {
			return max((ms+step-1)/step*step, step)
		}
	}
	return (ms + 59_999) / 60_000 * 60_000
}

// lastDeed is when the last thing happened that is drawn, before the final quiet period.
func lastDeed(h *history.History) (last history.Instant) {
	for i := range h.Events {
		switch e := &h.Events[i]; e.Kind {
		case history.Healed:
			return last
		case history.Acquired, history.Releasing, history.Released, history.GaveUp, history.WriteAccepted, history.WriteRefused,
			history.FaultBegan, history.FaultEnded, history.Crashed, history.Expired:
			last = e.At
		}
	}
	return last
}

// stage draws the timeline of a run.
func (r *played) stage(window time.Duration) string {
	s := &stage{r: r, window: window, language: r.language, faults: map[history.NodeID][]bundle.Span{}}
	bars := bundle.BarsOf(r.h())
	s.choose(bars)
	s.placeFaults()
	for _, id := range s.lanes {
		s.lane(id, bars)
	}
	s.violations()
	s.axis()
	return s.b.String()
}

// choose gives lanes to the clients, and to the servers that ever had an entry.
func (s *stage) choose(bars *bundle.Bars) {
	h := s.r.h()
	servers := map[history.NodeID]bool{}
	for _, g := range bars.Grants {
		servers[g.Node] = true
	}
	clients, stores := 0, 0
	for i, n := range h.Header.Nodes {
		id := history.NodeID(i + 1)
		switch {
		case n.Role == history.RoleClient && clients < mostLanes:
			clients++
			s.lanes = append(s.lanes, id)
		case n.Role == history.RoleStore && servers[id] && stores < mostLanes:
			stores++
			s.lanes = append(s.lanes, id)
		}
	}
}

// placeFaults finds the lanes of each fault: that of its target, those of the sides of a
// partition, or that of the client whose moment it waits for.
func (s *stage) placeFaults() {
	h := s.r.h()
	for _, span := range bundle.FaultSpans(h) {
		if span.Fault == 0 {
			continue
		}
		for n, id := range s.lanesOf(&span) {
			if n > 0 {
				span.Label = "" // one of them is the handle
			}
			s.faults[id] = append(s.faults[id], span)
		}
	}
}

func (s *stage) lanesOf(span *bundle.Span) []history.NodeID {
	if span.Node != 0 && slices.Contains(s.lanes, span.Node) {
		return []history.NodeID{span.Node}
	}
	var found []history.NodeID
	if f := s.fault(span.Fault); f != nil {
		for _, name := range append(slices.Concat(f.Args.Sides...), f.Trigger.Subject) {
			for _, id := range s.lanes {
				if s.r.h().Name(id) == name && !slices.Contains(found, id) {
					found = append(found, id)
				}
			}
		}
	}
	if found == nil && len(s.lanes) > 0 {
		found = s.lanes[:1]
	}
	return found
}

// fault is the planned fault of a number, nil for one that a storm has drawn.
func (s *stage) fault(number int64) *faults.Fault {
	i := slices.IndexFunc(s.r.plan.Faults, func(f faults.Fault) bool { return int64(f.Number) == number })
	if i < 0 {
		return nil
	}
	return &s.r.plan.Faults[i]
}

// percent places an instant.
func (s *stage) percent(at history.Instant) float64 {
	return min(max(float64(at)/float64(s.window)*100, 0), 100)
}

// place is the style of what lasts from one instant to another.
func (s *stage) place(from, to history.Instant) string {
	a, b := s.percent(from), s.percent(to)
	return fmt.Sprintf(`left:%.2f%%;width:%.2f%%`, a, b-a)
}

func (s *stage) lane(id history.NodeID, bars *bundle.Bars) {
	h := s.r.h()
	name := clean.Text(say.Name(h.Name(id)).In(s.language), clean.MaxHeadName)
	s.f(`<div class="lane %s" data-node="%s"><span class="name">%s</span><div class="track">`,
		h.Role(id), html.EscapeString(h.Name(id)), html.EscapeString(name))
	for _, bar := range bars.Freezes {
		if bar.Node == id {
			s.bar("ice", bar)
		}
	}
	for _, bar := range bars.Beliefs {
		if bar.Node == id {
			s.bar(fmt.Sprintf("believes k%d", s.color(id)), bar)
		}
	}
	for _, bar := range bars.Grants {
		if bar.Node == id && bar.Lane < 3 {
			s.bar(fmt.Sprintf("has k%d at%d", s.color(bar.Owner), bar.Lane), bar)
		}
	}
	s.writes(id)
	for _, span := range s.faults[id] {
		s.handle(&span)
	}
	s.b.WriteString(`</div></div>`)
}

func (s *stage) bar(class string, b bundle.Bar) {
	h := s.r.h()
	to := h.End()
	if b.To != history.NoCause {
		to = h.Events[b.To].At
	}
	if h.Role(b.Owner) == history.RoleProbe || h.Events[b.From].At.Duration() >= s.window {
		return
	}
	owner := ""
	if strings.HasPrefix(class, "has") {
		owner = "<b>" + html.EscapeString(clean.Text(say.Name(h.Name(b.Owner)).In(s.language), 4)) + "</b>"
	}
	s.f(`<i class="%s" style="%s">%s</i>`, class, s.place(h.Events[b.From].At, to), owner)
}

// writes marks what the resource took from a client, and what it refused.
func (s *stage) writes(id history.NodeID) {
	h := s.r.h()
	for i := range h.Events {
		e := &h.Events[i]
		if e.Peer != id || e.At.Duration() >= s.window {
			continue
		}
		switch e.Kind {
		case history.WriteAccepted:
			s.f(`<i class="write" style="left:%.2f%%">◆</i>`, s.percent(e.At))
		case history.WriteRefused:
			s.f(`<i class="write refused" style="left:%.2f%%">◇</i>`, s.percent(e.At))
		}
	}
}

// handle is a fault that can be taken hold of, by hand or by keys; where a storm has drawn it, or
// in its second lane, it is only shown.
func (s *stage) handle(span *bundle.Span) {
	f := s.fault(span.Fault)
	if f == nil || s.r.plan.Chaos != nil || span.Label == "" {
		s.f(`<i class="fault" style="%s"></i>`, s.place(span.From, span.To))
		return
	}
	text, deed := f.Text, f.Deed
	if s.language == say.Chinese {
		text, deed = f.TextChinese, f.DeedChinese
	}
	class, grip := "fault held", ""
	if f.End.For > 0 {
		grip = `<span class="grip" data-grip="end"></span>`
	} else if span.From == span.To {
		class += " instant"
	}
	s.f(`<div class="%s" role="slider" tabindex="0" data-fault="%d" aria-label="%s" aria-valuemin="0" aria-valuemax="%d" aria-valuenow="%d" aria-valuetext="%s" title="%s" style="%s">%s<span class="what" aria-hidden="true">%s</span></div>`,
		class, f.Number, html.EscapeString(clean.Text(say.FaultNumber.With(say.Number(f.Number)).In(s.language), clean.MaxLine)), s.window.Milliseconds(), span.From.Duration().Milliseconds(),
		html.EscapeString(clean.Text(text, clean.MaxLine)), html.EscapeString(clean.Text(text, clean.MaxLine)), s.place(span.From, span.To), grip,
		html.EscapeString(clean.Text(short(f, deed, s.language), 28)))
}

// short is what stands on a fault: what it does, of a pause how long it is, for its lane says whose.
func short(f *faults.Fault, deed string, l say.Language) string {
	if f.End.For > 0 && f.Verb.Name() == "pause" {
		return say.Text("pause").In(l) + " " + say.Planned(f.End.For).In(l)
	}
	return deed
}

// color is the number of a client's colour, from 1; 0 for who is no client.
func (s *stage) color(id history.NodeID) int {
	n := 0
	for i, node := range s.r.h().Header.Nodes {
		if history.NodeID(i+1) == id && node.Role == history.RoleClient {
			return n%6 + 1
		}
		if node.Role == history.RoleClient {
			n++
		}
	}
	return 0
}

// violations marks, over all lanes, when two clients believed at once, and where the resource
// took what it should not have.
func (s *stage) violations() {
	for _, f := range s.r.out.Judgement.Findings {
		for i, v := range f.Violations {
			if i == 20 || v.From.Duration() >= s.window {
				break
			}
			label := ""
			if f.Property == checker.MutualExclusionID && i == 0 {
				label = say.Text("two inside").In(s.language)
			}
			s.f(`<div class="broke %s" style="--from:%.4f;--to:%.4f"><span>%s</span></div>`, f.Property, s.percent(v.From)/100, s.percent(v.To)/100, html.EscapeString(label))
		}
	}
}

// axis labels the time.
func (s *stage) axis() {
	s.b.WriteString(`<div class="axis" aria-hidden="true"><div class="track">`)
	for _, t := range axis.Times(s.window.Seconds()) {
		if at := history.Instant(t.Value * 1e9); at.Duration() < s.window {
			s.f(`<span style="left:%.2f%%">%s</span>`, s.percent(at), html.EscapeString(say.AxisSeconds.With(say.Verbatim(t.Label)).In(s.language)))
		}
	}
	s.b.WriteString(`</div></div>`)
}
