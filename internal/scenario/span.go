package scenario

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/rng/spread"
)

// percentileForm is one part of a duration that is given by percentiles.
var percentileForm = regexp.MustCompile(`^(min|max|p[0-9]{1,2}(?:\.[0-9]{1,4})?) +(.+)$`)

const percentilesExample = "p50 20ms, p99.9 4s"

// span reads a duration, a range such as 2s..3s, or percentiles; the zero range after a mistake.
func (r *reader) span(n *node, name, example string) plan.Range {
	s, _ := read(r, n, name, example, func(text string) (plan.Range, string) {
		s, wrong := parseSpan(text)
		if gap := gapOf(text); gap > 0 {
			wrong = fmt.Sprintf("%s is a rate: write how much later one comes than the one before, %s: %s, or %s: %s..%s",
				quote(text), name, faults.Duration(gap), name, faults.Duration(gap/2), faults.Duration(gap/2*3))
		}
		return s, wrong
	})
	return s
}

// rateForm matches a rate: 30 per minute.
var rateForm = regexp.MustCompile(`^([1-9][0-9]{0,5}) ?(?:per|/) ?(s|m|h)[a-z]*$`)

// gapOf returns the interval of a rate, to the millisecond; 0 when a text is not a rate.
func gapOf(text string) time.Duration {
	m := rateForm.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	unit := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[m[2]]
	each, _ := strconv.ParseInt(m[1], 10, 64) // six digits at most
	return max((unit / time.Duration(each)).Truncate(2*time.Millisecond), 2*time.Millisecond)
}

// varies reports whether a text looks like a span rather than a duration.
func varies(text string) bool {
	return strings.Contains(text, "..") || percentileForm.MatchString(text) || strings.Contains(text, ",")
}

// parseSpan reads a span; the second result says what is wrong, "" when nothing is.
func parseSpan(text string) (plan.Range, string) {
	if percentileForm.MatchString(text) || strings.Contains(text, ",") {
		return parsePercentiles(text)
	}
	from, to, isRange := strings.Cut(text, "..")
	from, to = strings.TrimSpace(from), strings.TrimSpace(to)
	if !isRange {
		to = from
	}
	low, wrong := parseDuration(from)
	high, wrongToo := parseDuration(to)
	switch {
	case wrong != "":
		return plan.Range{}, wrong
	case wrongToo != "":
		return plan.Range{}, wrongToo
	case low > high:
		return plan.Range{}, fmt.Sprintf("the range %s runs backwards: write %s..%s", quote(text), to, from)
	}
	return plan.Range{Min: low, Max: high}, ""
}

// parsePercentiles reads p50 20ms, p99.9 4s, with or without min and max.
func parsePercentiles(text string) (out plan.Range, wrong string) {
	none := plan.Range{}
	for part := range strings.SplitSeq(text, ",") {
		m := percentileForm.FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			return none, fmt.Sprintf("%s is no percentile: write for example %s", quote(strings.TrimSpace(part)), percentilesExample)
		}
		d, wrong := parseDuration(strings.TrimSpace(m[2]))
		switch {
		case wrong != "":
			return none, wrong
		case m[1] == "min":
			out.Min = d
		case m[1] == "max":
			out.Max = d
		case d == 0:
			return none, fmt.Sprintf("%s cannot be 0s: a percentile is longer than that; write for example %s", m[1], percentilesExample)
		default:
			out.Percentiles = append(out.Percentiles, spread.Percentile{Share: millionths(m[1][1:]), Length: d})
		}
	}
	return checkPercentiles(text, out)
}

// checkPercentiles checks percentiles as a whole, and fills in the maximum.
func checkPercentiles(text string, out plan.Range) (plan.Range, string) {
	p := out.Percentiles
	if len(p) < 2 {
		return plan.Range{}, fmt.Sprintf("%s has %d percentile, and a tail needs at least two: write for example %s", quote(text), len(p), percentilesExample)
	}
	last := p[len(p)-1].Length
	if out.Max == 0 {
		out.Max = min(last*spread.TailFactor, maxDuration)
	}
	before := spread.Percentile{Length: out.Min}
	ascending := out.Max >= last
	for _, each := range p {
		ascending = ascending && each.Share > before.Share && each.Length >= before.Length
		before = each
	}
	if !ascending {
		return plan.Range{}, fmt.Sprintf("the percentiles %s do not grow: write them from the lowest to the highest, min first and max last, such as %s, max 40s", quote(text), percentilesExample)
	}
	return out, ""
}

// durationOrRange reads a duration that may vary from run to run. A range is stored under its key,
// and its maximum returned.
func (r *reader) durationOrRange(n *node, name, example string, least time.Duration, key string, into map[string]plan.Range) time.Duration {
	if n.kind != scalarNode || !varies(strings.TrimSpace(n.text)) {
		d, _ := r.duration(n, name, example, least)
		return d
	}
	s := r.spanFrom(n, name, example, least)
	if !s.IsFixed() {
		into[key] = s
	}
	return s.Max
}
