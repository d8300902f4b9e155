// Package spread has distributions of durations: between two bounds, or by percentiles, as
// monitoring reports them. Everything is drawn in integers, so that every build on every machine
// draws the same.
package spread

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Range is a duration that is drawn each time. Without percentiles, all values from Min to Max are
// equally likely.
//
// With percentiles, half of the values are below the 50th, and so on. Between two of them, and
// beyond the last one up to Max, the tail is a power law, as that of pauses and latencies: with p50
// 20ms and p99.9 4s, one of ten is 80 ms or more. From Min to the first percentile all values are
// equally likely.
type Range struct {
	Min, Max    time.Duration
	Percentiles []Percentile `json:",omitempty"` // ascending, two at least; nil without
}

// Percentile is a duration that a share of all cases does not exceed.
type Percentile struct {
	Share  int64         // in millionths: 999000 for p99.9; more than 0 and less than a million
	Length time.Duration // more than 0
}

// TailFactor times the last percentile is Max, unless the scenario says otherwise.
const TailFactor = 10

// Source draws a number from 0 to n-1.
type Source interface{ Int64N(n int64) int64 }

// Fixed is a range of one duration.
func Fixed(d time.Duration) Range { return Range{Min: d, Max: d} }

// IsFixed reports whether the range is one duration.
func (r Range) IsFixed() bool { return r.Max <= r.Min }

// Draw draws a duration. Both ends are included. It uses one number, or none for a fixed range.
func (r Range) Draw(from Source) time.Duration {
	switch {
	case r.IsFixed():
		return r.Min
	case r.Percentiles == nil:
		return r.Min + time.Duration(from.Int64N(int64(r.Max-r.Min)+1))
	}
	return r.at(from.Int64N(billion))
}

// The resolution of a draw by percentiles.
const billion = 1_000_000_000

// at returns the duration below which a share of all cases is, in billionths.
func (r Range) at(share int64) time.Duration {
	p := r.Percentiles
	first := p[0].Share * 1000
	if share < first {
		return r.Min + time.Duration(mulDiv(int64(p[0].Length-r.Min), share, first))
	}
	next := slices.IndexFunc(p, func(q Percentile) bool { return share < q.Share*1000 })
	if next < 0 { // beyond the last one the slope is the same
		next = len(p) - 1
	}
	a, b := p[next-1], p[next]
	// How far from a to b, by the logarithms of the share above.
	left := log2(uint64(billion - share))
	from, to := log2(uint64(billion-a.Share*1000)), log2(uint64(billion-b.Share*1000))
	low, high := log2(uint64(a.Length)), log2(uint64(b.Length))
	d := exp2(low + mulDiv(high-low, from-left, from-to))
	return min(max(d, r.Min), r.Max)
}

// Mean is the mean of what is drawn, rounded down.
func (r Range) Mean() time.Duration {
	if r.Percentiles == nil {
		return (r.Min + r.Max) / 2
	}
	const parts = 1000
	sum := time.Duration(0)
	for i := range int64(parts) {
		sum += r.at((2*i+1)*billion/(2*parts)) / parts
	}
	return sum
}

// Map returns the range with each duration changed. The order must stay the same.
func (r Range) Map(change func(time.Duration) time.Duration) Range {
	out := Range{Min: change(r.Min), Max: change(r.Max)}
	for _, p := range r.Percentiles {
		out.Percentiles = append(out.Percentiles, Percentile{p.Share, max(change(p.Length), 1)})
	}
	return out
}

// Text writes the range as a scenario does, and durations by write: 2s, 2s..3s, or p50 20ms, p99.9
// 4s, max 40s.
func (r Range) Text(write func(time.Duration) string) string {
	switch {
	case r.IsFixed():
		return write(r.Min)
	case r.Percentiles == nil:
		return write(r.Min) + ".." + write(r.Max)
	}
	var parts []string
	if r.Min > 0 {
		parts = append(parts, "min "+write(r.Min))
	}
	for _, p := range r.Percentiles {
		parts = append(parts, p.name()+" "+write(p.Length))
	}
	return strings.Join(append(parts, "max "+write(r.Max)), ", ")
}

// name is p50 or p99.9.
func (p Percentile) name() string {
	text := fmt.Sprintf("p%d.%04d", p.Share/10_000, p.Share%10_000)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
