package bundle

import (
	"maps"
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/rate"
	"lockstep/internal/say"
)

// HourlyRate is the rate at which a property broke per hour of the story.
type HourlyRate struct {
	PerHour float64 `json:"per_hour" doc:"Runs that broke it, for each hour of the story."`
	Low     float64 `json:"per_hour_low" doc:"The lower end of its 95 % interval (Wilson, of the runs)."`
	High    float64 `json:"per_hour_high" doc:"The upper end."`
}

// storyTime is the unscaled length of a story in milliseconds: until all faults were over and the
// probe began.
func storyTime(h *history.History) int64 {
	end := h.End()
	for _, e := range slices.Backward(h.Events) {
		if e.Kind == history.Healed {
			end = e.At
			break
		}
	}
	ms := end.Duration().Milliseconds()
	if ppm := h.Header.ScalePPM; ppm > 0 {
		ms = ms * rate.One / ppm
	}
	return ms
}

// countHours computes the hourly rates. Runs that are no evidence do not count, unless the random
// draws spared them.
func (t *Tally) countHours() {
	t.played, t.inHours, t.PerHour = 0, t.Tested+t.Spared, map[string]HourlyRate{}
	for i, why := range t.untested { // t.took is 0 for a seed that was not played
		if why.Empty() || spared(why) {
			t.played += t.took[i]
		}
	}
	t.Hours = rate.InOne(t.hoursPPM())
	for name, n := range t.Broken { // order: each property on its own
		at, low, high := t.hourly(n)
		t.PerHour[name] = HourlyRate{rate.InOne(at), rate.InOne(low), rate.InOne(high)}
	}
}

// spared reports whether a run tested nothing because of its random draws.
func spared(why say.Phrase) bool {
	return why.Is(say.NothingDrawn) || why.Is(say.NoDrawnHadEffect) || why.Is(say.NoDrawnContended)
}

// hourly is the hourly rate of what happened in n runs, and its interval, in millionths.
func (t *Tally) hourly(n int) (at, low, high int64) {
	n = min(n, t.inHours)
	low, high = rate.Wilson(n, t.inHours)
	return rate.PerHour(rate.Of(n, t.inHours), t.inHours, t.played), rate.PerHour(low, t.inHours, t.played), rate.PerHour(high, t.inHours, t.played)
}

// hoursPPM is the length of all counted stories in millionths of an hour.
func (t *Tally) hoursPPM() int64 {
	return t.played/time.Hour.Milliseconds()*rate.One + t.played%time.Hour.Milliseconds()*rate.One/time.Hour.Milliseconds()
}

// HoursText says how often a property broke per hour of the story; empty if nothing was tested.
func (t *Tally) HoursText() say.Phrase {
	if t.Tested == 0 || t.played <= 0 {
		return say.Phrase{}
	}
	hours := say.Verbatim(rate.Decimal(t.hoursPPM()))
	if len(t.Broken) == 0 {
		_, _, high := t.hourly(0)
		return say.NoneInHours.With(hours, say.Verbatim(rate.Decimal(high)))
	}
	var parts say.Remarks
	for _, name := range slices.Sorted(maps.Keys(t.Broken)) {
		at, low, high := t.hourly(t.Broken[name])
		parts = append(parts, say.PerHour.With(say.Property(name), say.Verbatim(rate.Decimal(at)), say.Verbatim(rate.Decimal(low)), say.Verbatim(rate.Decimal(high))))
	}
	return say.InHours.With(hours, parts)
}
