package logcheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"lockstep/internal/logcheck/logline"
	"lockstep/internal/say"
)

// Rules are facts about a log that the log does not contain.
type Rules struct {
	ClockError    time.Duration // the largest error of each client's clock, either way
	ReleasedAfter time.Duration // the largest delay of the line of a release
	Lease         time.Duration // of each grant; 0: not stated
	Reentrant     bool          // a client may acquire a lock again while it holds it
	Assumed       Assumed
}

// Assumed marks rules that are not stated but plausible: the log is judged with them and with zero.
type Assumed struct{ ClockError, ReleasedAfter bool }

// Stated returns the rules, with those that only the format states.
func (r Rules) Stated(f *logline.Format) (Rules, error) {
	noLease := r.Lease == 0
	for _, one := range []struct {
		key, text string
		to        *time.Duration
		open      *bool
		most      time.Duration
	}{
		{"clock-error", f.ClockError, &r.ClockError, &r.Assumed.ClockError, MaxClockError},
		{"released-after", f.ReleasedAfter, &r.ReleasedAfter, &r.Assumed.ReleasedAfter, MaxReleasedAfter},
		{"lease", f.Lease, &r.Lease, &noLease, MaxLease},
	} {
		if one.text == "" || !*one.open {
			continue
		}
		d, err := time.ParseDuration(one.text)
		if err != nil || d < 0 || d > one.most {
			return r, fmt.Errorf("%s: %q is no time from 0 to %v, such as 50ms", one.key, one.text, one.most)
		}
		*one.to, *one.open = d, false
	}
	r.Reentrant = r.Reentrant || f.Reentrant
	return r, nil
}

// Usable returns an error for a format with an ambiguous event, or with an unknown zone, unit or
// encoding.
func Usable(f *logline.Format) error {
	if _, err := newValues(f); err != nil {
		return err
	}
	if _, ok := encodings[f.Encoding]; !ok && f.Encoding != "" {
		return fmt.Errorf("encoding: there is no %q: there are %s", f.Encoding, strings.Join(slices.Sorted(maps.Keys(encodings)), ", "))
	}
	return nil
}

// Plausible values for machines with NTP, and for a client that logs a release after the reply.
const (
	PlausibleClockError    = 10 * time.Millisecond
	PlausibleReleasedAfter = 100 * time.Millisecond
)

// MaxClockError, MaxReleasedAfter and MaxLease bound the rules, so that times stay within int64.
const (
	MaxClockError    = 24 * time.Hour
	MaxReleasedAfter = 24 * time.Hour
	MaxLease         = 10 * 365 * 24 * time.Hour
)

// Setting is one choice of the assumed rules, with the verdicts under it.
type Setting struct {
	ClockError, ReleasedAfter time.Duration
	Overlap, StaleWrite       Verdict
}

// settings are in order: first the one with the largest errors, last the one without assumptions.
func (r Rules) settings() (all []Setting) {
	clocks, lates := []time.Duration{r.ClockError}, []time.Duration{r.ReleasedAfter}
	if r.Assumed.ClockError {
		clocks = append(clocks, 0)
	}
	if r.Assumed.ReleasedAfter {
		lates = append(lates, 0)
	}
	for _, c := range clocks {
		for _, l := range lates {
			all = append(all, Setting{c, l, None, None})
		}
	}
	return all
}

// before reports whether an event certainly came before the time of another one.
func (s *Setting) before(at, grain, other int64) bool {
	return at+grain+2*int64(s.ClockError) <= other
}

// weigh notes a verdict under all settings, and returns the first one. If that is none, all are.
func (j *judge) weigh(sort Sort, of func(*Setting) Verdict) Verdict {
	first := of(&j.settings[0])
	if first == None {
		return None
	}
	for i := range j.settings {
		s := &j.settings[i]
		if sort == Overlap {
			s.Overlap = worse(s.Overlap, of(s))
		} else {
			s.StaleWrite = worse(s.StaleWrite, of(s))
		}
	}
	return first
}

// sum adds the verdicts under each setting to a result, and a remark about the assumptions.
func (j *judge) sum(r *Result) {
	for _, s := range j.settings {
		if len(r.Doubts) > 0 {
			s.Overlap = worse(s.Overlap, Unknown)
		}
		if len(r.Doubts) > 0 && r.Writes > 0 {
			s.StaleWrite = worse(s.StaleWrite, Unknown)
		}
		r.Settings = append(r.Settings, s)
	}
	if remark := j.rules.assumption(r.Settings); !remark.Empty() {
		r.Remarks = slices.Insert(r.Remarks, 0, remark)
	}
}

// assumption states the assumptions, and the verdict without them if it differs.
func (r Rules) assumption(all []Setting) say.Phrase {
	flags := func(of Setting, clock, late bool) (list say.Series) {
		if clock {
			list = append(list, flag("--clock-error", of.ClockError))
		}
		if late {
			list = append(list, flag("--released-after", of.ReleasedAfter))
		}
		return list
	}
	assumed := flags(all[0], r.Assumed.ClockError, r.Assumed.ReleasedAfter)
	if len(assumed) == 0 {
		return say.Phrase{}
	}
	worst := func(s Setting) Verdict { return worse(s.Overlap, s.StaleWrite) }
	for _, s := range all[1:] { // those with fewer zeros first
		if worst(s) != worst(all[0]) {
			zeros := flags(s, s.ClockError != all[0].ClockError, s.ReleasedAfter != all[0].ReleasedAfter)
			return say.LogAssumedMatters.With(assumed, zeros, say.Text(string(worst(s))))
		}
	}
	return say.LogAssumed.With(assumed)
}

func flag(name string, value time.Duration) say.Verbatim {
	return say.Verbatim(name + " " + value.String())
}
