package compare

import (
	"fmt"
	"slices"

	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// fewAcquisitions is the number below which a 99th percentile is just the longest wait.
const fewAcquisitions = 100

// Cautions lists the reasons to compare the runs with care, the gravest first, each with its runs.
func (c *Comparison) Cautions() []string {
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
	aboutSides(c.Sides(), add)
	for n := 1; n < len(c.Runs); n++ {
		hash := c.Runs[n].Bundle.Hash
		m := slices.IndexFunc(c.Runs[:n], func(r Run) bool { return r.Bundle.Hash == hash })
		if m >= 0 && hash != "" {
			add(say.RunOnceMore.With(say.Number(n+1), say.Number(m+1)))
		}
	}
	if !c.others(func(b *bundle.Bundle) bool { return b.Seed != first.Seed }).Empty() {
		add(say.Text("Each run is a single draw. To tell a difference from chance, play many seeds: simulate run FILE --times 1000."))
	}
	return out
}

func aboutSides(sides []Side, add func(say.Phrase)) {
	var cut, untested, few say.Remarks
	for i := range sides {
		s := &sides[i]
		h := s.Run.Judgement.History
		switch {
		case h == nil:
			untested = append(untested, say.WithAside.With(say.Verbatim(s.Name), say.Text("not played")))
			continue
		case s.Run.Judgement.CutShort:
			cut = append(cut, say.Text(s.Name))
		case !s.Run.Judgement.Untested.Empty():
			untested = append(untested, say.WithAside.With(say.Verbatim(s.Name), s.Run.Judgement.Untested))
		}
		if n := len(s.Waits); n > 0 && n < fewAcquisitions {
			few = append(few, say.Text(s.Name))
		}
	}
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
}

// others names the runs that satisfy a condition, with their verb: "Run 2 has", "Runs 2 and 3
// have"; empty for none.
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

func clientsOf(b *bundle.Bundle) (names []string) {
	if _, h := b.First(); h != nil {
		for _, id := range h.NodesOf(history.RoleClient) {
			names = append(names, sanitize.Text(h.Name(id), sanitize.MaxName))
		}
	}
	return names
}

// scaleOf is the scale of a run in millionths; 0 when unknown.
func scaleOf(b *bundle.Bundle) int64 {
	if _, h := b.First(); h != nil {
		return h.Header.ScalePPM
	}
	return 0
}
