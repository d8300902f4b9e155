package runpage

import (
	"slices"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// comparison is the section "Which design fixes it": the locks of the scenario side by side, with
// the same seed and the same faults.
type comparison struct {
	Rows  []comparedRow
	Says  string // introduces the fixes, or says that no lock is one
	Fixes []fix
}

// fix is a lock that keeps everything that the lock of the story broke, and its price.
type fix struct {
	Lock, Href, Keeps string
	Class             string // the style of Keeps
	Price             []pair
}

type comparedRow struct {
	Name  string
	Hint  string // explains the row in a few words
	Wide  bool   // cells are sentences
	Cells []page.Cell
}

// fixing lists the locks that keep everything that the told lock broke, or that leave the data safe
// that it damaged, the least broken one first. An unknown or untested lock is no fix.
func fixing(b *bundle.Bundle, lead int) (out []int) {
	for i := range b.Runs {
		r := &b.Runs[i]
		if !bundle.AnyBroken(&b.Runs[lead]) || i == lead || r.Judgement.History == nil || !r.Judgement.Untested.Empty() {
			continue
		}
		keeps := !slices.ContainsFunc(b.Runs[lead].Judgement.Findings, func(broken checker.Finding) bool {
			if broken.Verdict != checker.Broken {
				return false
			}
			f := r.Finding(broken.Property)
			return f == nil || f.Verdict != checker.Kept
		})
		if keeps || savesTheData(b, lead, i) {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(i, k int) int { return bundle.BrokenCount(&b.Runs[i]) - bundle.BrokenCount(&b.Runs[k]) })
	return out
}

func savesTheData(b *bundle.Bundle, lead, i int) bool {
	return b.Runs[lead].Judgement.Impact() == checker.ImpactDamaged && b.Runs[i].Judgement.Impact() == checker.ImpactSafe
}

func (v *pageView) fixes() (out []fix, says string) {
	b, lead, stories := v.Bundle, v.leading, v.stories
	if !bundle.AnyBroken(&b.Runs[lead]) || b.Runs[lead].Judgement.Impact() == checker.ImpactSafe {
		return nil, ""
	}
	for _, i := range fixing(b, lead) {
		m, was := stories[i].Measures, stories[lead].Measures
		f := fix{Lock: v.Runs[i].Lock, Href: "#" + v.Runs[i].ID, Keeps: say.Text("keeps what broke").In(v.language)}
		f.Class = string(checker.Kept)
		if savesTheData(b, lead, i) {
			f.Class, f.Keeps = "safe", say.Text("leaves the data safe").In(v.language)
		}
		add := func(name string, value say.Phrase) {
			f.Price = append(f.Price, pair{say.Text(name).In(v.language), v.sentence(value)})
		}
		add("commands per acquisition", say.InsteadOf.With(commandsText(m), commandsText(was)))
		add("wait for the lock", say.InsteadOf.With(waitsText(m), waitsText(was)))
		add("at the resource", resourceText(b.Runs[i].Judgement.History, m))
		if variant, ok := locks.Lookup(b.Runs[i].Lock); ok {
			f.Price = append(f.Price, pair{say.Text("breaks when").In(v.language), sanitize.Text(variant.Doc(v.language).BreaksWhen, sanitize.MaxProse)})
		}
		out = append(out, f)
	}
	if len(out) == 0 {
		return nil, v.sentence(say.NoLockFixes.With(say.Verbatim(v.Runs[lead].Lock)))
	}
	return out, v.sentence(say.LocksThatFix.With(say.Verbatim(v.Runs[lead].Lock)))
}

// compare builds the table; nil for a single lock.
func (v *pageView) compare() *comparison {
	b, stories := v.Bundle, v.stories
	if len(b.Runs) < 2 {
		return nil
	}
	c := &comparison{}
	c.Fixes, c.Says = v.fixes()
	for n, p := range v.Properties {
		cells := each.Map(v.Runs, func(r runView) page.Cell { return r.Cells[n] })
		c.Rows = append(c.Rows, comparedRow{Name: p, Cells: cells})
	}
	add := func(name, hint string, wide bool, cell func(i int) page.Cell) {
		row := comparedRow{Name: say.Text(name).In(v.language), Hint: say.Text(hint).In(v.language), Wide: wide}
		for i := range b.Runs {
			if b.Runs[i].Judgement.History == nil {
				row.Cells = append(row.Cells, page.Cell{Text: say.Text("not played").In(v.language)})
				continue
			}
			row.Cells = append(row.Cells, cell(i))
		}
		c.Rows = append(c.Rows, row)
	}
	text := func(p say.Phrase) page.Cell { return page.Cell{Text: v.sentence(p)} }
	reference, _ := b.First()
	add("first difference", "from the first lock's story", true, func(i int) page.Cell {
		return v.firstDifference(reference, i)
	})
	add("assumption that failed", "", true, func(i int) page.Cell {
		if w := stories[i].Wrong; w.Proved() {
			return text(say.InFact.With(w.Assumed, w.Formula))
		}
		if bundle.AnyBroken(&b.Runs[i]) {
			return text(say.Text("the history does not prove one"))
		}
		return text(say.Text("none"))
	})
	add("breaks when", "by design", true, func(i int) page.Cell {
		if variant, ok := locks.Lookup(b.Runs[i].Lock); ok {
			return page.Cell{Text: sanitize.Text(variant.Doc(v.language).BreaksWhen, sanitize.MaxProse)}
		}
		return text(say.Text("unknown: not a built-in lock"))
	})
	add("commands per acquisition", "of all clients, retries and renewals included", false, func(i int) page.Cell {
		return text(commandsText(stories[i].Measures))
	})
	add("wait for the lock", "median, 99th percentile", false, func(i int) page.Cell {
		return text(waitsText(stories[i].Measures))
	})
	add("at the resource", "what it must be able to do", false, func(i int) page.Cell {
		return text(resourceText(b.Runs[i].Judgement.History, stories[i].Measures))
	})
	return c
}

// firstDifference tells at which step the story of lock i diverges from that of the reference.
func (v *pageView) firstDifference(reference, i int) page.Cell {
	st := &v.stories[i]
	if i == reference {
		return page.Cell{Text: say.Text("the baseline for the others").In(v.language)}
	}
	at := st.Differs
	if at < 0 {
		return page.Cell{Text: say.Text("none: the same steps").In(v.language)}
	}
	if at >= len(st.Steps) {
		return page.Cell{Text: say.EndsAfterStep.With(say.Number(at)).In(v.language)}
	}
	s := &st.Steps[at]
	n, href := v.Runs[i].stepOf(at, st)
	return page.Cell{Text: v.sentence(say.StepSentence.With(say.Optional(n), say.Seconds(s.At), s.Sentence)), Href: href}
}

func commandsText(m *timeline.Measures) say.Phrase {
	if m.Acquired == 0 {
		return say.Text("no client acquired it")
	}
	return say.AtBest.With(say.Verbatim(m.PerAcquisition()), say.Optional(m.Least))
}

func waitsText(m *timeline.Measures) say.Phrase {
	sorted := m.Lengths()
	if len(sorted) == 0 {
		return say.Text("no client acquired it")
	}
	end := say.Phrase{}
	if n := each.Count(m.Waits, func(w *timeline.Wait) bool { return w.End == timeline.WaitGaveUp }); n > 0 {
		end = say.GaveUpTimes.With(say.Times(n))
	}
	return say.WaitsAre.With(say.Seconds(timeline.Quantile(sorted, 50)), say.Seconds(timeline.Quantile(sorted, 99)), end)
}

func resourceText(h *history.History, m *timeline.Measures) say.Phrase {
	fence := h.Header.Fence
	switch {
	case !m.Tokens:
		return say.Text("nothing: there is no token to check")
	case fence == "" || fence == "none":
		return say.Text("could compare tokens, but does not here")
	}
	return say.ComparesTokens.With(say.Text(strings.TrimSpace(fence)))
}
