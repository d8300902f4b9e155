package report

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/history"
)

// fewAcquisitions is below how many of them a 99th percentile says no more than the
// longest wait.
const fewAcquisitions = 100

// cares says why the runs cannot be compared without care, the gravest first. None
// of it forbids to look; each names the runs that it is about.
func (c *RunComparison) cares(sides []side) []string {
	var out []string
	add := func(text string, args ...any) { out = append(out, clean(fmt.Sprintf(text, args...), maxLine)) }
	first := c.Runs[0].Bundle
	if names := c.others(func(b *Bundle) bool { return b.slug() != first.slug() }); names != "" {
		add("%s another scenario than run 1: what differs is not one thing, and verdicts side by side prove little.", names)
	} else if diffs := c.settingDiffs(); len(diffs) > 0 {
		add("The scenario is not the same in all runs: %s.", diffs[0].words())
	}
	if names := c.others(func(b *Bundle) bool { return !slices.Equal(clientsOf(b), clientsOf(first)) }); names != "" {
		add("%s other clients than run 1 (%s): how often they meet at the lock differs with their number.", names, strings.Join(clientsOf(first), ", "))
	}
	if names := c.others(func(b *Bundle) bool { return b.Backend != first.Backend }); names != "" {
		add("%s another world than run 1 (%s): real servers are never the same twice, and their network is not the simulated one. Compare verdicts, not milliseconds.", names, first.Backend)
	}
	if names := c.others(func(b *Bundle) bool { return scaleOf(b) != scaleOf(first) }); names != "" {
		add("%s another scale of time than run 1: waits and holds are longer or shorter for that alone.", names)
	}
	out = append(out, c.aboutSides(sides)...)
	for n := 1; n < len(c.Runs); n++ {
		for m := range n {
			if sameBytes(c.Runs[n].Bundle, c.Runs[m].Bundle) {
				add("Run %d is run %d once more, byte for byte.", n+1, m+1)
				break
			}
		}
	}
	if c.others(func(b *Bundle) bool { return b.Seed != first.Seed }) != "" {
		add("Each run is one draw of luck. Play many seeds to tell a difference from chance: simulate run FILE --times 1000.")
	}
	return out
}

// aboutSides lists what single locks of single runs lack.
func (c *RunComparison) aboutSides(sides []side) []string {
	var cut, untested, few []string
	for i := range sides {
		s := &sides[i]
		h := s.r.Judgement.History
		switch {
		case h == nil:
			untested = append(untested, s.name+" (not played)")
			continue
		case cutShort(h):
			cut = append(cut, s.name)
		case !s.r.Untested.Empty():
			untested = append(untested, fmt.Sprintf("%s (%s)", s.name, s.r.Untested.English()))
		}
		if n := len(s.waits); n > 0 && n < fewAcquisitions {
			few = append(few, s.name)
		}
	}
	var out []string
	if len(cut) > 0 {
		out = append(out, clean("Cut short: "+strings.Join(cut, "; ")+". What had not broken by then may still have.", maxLine))
	}
	if len(untested) > 0 {
		out = append(out, clean("Not put to the test: "+strings.Join(untested, "; ")+".", maxLine))
	}
	if len(few) == len(sides) {
		out = append(out, fmt.Sprintf("No lock was acquired %d times: a 99th percentile is the longest wait here.", fewAcquisitions))
	} else if len(few) > 0 {
		out = append(out, clean(fmt.Sprintf("Fewer than %d acquisitions: %s. A 99th percentile is the longest wait there.", fewAcquisitions, strings.Join(few, "; ")), maxLine))
	}
	return out
}

// others names the runs for which something is so, with the verb that belongs to
// them: "Run 2 has", "Runs 2 and 3 have"; "" for none.
func (c *RunComparison) others(is func(b *Bundle) bool) string {
	var numbers []string
	for n := 1; n < len(c.Runs); n++ {
		if is(c.Runs[n].Bundle) {
			numbers = append(numbers, fmt.Sprint(n+1))
		}
	}
	switch last := len(numbers) - 1; last {
	case -1:
		return ""
	case 0:
		return "Run " + numbers[0] + " has"
	default:
		return "Runs " + strings.Join(numbers[:last], ", ") + " and " + numbers[last] + " have"
	}
}

// clientsOf names the clients of a run.
func clientsOf(b *Bundle) []string {
	var out []string
	if h := b.anyHistory(); h != nil {
		for _, n := range h.Header.Nodes {
			if n.Role == history.RoleClient {
				out = append(out, clean(n.Name, maxName))
			}
		}
	}
	return out
}

// scaleOf is by how many millionths the times of a run are multiplied.
func scaleOf(b *Bundle) int64 {
	if h := b.anyHistory(); h != nil {
		return h.Header.ScalePPM
	}
	return 0
}

// anyHistory returns the first history of a bundle; nil when there is none.
func (b *Bundle) anyHistory() *history.History {
	for i := range b.Runs {
		if h := b.Runs[i].Judgement.History; h != nil {
			return h
		}
	}
	return nil
}
