package scenario

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
)

// maxDuration is the longest duration that a scenario may have. Longer ones are typing mistakes,
// and sums of them would overflow.
const maxDuration = 24 * time.Hour

var (
	// Three decimals at most, and none for nanoseconds, so that nothing is rounded silently.
	durationForm = regexp.MustCompile(`^([0-9]+ns|[0-9]+(\.[0-9]{1,3})?(us|ms|s|m|h))+$`)
	numberForm   = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)
	wholeForm    = regexp.MustCompile(`^[0-9]+$`)
	percentForm  = regexp.MustCompile(`^[0-9]{1,3}(\.[0-9]{1,4})?$`)
	timesForm    = regexp.MustCompile(`^([0-9]{1,9}) times?$`)
)

// parseDuration reads a duration that is not negative; the second result says what is wrong, ""
// when nothing is.
func parseDuration(text string) (time.Duration, string) {
	squeezed := strings.ReplaceAll(text, " ", "")
	switch {
	case strings.HasPrefix(text, "-") && durationForm.MatchString(squeezed[1:]):
		return 0, fmt.Sprintf("%s is negative: a duration is 0s or longer", quote(text))
	case numberForm.MatchString(text):
		return 0, fmt.Sprintf("%s has no unit: write %ss or %sms", quote(text), text, text)
	case !durationForm.MatchString(text) && durationForm.MatchString(squeezed):
		return 0, fmt.Sprintf("%s has a space in it: write %s", quote(text), squeezed)
	case !durationForm.MatchString(text):
		return 0, fmt.Sprintf("%s is not a duration: write a number (at most three decimals) and its unit, ns, us, ms, s, m or h, such as 10s or 1m30s", quote(text))
	}
	d, err := time.ParseDuration(text)
	if err != nil || d > maxDuration {
		return 0, fmt.Sprintf("%s is too long: the longest duration in a scenario is 24h", quote(text))
	}
	return d, ""
}

// duration reads a duration of at least least.
func (r *reader) duration(n *node, name, example string, least time.Duration) (time.Duration, bool) {
	return read(r, n, name, example, func(text string) (time.Duration, string) {
		d, wrong := parseDuration(text)
		switch {
		case wrong != "" || d >= least:
			return d, wrong
		case least == 1:
			return 0, fmt.Sprintf("%s must be longer than 0s: write %s", name, example)
		}
		return 0, fmt.Sprintf("%s is too short for %s: write %s or more", quote(text), name, faults.Duration(least))
	})
}

// offset reads a duration with a sign.
func (r *reader) offset(n *node, name, example string) (time.Duration, bool) {
	return read(r, n, name, example, func(text string) (time.Duration, string) {
		sign, rest := signOf(text)
		d, wrong := parseDuration(rest)
		return time.Duration(sign) * d, wrong
	})
}

func signOf(text string) (sign int64, rest string) {
	switch {
	case strings.HasPrefix(text, "-"):
		return -1, text[1:]
	case strings.HasPrefix(text, "+"):
		return 1, text[1:]
	}
	return 1, text
}

// maxDrift is half the speed of time; a clock beyond it is broken rather than drifting.
const maxDrift = 500_000

// drift reads a rate such as 200ppm or -50ppm.
func (r *reader) drift(n *node, name, example string) (int64, bool) {
	return read(r, n, name, example, func(text string) (int64, string) {
		sign, rest := signOf(text)
		number, found := strings.CutSuffix(rest, "ppm")
		v, err := strconv.ParseUint(number, 10, 63)
		switch {
		case numberForm.MatchString(rest):
			return 0, fmt.Sprintf("%s has no unit: write %sppm", quote(text), text)
		case !found || !numberForm.MatchString(number) || strings.Contains(number, "."):
			return 0, fmt.Sprintf("%s is not a drift: write whole parts per million, such as 200ppm or -50ppm", quote(text))
		case err != nil || v > maxDrift:
			return 0, fmt.Sprintf("%s is too much: a clock drifts by at most %dppm here", quote(text), maxDrift)
		}
		return sign * int64(v), ""
	})
}

// rate reads a change of a rate, such as +5% or -200ppm, as millionths; it is not 0.
func (r *reader) rate(n *node, name, example string) (int64, bool) {
	return read(r, n, name, example, func(text string) (int64, string) {
		sign, rest := signOf(text)
		ppm, err := int64(0), error(nil)
		if number, found := strings.CutSuffix(rest, "%"); found && percentForm.MatchString(number) {
			ppm = millionths(number)
		} else if number, found := strings.CutSuffix(rest, "ppm"); found && wholeForm.MatchString(number) {
			ppm, err = strconv.ParseInt(number, 10, 64)
		} else {
			return 0, fmt.Sprintf("%s is not a change of a rate: write a percentage or parts per million, such as %s or -200ppm", quote(text), strings.TrimPrefix(example, name+": "))
		}
		switch {
		case err != nil || ppm > maxDrift:
			return 0, fmt.Sprintf("%s is too much: a clock runs faster or slower by at most %d%% here", quote(text), maxDrift/10_000)
		case ppm == 0:
			return 0, fmt.Sprintf("%s changes nothing: write %s", quote(text), example)
		}
		return sign * ppm, ""
	})
}

// millionths turns the number of a percentage into parts per million.
func millionths(percent string) int64 {
	whole, decimals, _ := strings.Cut(percent, ".")
	ppm, _ := strconv.ParseInt(whole+(decimals + "0000")[:4], 10, 64)
	return ppm
}

// percent reads a share such as 0.5% as millionths.
func (r *reader) percent(n *node, name, example string) (int64, bool) {
	return read(r, n, name, example, func(text string) (int64, string) {
		number, found := strings.CutSuffix(text, "%")
		switch {
		case !found && numberForm.MatchString(text) && strings.HasPrefix(text, "0."):
			return 0, fmt.Sprintf("%s has no unit: write %s or %s%%", quote(text), plan.Percent(100*millionths(text)), text)
		case !found && numberForm.MatchString(text):
			return 0, fmt.Sprintf("%s has no unit: write %s%%", quote(text), text)
		case !found || !percentForm.MatchString(number):
			return 0, fmt.Sprintf("%s is not a share: write a percentage with at most four decimals, such as 0.5%%", quote(text))
		case millionths(number) > 1_000_000:
			return 0, fmt.Sprintf("%s is more than everything: a share is 100%% at most", quote(text))
		}
		return millionths(number), ""
	})
}

// count reads a whole number.
func (r *reader) count(n *node, name, example string, least, most int) (int, bool) {
	return read(r, n, name, example, func(text string) (int, string) {
		v, err := strconv.Atoi(text)
		if err != nil || !numberForm.MatchString(text) || v < least || v > most {
			return 0, fmt.Sprintf("%s must be a whole number from %d to %d, not %s: write %s", name, least, most, quote(text), example)
		}
		return v, ""
	})
}
