package search

import (
	"strconv"
	"strings"

	"lockstep/internal/explain"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/timeline"
)

// The texts of the smallest version.

// title says what breaks, and in which story. Shrinking the file again does not change it.
func (f *Found) title(l say.Language) string {
	lock, property := say.Verbatim(f.Lock), say.Property(f.Property)
	before := say.CounterexampleOf.With(lock, property, "").In(l)
	of := strings.TrimPrefix(f.Original.Prose(l).Name, before)
	title := []rune(say.CounterexampleOf.With(lock, property, say.Verbatim(of)).In(l))
	return string(title[:min(len(title), scenario.MaxTitle)])
}

// story tells the smallest version in the words of package explain.
func (f *Found) story(l say.Language) string {
	j := &f.Judgement
	t := timeline.Of(j.History)
	said := explain.Verdict(t, j)
	if wrong := explain.Assumption(t, j.Findings, 0); wrong.Proved() {
		said = say.AssumedWrongly.With(said, wrong.Assumed, wrong.Formula)
	}
	return strings.Join(strings.Fields(said.In(l)), " ")
}

// origin says where the file comes from.
func (f *Found) origin(l say.Language) string {
	return say.FoundAndShrunk.With(say.Verbatim(f.Original.File), say.Verbatim(strconv.FormatUint(f.Seed, 10)), say.Flag(f.Unfinished), f.Before.Words(), f.After.Words()).In(l)
}

// Words say how large the story is.
func (s Size) Words() say.Phrase {
	return say.StorySize.With(say.Number(s.Faults), say.Number(s.Clients), say.Number(s.Rounds), say.Number(s.Events))
}
