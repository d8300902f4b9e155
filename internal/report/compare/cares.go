package compare

import (
	"fmt"
	"slices"

	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// fewAcquisitions is below how many of them a 99th percentile says no more than the
// longest wait.
const fewAcquisitions = 100

// Cares says why the runs cannot be compared without care, the gravest first. None
// of it forbids to look; each names the runs that it is about.
func (c *Comparison) Cares(sides []Side) []string {
	var out []string
	add := func(p say.Phrase) { out = append(out, sanitize.Text(p.In(c.Language), sanitize.MaxLine)) }
	first := c.Runs[0].Bundle
	if names := c.others(func(b *bundle.Bundle) bool { return b.Slug() != first.Slug() }); !names.Empty() {
		add(say.OtherScenario.With(names))
	} else if diffs := c.Differences(); len(diffs) > 0 {
		add(say.ScenarioDiffers.With(diffs[0].Words()))
	}
	if names := c.others(func(b *bundle.Bundle) bool { return !slices.Equal(clientsOf(b), clientsOf(first)) }); !names.Empty() {
		add(say.OtherClients.With(names, say.ListOf(clientsOf(first))))
	}
	if names := c.others(func(b *bundle.Bundle) bool { return b.Backend != first.Backend }); !names.Empty() {
		add(say.OtherWorld.With(names, say.Verbatim(first.Backend)))
	}
	if names := c.others(func(b *bundle.Bundle) bool { return scaleOf(b) != scaleOf(first) }); !names.Empty() {
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
	if !c.others(func(b *bundle.Bundle) bool { return b.Seed != first.Seed }).Empty() {
		add(say.Text("Each run is a single draw. To tell a difference from chance, play many seeds: simulate run FILE --times 1000."))
	}
	return out
}

// aboutSides lists what single locks of single runs lack.
func (c *Comparison) aboutSides(sides []Side) []string {
	var cut, untested, few say.Remarks
	for i := range sides {
		s := &sides[i]
		h := s.Run.Judgement.History
		switch {
		case h == nil:
			untested = append(untested, say.BecauseOf.With(say.Verbatim(s.Name), say.Text("not played")))
			continue
		case cutShort(h):
			cut = append(cut, say.Text(s.Name))
		case !s.Run.Judgement.Untested.Empty():
			untested = append(untested, say.BecauseOf.With(say.Verbatim(s.Name), s.Run.Judgement.Untested))
		}
		if n := len(s.Waits); n > 0 && n < fewAcquisitions {
			few = append(few, say.Text(s.Name))
		}
	}
	var out []string
	add := func(p say.Phrase) { out = append(out, sanitize.Text(p.In(c.Language), sanitize.MaxLine)) }
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
func (c *Comparison) others(is func(b *bundle.Bundle) bool) say.Phrase {
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
func clientsOf(b *bundle.Bundle) []string {
	var out []string
	if h := b.AnyHistory(); h != nil {
		for _, n := range h.Header.Nodes {
			if n.Role == history.RoleClient {
				out = append(out, sanitize.Text(n.Name, sanitize.MaxName))
			}
		}
	}
	return out
}

// scaleOf is by how many millionths the times of a run are multiplied.
func scaleOf(b *bundle.Bundle) int64 {
	if h := b.AnyHistory(); h != nil {
		return h.Header.ScalePPM
	}
	return 0
}
