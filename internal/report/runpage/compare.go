package runpage

import (
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/clean"
	"lockstep/internal/say"
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
}

// compare builds the table; nil for a single lock.
func compare(b *bundle.Bundle, stories []story, v *pageView) *comparison {
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
		row := comparedRow{Name: say.Text(name).In(v.language), Hint: say.Text(hint).In(v.language), Wide: wide}
		for i := range b.Runs {
			if b.Runs[i].Judgement.History == nil {
				row.Cells = append(row.Cells, comparedCell{Text: say.Text("not played").In(v.language)})
				continue
			}
			row.Cells = append(row.Cells, cell(i))
		}
		c.Rows = append(c.Rows, row)
	}
	text := func(p say.Phrase) comparedCell { return comparedCell{Text: clean.Sentence(p.In(v.language))} }
	reference := bundle.ReferenceOf(b)
	add("first difference", "from the first lock's story", true, func(i int) comparedCell {
		return firstDifference(stories, v, reference, i)
	})
	add("assumption that failed", "", true, func(i int) comparedCell {
		if w := stories[i].wrong; w.Proved() {
			return text(say.InFact.With(w.Assumed, w.Formula))
		}
		if bundle.AnyBroken(&b.Runs[i]) {
			return text(say.Text("the history does not prove one"))
		}
		return text(say.Text("none"))
	})
	add("breaks when", "by design", true, func(i int) comparedCell {
		if variant, ok := locks.Lookup(b.Runs[i].Lock); ok {
			return comparedCell{Text: clean.Text(variant.Doc(v.language).BreaksWhen, clean.MaxProse)}
		}
		return text(say.Text("not known: the lock is not one of ours"))
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
	c.Note = say.Text("Same seed, same clients, same faults, same luck of the network: only the lock is another one.").In(v.language)
	return c
}

// firstDifference tells at which step the story of lock i leaves that of the
// reference.
func firstDifference(stories []story, v *pageView, reference, i int) comparedCell {
	if i == reference {
		return comparedCell{Text: say.Text("what the others are compared with").In(v.language)}
	}
	at := stories[i].differs
	if at < 0 {
		return comparedCell{Text: say.Text("none: the same steps").In(v.language)}
	}
	if at >= len(stories[i].steps) {
		return comparedCell{Text: say.EndsAfterStep.With(say.Number(at)).In(v.language)}
	}
	s := &stories[i].steps[at]
	n, href := v.Runs[i].stepOf(at, &stories[i])
	return comparedCell{Text: stories[i].nice(say.StepTells.With(say.Optional(n), say.Seconds(s.At), s.Sentence)), Href: href}
}

func commandsText(m *bundle.Measures) say.Phrase {
	if m.Acquired == 0 {
		return say.Text("nobody acquired")
	}
	return say.AtBest.With(say.Verbatim(m.PerAcquisition()), say.Optional(m.Least))
}

func waitsText(m *bundle.Measures) say.Phrase {
	sorted := m.Lengths()
	if len(sorted) == 0 {
		return say.Text("nobody acquired")
	}
	gaveUp := 0
	for _, w := range m.Waits {
		if w.End == bundle.WaitGaveUp {
			gaveUp++
		}
	}
	var end say.Phrase
	if gaveUp > 0 {
		end = say.GaveUpTimes.With(say.Times(gaveUp))
	}
	return say.WaitsAre.With(say.Seconds(bundle.Quantile(sorted, 50)), say.Seconds(bundle.Quantile(sorted, 99)), end)
}

func resourceText(h *history.History, m *bundle.Measures) say.Phrase {
	fence := h.Header.Fence
	switch {
	case !m.Tokens:
		return say.Text("nothing: there is no token to check")
	case fence == "" || fence == "none":
		return say.Text("could compare tokens, but does not here")
	}
	return say.ComparesTokens.With(say.Text(strings.TrimSpace(fence)))
}
