package logcheck

import (
	"fmt"
	"slices"
	"time"

	"lockstep/internal/logcheck/logline"
	"lockstep/internal/say"
)

// Rules are what a log does not say of itself.
type Rules struct {
	ClockError    time.Duration // how far the clock of each client may be off, either way
	ReleasedAfter time.Duration // how long after a release its line may be written
	Lease         time.Duration // for how long a lock is granted; 0: not stated
	Reentrant     bool          // a client may acquire again what it holds
	Assumed       Assumed
}

// Assumed says which of the rules are not stated but plausible. What a log shows is then judged with them
// and with zero, and only what both show is certain, or none.
type Assumed struct{ ClockError, ReleasedAfter bool }

// Stated are the rules with what a format states of them and nothing else has.
func (r Rules) Stated(f *logline.Format) (Rules, error) {
	for _, one := range []struct {
		key, text string
		to        *time.Duration
		assumed   *bool
		most      time.Duration
	}{
		{"clock-error", f.ClockError, &r.ClockError, &r.Assumed.ClockError, MaxClockError},
		{"released-after", f.ReleasedAfter, &r.ReleasedAfter, &r.Assumed.ReleasedAfter, MaxReleasedAfter},
		{"lease", f.Lease, &r.Lease, nil, MaxLease},
	} {
		if one.text == "" || one.assumed != nil && !*one.assumed || one.assumed == nil && *one.to != 0 {
			continue
		}
		d, err := time.ParseDuration(one.text)
		if err != nil || d < 0 || d > one.most {
			return r, fmt.Errorf("%s: %q is no time from 0 to %v, such as 50ms", one.key, one.text, one.most)
		}
		if *one.to = d; one.assumed != nil {
			*one.assumed = false
		}
	}
	r.Reentrant = r.Reentrant || f.Reentrant
	return r, nil
}

// Usable reports what of a format cannot be used: an event of two meanings, a zone, a unit or an encoding that there is
// not.
func Usable(f *logline.Format) error {
	if _, err := newValues(f); err != nil {
		return err
	}
	if err := EncodingOf(f.Encoding); err != nil {
		return fmt.Errorf("encoding: %w", err)
	}
	return nil
}

// What is plausible of machines that keep their clocks by NTP, and of a release whose reply is awaited.
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

// Setting is one choice of what is not stated, and what the log shows then.
type Setting struct {
	ClockError, ReleasedAfter time.Duration
	Overlap, StaleWrite       Verdict
}

// setting is one in nanoseconds.
type setting struct{ clock, late int64 }

// settings are those that a log is judged by: the one that leaves most open first, then the others, the last
// one without an error that was not stated.
func (r Rules) settings() (all []setting) {
	clocks, lates := []time.Duration{r.ClockError}, []time.Duration{r.ReleasedAfter}
	if r.Assumed.ClockError {
		clocks = append(clocks, 0)
	}
	if r.Assumed.ReleasedAfter {
		lates = append(lates, 0)
	}
	for _, c := range clocks {
		for _, l := range lates {
			all = append(all, setting{int64(c), int64(l)})
		}
	}
	return all
}

// before reports whether what was cut off to a time and a grain came before another line's time for
// sure, by clocks that are off by no more than the error.
func (s setting) before(at, grain, other int64) bool { return at+grain+2*s.clock <= other }

// seen is the worst outcome of each sort under one setting.
type seen struct{ overlap, stale outcome }

// weigh asks for the outcome of something under all settings, and returns that under the first one. What
// is none there is none under the others.
func (j *judge) weigh(sort Sort, of func(setting) outcome) outcome {
	first := of(j.settings[0])
	if first == none {
		return none
	}
	for i, s := range j.settings {
		worst := &j.seen[i].overlap
		if sort == StaleWrite {
			worst = &j.seen[i].stale
		}
		*worst = max(*worst, of(s))
	}
	return first
}

// sum notes what the log shows under each setting, and says what was assumed.
func (j *judge) sum(r *Result) {
	for i, s := range j.settings {
		at := Setting{ClockError: time.Duration(s.clock), ReleasedAfter: time.Duration(s.late)}
		at.Overlap = verdictOf(j.seen[i].overlap, len(r.Doubts) > 0)
		at.StaleWrite = verdictOf(j.seen[i].stale, r.Writes > 0 && len(r.Doubts) > 0)
		r.Settings = append(r.Settings, at)
	}
	if remark := j.rules.assumption(r.Settings); !remark.Empty() {
		r.Remarks = slices.Insert(r.Remarks, 0, remark)
	}
}

// assumption says what was assumed, and what the verdict is without it.
func (r Rules) assumption(all []Setting) say.Phrase {
	var flags say.Series
	if r.Assumed.ClockError {
		flags = append(flags, flag("--clock-error", r.ClockError))
	}
	if r.Assumed.ReleasedAfter {
		flags = append(flags, flag("--released-after", r.ReleasedAfter))
	}
	if len(flags) == 0 {
		return say.Phrase{}
	}
	worst := func(s Setting) Verdict { return worse(s.Overlap, s.StaleWrite) }
	// Settings with fewer zeros come first.
	for _, s := range all[1:] {
		if worst(s) == worst(all[0]) {
			continue
		}
		var zeros say.Series
		if s.ClockError != all[0].ClockError {
			zeros = append(zeros, flag("--clock-error", 0))
		}
		if s.ReleasedAfter != all[0].ReleasedAfter {
			zeros = append(zeros, flag("--released-after", 0))
		}
		return say.LogAssumedMatters.With(flags, zeros, say.Text(string(worst(s))))
	}
	return say.LogAssumed.With(flags)
}

// flag is one of the command line with its value.
func flag(name string, value time.Duration) say.Verbatim {
	return say.Verbatim(name + " " + value.String())
}
