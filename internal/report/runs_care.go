package report

import (
	"fmt"
	"slices"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// fewAcquisitions is below how many of them a 99th percentile says no more than the
// longest wait.
const fewAcquisitions = 100

// cares says why the runs cannot be compared without care, the gravest first. None
// of it forbids to look; each names the runs that it is about.
func (c *RunComparison) cares(sides []side) []string {
	var out []string
	add := func(p say.Phrase) { out = append(out, clean(p.In(c.Language), maxLine)) }
	first := c.Runs[0].Bundle
	if names := c.others(func(b *Bundle) bool { return b.slug() != first.slug() }); !names.Empty() {
		add(say.OtherScenario.With(names))
	} else if diffs := c.settingDiffs(); len(diffs) > 0 {
		add(say.ScenarioDiffers.With(diffs[0].words()))
	}
	if names := c.others(func(b *Bundle) bool { return !slices.Equal(clientsOf(b), clientsOf(first)) }); !names.Empty() {
		add(say.OtherClients.With(names, listOf(clientsOf(first))))
	}
	if names := c.others(func(b *Bundle) bool { return b.Backend != first.Backend }); !names.Empty() {
		add(say.OtherWorld.With(names, say.Verbatim(first.Backend)))
	}
	if names := c.others(func(b *Bundle) bool { return scaleOf(b) != scaleOf(first) }); !names.Empty() {
		add(say.OtherScale.With(names))
	}
	out = append(out, c.aboutSides(sides)...)
	for n := 1; n < len(c.Runs); n++ {
		for m := range n {
			if sameBytes(c.Runs[n].Bundle, c.Runs[m].Bundle) {
				add(say.RunOnceMore.With(say.Number(n+1), say.Number(m+1)))
				break
			}
		}
	}
	if !c.others(func(b *Bundle) bool { return b.Seed != first.Seed }).Empty() {
		add(say.Text("Each run is one draw of luck. Play many seeds to tell a difference from chance: simulate run FILE --times 1000."))
	}
	return out
}

// aboutSides lists what single locks of single runs lack.
func (c *RunComparison) aboutSides(sides []side) []string {
	var cut, untested, few say.Remarks
	for i := range sides {
		s := &sides[i]
		h := s.r.Judgement.History
		switch {
		case h == nil:
			untested = append(untested, say.BecauseOf.With(say.Verbatim(s.name), say.Text("not played")))
			continue
		case cutShort(h):
			cut = append(cut, say.Text(s.name))
		case !s.r.Untested.Empty():
			untested = append(untested, say.BecauseOf.With(say.Verbatim(s.name), s.r.Untested))
		}
		if n := len(s.waits); n > 0 && n < fewAcquisitions {
			few = append(few, say.Text(s.name))
		}
	}
	var out []string
	add := func(p say.Phrase) { out = append(out, clean(p.In(c.Language), maxLine)) }
	if len(cut) > 0 {
		add(say.SidesCutShort.With(cut))
	}
	if len(untested) > 0 {
		add(say.SidesUntested.With(untested))
	}
	if len(few) == len(sides) {
		add(say.AllAcquiredFew.With(fewAcquisitions))
	} else if len(few) > 0 {
		add(say.SidesAcquiredFew.With(fewAcquisitions, few))
	}
	return out
}

// others names the runs for which something is so, with the verb that belongs to
// them: "Run 2 has", "Runs 2 and 3 have"; nothing for none.
func (c *RunComparison) others(is func(b *Bundle) bool) say.Phrase {
	var numbers say.Names
	for n := 1; n < len(c.Runs); n++ {
		if is(c.Runs[n].Bundle) {
			numbers = append(numbers, fmt.Sprint(n+1))
		}
	}
	switch len(numbers) {
	case 0:
		return say.Phrase{}
	case 1:
		return say.RunHas.With(numbers)
	default:
		return say.RunsHave.With(numbers)
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
