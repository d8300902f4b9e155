package report

import (
	"fmt"
	"strings"
)

// lead says what the page is, in one sentence.
func lead(m *Matrix) string {
	tested, untested := m.runs()
	text := fmt.Sprintf("%s under %s: what became of each, measured in %s.",
		plural(len(m.Locks), "lock design"), plural(len(m.Columns), "kind")+" of fault", plural(tested, "run"))
	if untested > 0 {
		text += fmt.Sprintf(" %s more tested nothing and count for nothing.", plural(untested, "run"))
	}
	return text
}

// runs counts the runs that tested something, and those that did not.
func (m *Matrix) runs() (tested, untested int) {
	for i := range m.Locks {
		for k := range m.Locks[i].Cells {
			tested += m.Locks[i].Cells[k].Runs
			untested += m.Locks[i].Cells[k].Untested
		}
	}
	return tested, untested
}

// facts are what stands out, counted.
func (v *matrixView) facts(m *Matrix) []string {
	if len(m.Locks) < 2 || len(m.Columns) < 2 {
		return nil
	}
	var whole []string
	for _, g := range v.Groups {
		for _, l := range g.Locks {
			if l.Bad == 0 {
				whole = append(whole, l.ID)
			}
		}
	}
	var out []string
	switch {
	case len(whole) == 0:
		out = append(out, fmt.Sprintf("None of the %d locks comes through all columns: each one breaks or gets stuck somewhere.", len(m.Locks)))
	case len(whole) <= 4:
		out = append(out, fmt.Sprintf("Only %s of %d come through all columns: %s.", plural(len(whole), "lock"), len(m.Locks), strings.Join(whole, ", ")))
	default:
		out = append(out, fmt.Sprintf("%d of %d locks come through all columns.", len(whole), len(m.Locks)))
	}
	worst, mild := -1, -1
	for i, c := range v.Columns {
		if c.Code == noFaultCode {
			if c.Bad > 0 {
				out = append(out, fmt.Sprintf("Broken or stuck even without any fault: %s.", plural(c.Bad, "lock")))
			}
			continue
		}
		if worst < 0 || c.Bad > v.Columns[worst].Bad {
			worst = i
		}
		if mild < 0 || c.Bad < v.Columns[mild].Bad {
			mild = i
		}
	}
	if worst < 0 || v.Columns[worst].Bad == 0 {
		return out
	}
	c := v.Columns[worst]
	out = append(out, fmt.Sprintf("What harms most: %s (%s), with %d of %d locks broken or stuck.", c.Name, c.Code, c.Bad, len(m.Locks)))
	if c := v.Columns[mild]; c.Bad < v.Columns[worst].Bad {
		out = append(out, fmt.Sprintf("What harms least: %s (%s), with %d.", c.Name, c.Code, c.Bad))
	}
	return out
}

// noFaultCode is the column in which nothing goes wrong.
const noFaultCode = "N0"

// howMeasured says how the letters came about.
func howMeasured(m *Matrix) []string {
	out := []string{
		"No letter is written down anywhere. For each cell the harness first watches which commands the lock sends when nothing goes wrong, " +
			"and makes scripts to fit them: short scenarios that bring the fault about at each point where it could hurt.",
	}
	if m.Seeds > 0 {
		out = append(out, fmt.Sprintf("Then it plays %s of these scripts, with other timings: "+
			"the length of the work, of the faults and of the network's delays. A checker judges each history. The letter is the worst that was seen.",
			plural(m.Seeds, "random variation")))
	} else {
		out = append(out, "A checker judges each history. The letter is the worst that was seen.")
	}
	out = append(out, "V, F, VF and D are proofs: the run below each of them can be played again and gives the same history, byte for byte. "+
		"S and L are not: they say that nothing worse was found, and how often it may happen all the same.")
	tested, untested := m.runs()
	what := fmt.Sprintf("Backend %s; %s in all", clean(m.Backend, maxName), plural(tested+untested, "run"))
	if untested > 0 {
		what += fmt.Sprintf(", of which %d tested something", tested)
	}
	if m.Lease > 0 {
		what += fmt.Sprintf("; a lease of %s in each", m.Lease)
	}
	return append(out, nice(what+"."))
}
