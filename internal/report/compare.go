package report

import (
	"fmt"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/locks"
)

// comparison is the section "Which design fixes it": the locks of the scenario
// side by side, with the same seed and the same faults.
type comparison struct {
	Locks []string
	Hrefs []string
	Rows  []comparedRow
	Note  string // what the columns share, and from where on they differ
}

type comparedRow struct {
	Name  string
	Hint  string // what the row means, in a few words
	Wide  bool   // cells are sentences
	Cells []comparedCell
}

type comparedCell struct {
	Class, Sign, Text string
	Href              string // the step that it speaks of
	Quoted            bool   // it is the text of a lock's own file
}

// compare builds the table; nil for a single lock.
func compare(b *Bundle, stories []story, v *pageView) *comparison {
	if len(b.Runs) < 2 {
		return nil
	}
	c := &comparison{}
	for i := range b.Runs {
		c.Locks = append(c.Locks, v.Runs[i].Lock)
		c.Hrefs = append(c.Hrefs, "#"+v.Runs[i].ID)
	}
	for n, p := range v.Properties {
		row := comparedRow{Name: p}
		for i := range v.Runs {
			cell := v.Runs[i].Cells[n]
			row.Cells = append(row.Cells, comparedCell{Class: cell.Class, Sign: cell.Sign, Text: cell.Text})
		}
		c.Rows = append(c.Rows, row)
	}
	add := func(name, hint string, wide bool, cell func(i int) comparedCell) {
		row := comparedRow{Name: name, Hint: hint, Wide: wide}
		for i := range b.Runs {
			if b.Runs[i].Judgement.History == nil {
				row.Cells = append(row.Cells, comparedCell{Text: "not played"})
				continue
			}
			row.Cells = append(row.Cells, cell(i))
		}
		c.Rows = append(c.Rows, row)
	}
	text := func(s string) comparedCell { return comparedCell{Text: nice(s)} }
	reference := referenceOf(b)
	add("first difference", "from the first lock's story", true, func(i int) comparedCell {
		return firstDifference(stories, v, reference, i)
	})
	add("assumption that failed", "", true, func(i int) comparedCell {
		if w := stories[i].wrong; w.Proved() {
			return text(w.Assumed.In(stories[i].language) + " In fact: " + w.Formula.In(stories[i].language))
		}
		if anyBroken(&b.Runs[i]) {
			return text("the history does not prove one")
		}
		return text("none")
	})
	add("breaks when", "by design", true, func(i int) comparedCell {
		if variant, ok := locks.Lookup(b.Runs[i].Lock); ok {
			return comparedCell{Text: clean(variant.Doc().BreaksWhen, maxProse), Quoted: true}
		}
		return text("not known: the lock is not one of ours")
	})
	add("commands per acquisition", "of all clients, retries and renewals included", false, func(i int) comparedCell {
		return text(commandsText(stories[i].measures))
	})
	add("wait for the lock", "median, 99th percentile", false, func(i int) comparedCell {
		return text(waitsText(stories[i].measures))
	})
	add("at the resource", "what it must be able to do", false, func(i int) comparedCell {
		return text(resourceText(b.Runs[i].Judgement.History, stories[i].measures))
	})
	c.Note = "Same seed, same clients, same faults, same luck of the network: only the lock is another one."
	return c
}

// referenceOf is the first lock that was played.
func referenceOf(b *Bundle) int {
	for i := range b.Runs {
		if b.Runs[i].Judgement.History != nil {
			return i
		}
	}
	return 0
}

// firstDifference tells at which step the story of lock i leaves that of the
// reference.
func firstDifference(stories []story, v *pageView, reference, i int) comparedCell {
	if i == reference {
		return comparedCell{Text: "what the others are compared with"}
	}
	at := stories[i].differs
	if at < 0 {
		return comparedCell{Text: "none: the same steps"}
	}
	if at >= len(stories[i].steps) {
		return comparedCell{Text: fmt.Sprintf("its story ends after step %d", at)}
	}
	s := &stories[i].steps[at]
	cell := comparedCell{Text: nice(fmt.Sprintf("%s %s", s.At, s.Sentence.In(stories[i].language)))}
	if n, href := v.Runs[i].stepOf(at, &stories[i]); n > 0 {
		cell.Text, cell.Href = fmt.Sprintf("step %d: ", n)+cell.Text, href
	}
	return cell
}

// differsAt returns the index of the first step in which two stories differ, or
// -1. Steps are compared by what happened to whom, not by their times, which the
// round trips of another protocol shift a little.
func differsAt(a *history.History, as []explain.Step, b *history.History, bs []explain.Step) int {
	for i := range bs {
		if i >= len(as) || deedOf(a, &as[i]) != deedOf(b, &bs[i]) {
			return i
		}
	}
	if len(as) > len(bs) {
		return len(bs)
	}
	return -1
}

// deed is what a step tells, without its time. Names, not ids: two locks may have
// other servers, and the servers come before the resource.
type deed struct {
	kind              history.Kind
	role              history.Role
	node, peer, owner string
	violation         bool
}

func deedOf(h *history.History, s *explain.Step) deed {
	e := &h.Events[s.Event]
	d := deed{kind: e.Kind, role: h.Role(e.Node), violation: s.Violation}
	name := func(id history.NodeID) string {
		switch h.Role(id) {
		case history.RoleClient, history.RoleProbe:
			return h.Name(id)
		}
		return ""
	}
	d.node, d.peer, d.owner = name(e.Node), name(e.Peer), name(e.Owner)
	return d
}

func commandsText(m *measures) string {
	if m.acquired == 0 {
		return "nobody acquired"
	}
	tenths := (m.commands*10 + m.acquired/2) / m.acquired
	text := fmt.Sprintf("%d.%d", tenths/10, tenths%10)
	if m.least > 0 {
		text += fmt.Sprintf(", at best %d", m.least)
	}
	return text
}

func waitsText(m *measures) string {
	sorted := m.lengths()
	if len(sorted) == 0 {
		return "nobody acquired"
	}
	text := history.Instant(quantile(sorted, 50)).String() + ", " + history.Instant(quantile(sorted, 99)).String()
	gaveUp := 0
	for _, w := range m.waits {
		if w.end == waitGaveUp {
			gaveUp++
		}
	}
	switch {
	case gaveUp == 1:
		text += "; gave up once"
	case gaveUp > 1:
		text += fmt.Sprintf("; gave up %d times", gaveUp)
	}
	return text
}

func resourceText(h *history.History, m *measures) string {
	fence := h.Header.Fence
	switch {
	case !m.tokens:
		return "nothing: there is no token to check"
	case fence == "" || fence == "none":
		return "could compare tokens, but does not here"
	}
	return "compares tokens (" + strings.TrimSpace(fence) + ")"
}

// brokenCount is how many properties a run broke.
func brokenCount(r *Run) int {
	n := 0
	for _, f := range r.Judgement.Findings {
		if f.Verdict == checker.Broken {
			n++
		}
	}
	return n
}
