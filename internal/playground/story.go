package playground

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/diagram"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// mostSteps bounds the steps of a lock that are shown: those around the first violation.
const mostSteps = 30

// drawStory draws the space-time diagram of the lock in a column, and lists its steps.
func (r *played) drawStory(column int) (picture, story string) {
	steps, before, after := explain.Story(explain.Steps(r.Timeline(), r.Judgement.Findings), mostSteps)
	prefix := fmt.Sprintf("p%d-s", column+1)
	if l := diagram.NewLayout(r.h(), steps, before == 0, after == 0); l != nil {
		l.Handles = true
		picture = diagram.Draw(l, bundle.BarsOf(r.Timeline()), prefix, r.language)
	}
	var b strings.Builder
	if n := before + after; n > 0 {
		fmt.Fprintf(&b, `<p class="notice">%s</p>`, r.escaped(say.ShowingSteps.With(say.Number(len(steps)), say.Number(len(steps)+n), say.Number(before), say.Number(after))))
	}
	b.WriteString(`<ol class="steps">`)
	for i := range steps {
		r.step(&b, &steps[i], prefix, i+1)
	}
	b.WriteString(`</ol>`)
	return picture, b.String()
}

func (r *played) step(b *strings.Builder, s *explain.Step, prefix string, number int) {
	class, gap := "", ""
	if s.Skipped > 0 {
		gap = "<i>" + r.escaped(say.StepsLeftOut.With(say.Grouped(s.Skipped))) + "</i><br>"
	}
	if s.Violation {
		class = ` class="bad"`
	}
	fmt.Fprintf(b, `<li id="%s%d"%s><span class="n">%d</span><span class="t">%s</span><p>%s%s</p><span class="truth">%s`, prefix, number, class, number,
		html.EscapeString(say.Seconds(s.At).In(r.language)), gap, r.escaped(s.Sentence), r.escaped(s.Belief))
	if !s.Store.Empty() {
		b.WriteString(" · " + r.escaped(s.Store))
	}
	b.WriteString(`</span>`)
	if !s.Note.Empty() {
		fmt.Fprintf(b, `<span class="note"><span aria-hidden="true">✗ </span>%s</span>`, r.escaped(s.Note))
	}
	b.WriteString(`</li>`)
}

// escaped is a phrase as HTML.
func (r *played) escaped(p say.Phrase) string {
	return html.EscapeString(sanitize.Sentence(p.In(r.language)))
}

// faultList lists the faults, each with a button to remove it and, if it did no harm, with a hint.
func faultList(runs []played, l say.Language) string {
	var b strings.Builder
	p, judged := runs[0].plan, runs[0].Judgement.Faults
	for i, f := range runs[0].h().Header.Faults {
		if i == 12 {
			break
		}
		text := html.EscapeString(sanitize.Text(faults.Sentence(f.Values, f.Text).In(l), sanitize.MaxLine))
		fmt.Fprintf(&b, `<li><span>%s</span>`, text)
		if p.Chaos == nil {
			fmt.Fprintf(&b, `<button type="button" data-remove="%d" aria-label="%s">×</button>`, f.Number,
				html.EscapeString(sanitize.Text(say.RemoveFault.With(say.Number(f.Number)).In(l), sanitize.MaxLine)))
			for n := range judged {
				if judged[n].Number == f.Number {
					fmt.Fprintf(&b, `<span class="idle">%s</span>`, html.EscapeString(toothless(runs, &judged[n], l)))
				}
			}
		}
		b.WriteString(`</li>`)
	}
	return b.String()
}

// toothless is a hint for a fault that changed nothing, or after which nothing broke; "" for any
// other.
func toothless(runs []played, f *checker.FiredFault, l say.Language) string {
	p, word := runs[0].plan, func(english string) string { return say.Text(english).In(l) }
	safe := !slices.ContainsFunc(runs, func(r played) bool { return r.verdict() == checker.Broken })
	lock, _ := locks.Lookup(runs[0].Lock)
	hint := ""
	if of := p.Fault(f.Number); of != nil {
		switch of.Verb.Name() {
		case "fail-over":
			if p.Redis.Lag == 0 {
				hint = word("Set a replication lag above 0 s: then the replica lacks what is new.")
			}
		case "pause", "partition":
			if lock.LeaseUnit > 0 && of.End.For > 0 && of.End.For <= p.Lease {
				hint = word("Pull its end past the lease.")
			}
		}
	}
	switch {
	case f.Times == 0:
		return word("It never happened: the moment it waits for never came.")
	case f.NoEffect:
		return strings.TrimSpace(word("It changed nothing.") + " " + hint)
	case safe && hint != "":
		return word("Nothing broke.") + " " + hint
	}
	return ""
}

// messagesOf lists the first commands that clients have sent, and maps each event of a message to
// its command.
func messagesOf(h *timeline.Timeline, l say.Language) (first []Message, arrows map[int]Message) {
	counts := map[Message]int{}
	arrows = map[int]Message{}
	for n, e := range h.Each(history.Sent, history.Executed, history.Replied) {
		i := int(n)
		switch e.Kind {
		case history.Sent:
			m := Message{Client: h.Name(e.Node), Command: h.Op(e.Text).Name}
			if h.Role(e.Node) != history.RoleClient || m.Command == "" {
				continue
			}
			counts[m]++
			m.Nth = counts[m]
			arrows[i] = m
			if len(first) < mostMessages {
				m.Text = sanitize.Text(say.CommandAt.With(say.Verbatim(m.Client), say.Verbatim(m.Command), say.Number(m.Nth), say.Seconds(e.At)).In(l), sanitize.MaxLine)
				first = append(first, m)
			}
		case history.Executed, history.Replied:
			if m, ok := arrows[int(e.Cause)]; ok {
				m.Reply = e.Kind == history.Replied
				arrows[i] = m
			}
		}
	}
	return first, arrows
}
