package playground

import (
	"fmt"
	"html"
	"slices"
	"time"

	"lockstep/internal/explain"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/report/strip"
	"lockstep/internal/say"
)

// The stage is the picture of a run, as on every page, with the faults as handles in its rows.

type stage struct {
	*strip.Strip
	r        *played
	window   time.Duration
	language say.Language
}

// windowOf is how much time the stages show, in ms: all that the clients did, with room to drag.
func windowOf(runs []played) int64 {
	last := history.Instant(0)
	for i := range runs {
		last = max(last, strip.LastDrawnEvent(runs[i].Timeline()))
	}
	ms := last.Duration().Milliseconds() * 5 / 4
	for _, step := range []int64{100, 500, 1000, 5000, 10_000} {
		if ms <= 20*step {
			return max((ms+step-1)/step*step, step)
		}
	}
	return (ms + 59_999) / 60_000 * 60_000
}

// stage draws the picture of a run, with its handles.
func (r *played) stage(window time.Duration) string {
	wrong := explain.Assumption(r.Timeline(), r.Judgement.Findings, r.plan.LagOf(r.Lock))
	s := &stage{strip.Of(&r.Judgement, bundle.BarsOf(r.Timeline()), strip.Options{Language: r.language, AllClients: true, Wrong: wrong, Cursor: true}), r, window, r.language}
	for _, span := range bundle.FaultSpans(r.Timeline()) {
		if span.Fault == 0 {
			continue
		}
		for n, row := range s.rowsOf(&span) {
			row.Over += s.handle(&span, n == 0) // only the first is a handle
		}
	}
	if len(s.Lines) > 0 {
		s.Lines[0].Over = s.leaseHandle()
	}
	return strip.HTML([]*strip.Strip{s.Strip}, strip.Scale{To: int64(window), Lease: r.h().Header.Lease}, r.language)
}

// rowsOf finds the rows of a fault: the row of its target, the rows of both sides of a partition,
// or the row of the client whose moment it waits for.
func (s *stage) rowsOf(span *bundle.Span) (found []*strip.Row) {
	named := func(name string) {
		i := slices.IndexFunc(s.Rows, func(r strip.Row) bool { return r.Node != "" && r.Node == name })
		if i >= 0 && !slices.Contains(found, &s.Rows[i]) {
			found = append(found, &s.Rows[i])
		}
	}
	if span.Node != 0 {
		named(s.r.h().Name(span.Node))
	}
	if f := s.r.plan.Fault(int(span.Fault)); f != nil && found == nil {
		for _, name := range append(slices.Concat(f.Args.Sides...), f.Trigger.Subject) {
			named(name)
		}
	}
	if found == nil && len(s.Rows) > 0 {
		found = append(found, &s.Rows[0])
	}
	return found
}

// percent is the position of an instant.
func (s *stage) percent(at history.Instant) float64 {
	return min(max(float64(at)/float64(s.window)*100, 0), 100)
}

// place is the style of a span of time.
func (s *stage) place(from, to history.Instant) string {
	a, b := s.percent(from), s.percent(to)
	return fmt.Sprintf(`left:%.2f%%;width:%.2f%%`, a, b-a)
}

// handle draws a fault that can be moved by mouse or keyboard. A fault that chaos has drawn, or one
// in its second lane, is only shown.
func (s *stage) handle(span *bundle.Span, first bool) string {
	f := s.r.plan.Fault(int(span.Fault))
	if f == nil || s.r.plan.Chaos != nil || !first {
		return fmt.Sprintf(`<i class="fault" style="%s"></i>`, s.place(span.From, span.To))
	}
	text, action := f.Sentence().In(s.language), f.Action().In(s.language)
	class, grip := "fault held", ""
	if f.End.For > 0 {
		grip = `<span class="grip" data-grip="end"></span>`
	} else if span.From == span.To {
		class += " instant"
	}
	return fmt.Sprintf(`<div class="%s" role="slider" tabindex="0" data-fault="%d" aria-label="%s" aria-valuemin="0" aria-valuemax="%d" aria-valuenow="%d" aria-valuetext="%s" title="%s" style="%s">%s<span class="what" aria-hidden="true">%s</span></div>`,
		class, f.Number, html.EscapeString(sanitize.Text(say.FaultNumber.With(say.Number(f.Number)).In(s.language), sanitize.MaxLine)), s.window.Milliseconds(), span.From.Duration().Milliseconds(),
		html.EscapeString(sanitize.Text(text, sanitize.MaxLine)), html.EscapeString(sanitize.Text(text, sanitize.MaxLine)), s.place(span.From, span.To), grip,
		html.EscapeString(sanitize.Text(short(f, action, s.language), 28)))
}

// leaseHandle draws the handle at the end of the lease.
func (s *stage) leaseHandle() string {
	lease := s.r.plan.Lease
	return fmt.Sprintf(`<div class="lease-grip" role="slider" tabindex="0" data-lease aria-label="%s" aria-valuemin="%d" aria-valuemax="%d" aria-valuenow="%d" aria-valuetext="%s"></div>`,
		html.EscapeString(say.Text("lease").In(s.language)), leastLease.Milliseconds(), s.window.Milliseconds(), lease.Milliseconds(),
		html.EscapeString(say.Planned(lease).In(s.language)))
}

// short is the label of a fault: what it does, or the length of a pause. Its lane shows the node.
func short(f *faults.Fault, action string, l say.Language) string {
	if f.End.For > 0 && f.Verb.Name() == "pause" {
		return say.Text("pause").In(l) + " " + say.Planned(f.End.For).In(l)
	}
	return action
}
