package matrixpage

import (
	"slices"

	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// Lead says what the page is, in one sentence.
func (v *view) Lead() say.Phrase {
	tested, untested := v.runs()
	var more say.Phrase
	if untested > 0 {
		more = say.MoreTestedNothing.With(say.Grouped(untested))
	}
	return say.MatrixLead.With(say.Grouped(v.Rows), say.Grouped(len(v.Columns)), say.Grouped(tested), more)
}

func (m *Matrix) runs() (tested, untested int) {
	for i := range m.Locks {
		for k := range m.Locks[i].Cells {
			tested += m.Locks[i].Cells[k].Runs
			untested += m.Locks[i].Cells[k].Untested
		}
	}
	return tested, untested
}

func (m *Matrix) walked() bool {
	return slices.ContainsFunc(m.Locks, func(l Lock) bool {
		return slices.ContainsFunc(l.Cells, func(c Cell) bool { return c.Walked != nil })
	})
}

// Facts are the most striking counts; checked: for a resource that checks tokens.
func (v *view) Facts(checked bool) []say.Phrase {
	if len(v.Locks) < 2 || len(v.Columns) < 2 {
		return nil
	}
	var whole, fenced say.Remarks
	for _, g := range v.Groups {
		for _, l := range g.Locks {
			if l.Harm().of(checked) == 0 && !l.Apart {
				whole = append(whole, l.named())
			}
			if l.Tokens && !g.More && l.damaged() == 0 && l.Harm().Bad > 0 {
				fenced = append(fenced, l.named())
			}
		}
	}
	var out []say.Phrase
	if checked {
		out = append(out, say.Text("Counted with a resource that checks tokens: two holders do no harm where the check kept the data safe."))
	}
	all := say.Number(v.Rows)
	switch {
	case len(whole) == 0:
		out = append(out, say.NoneWhole.With(all))
	case len(whole) <= 4:
		out = append(out, say.FewWhole.With(say.Number(len(whole)), all, whole))
	default:
		out = append(out, say.SomeWhole.With(say.Number(len(whole)), all))
	}
	if fenced != nil {
		out = append(out, say.TokensKeepData.With(fenced))
	}
	return append(out, v.extremes(checked)...)
}

func (l *Lock) named() say.Phrase {
	if l.Called() == l.ID {
		return say.Said.With(short(l.ID))
	}
	return say.WithAside.With(say.Words(l.Name), short(l.ID))
}

// extremes names the columns that do the most and the least harm.
func (v *view) extremes(checked bool) (out []say.Phrase) {
	worst, mild, most, least := -1, -1, 0, 0
	for k := range v.Columns {
		n := v.Harmed(k).of(checked)
		if v.Columns[k].Code == noFaultCode {
			if n > 0 {
				out = append(out, say.BadWithoutFault.With(say.Number(n)))
			}
			continue
		}
		if worst < 0 || n > most {
			worst, most = k, n
		}
		if mild < 0 || n < least {
			mild, least = k, n
		}
	}
	if most == 0 {
		return out
	}
	c := &v.Columns[worst]
	out = append(out, say.HarmsMost.With(short(c.Name), short(c.Code), say.Number(most), say.Number(v.Rows)))
	if c = &v.Columns[mild]; least < most {
		out = append(out, say.HarmsLeast.With(short(c.Name), short(c.Code), say.Number(least)))
	}
	return out
}

// noFaultCode is the code of the column without a fault.
const noFaultCode = "N0"

// Measured says how the letters were measured.
func (m *Matrix) Measured() []say.Phrase {
	out := []say.Phrase{
		say.Text("No letter is set in advance. For each cell the harness first watches which commands the lock sends when nothing goes wrong, and then makes scripts to fit: short scenarios that cause the fault at each point where it could hurt."),
		say.Text("A checker judges each history. The letter is the worst outcome seen."),
		say.Text("V, F, VF and D are proofs: the run or the story below each of them can be played again and gives the same history, byte for byte. S and L are not: they only say that nothing worse was found, and how often it may still happen."),
	}
	if m.Seeds > 0 {
		out[1] = say.ThenVariations.With(say.Grouped(m.Seeds))
	}
	if m.walked() {
		out = append(out, say.Text("The stored exhaustive search of the fault space adds every single fault of the column's kinds, at every moment and in every way of using a lock. So S says that none of these runs and schedules ended worse."))
	}
	tested, untested := m.runs()
	var some, lease say.Phrase
	if untested > 0 {
		some = say.OfWhichTested.With(say.Grouped(tested))
	}
	if m.Lease > 0 {
		lease = say.LeaseInEach.With(say.Planned(m.Lease))
	}
	return append(out, say.MeasuredWith.With(say.Verbatim(sanitize.Text(m.Backend, sanitize.MaxName)), say.Grouped(tested+untested), some, lease))
}
