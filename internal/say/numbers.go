package say

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Number is a whole number.
type Number int64

// In writes the number in digits.
func (n Number) In(Language) string { return strconv.FormatInt(int64(n), 10) }

// Optional is a number that is left out if it is zero.
type Optional int64

// In writes the number in digits.
func (o Optional) In(l Language) string { return unlessZero(o, Number(o), l) }

// unlessZero is a part in a language; "" if its value is zero.
func unlessZero[T comparable](value T, p Part, l Language) string {
	if value == *new(T) {
		return ""
	}
	return p.In(l)
}

// Few is a number that is spelled out from two to five: two clients.
type Few int

// In writes the number.
func (f Few) In(l Language) string {
	if words := [...]string{2: "two", 3: "three", 4: "four", 5: "five"}; f > 1 && int(f) < len(words) {
		return translated(l, words[f])
	}
	return strconv.Itoa(int(f))
}

// Times is how often something happened: once, 3 times.
type Times int

// In writes the number.
func (t Times) In(l Language) string {
	if t == 1 && l != Chinese {
		return "once"
	}
	return strconv.Itoa(int(t)) + translated(l, " times")
}

// OptionalTimes is how often something happened, left out if it never did.
type OptionalTimes int

// In writes the number.
func (t OptionalTimes) In(l Language) string { return unlessZero(t, Times(t), l) }

// Span is a duration without trailing zeros: 15 s, 0.5 s, 4.983 s, 0.42 ms.
type Span time.Duration

// In writes the duration.
func (s Span) In(l Language) string {
	if s < 0 {
		return "-" + (-s).In(l)
	}
	if s > 0 && time.Duration(s) < time.Millisecond {
		return shortest(0, max(int64(s)/1000, 1)) + translated(l, " ms")
	}
	ms := (int64(s) + 500_000) / 1_000_000
	return shortest(ms/1000, ms%1000) + translated(l, " s")
}

// OptionalSpan is a span that is left out if it is zero.
type OptionalSpan time.Duration

// In writes the duration.
func (s OptionalSpan) In(l Language) string { return unlessZero(s, Span(s), l) }

// Planned is a configured duration: 60 s, 1.5 s, 100 ms.
type Planned time.Duration

// In writes the duration.
func (p Planned) In(l Language) string {
	number, unit := float64(p)/1e9, translated(l, " s")
	if p > -Planned(time.Second) && p < Planned(time.Second) && p != 0 {
		number, unit = float64(p)/1e6, translated(l, " ms")
	}
	return strconv.FormatFloat(number, 'f', -1, 64) + unit
}

// Between is a range of configured durations: 8 s to 9 s, or 60 s if it has one value only.
func Between(least, most time.Duration) Phrase {
	if most <= least {
		return Said.With(Planned(least))
	}
	return FromTo.With(Planned(least), Planned(most))
}

// shortest joins a whole number and its thousandths without trailing zeros.
func shortest(whole, thousandths int64) string {
	if thousandths == 0 {
		return strconv.FormatInt(whole, 10)
	}
	return strconv.FormatInt(whole, 10) + "." + strings.TrimRight(fmt.Sprintf("%03d", thousandths), "0")
}

// Seconds is an instant, or a duration in a formula, always with three decimals.
type Seconds int64

// In writes the time.
func (s Seconds) In(l Language) string {
	sign, n := "", int64(s)
	if n < 0 {
		sign, n = "-", -n
	}
	ms := (n + 500_000) / 1_000_000
	return fmt.Sprintf("%s%d.%03d", sign, ms/1000, ms%1000) + translated(l, " s")
}

// OptionalSeconds is a time that is left out if it is zero.
type OptionalSeconds int64

// In writes the time.
func (s OptionalSeconds) In(l Language) string { return unlessZero(s, Seconds(s), l) }

// Rounded is a duration with two decimals below a second, else with one: 0.38 s, 9.0 s.
type Rounded time.Duration

// In writes the duration.
func (r Rounded) In(l Language) string {
	digits := 1
	if r < Rounded(time.Second) {
		digits = 2
	}
	return strconv.FormatFloat(time.Duration(r).Seconds(), 'f', digits, 64) + translated(l, " s")
}

// Measured is a measured duration: 12.3 ms, 4.983 s.
type Measured time.Duration

// In writes the duration.
func (m Measured) In(l Language) string {
	if m < 0 {
		return "-" + (-m).In(l)
	}
	if m < Measured(time.Second) {
		return strconv.FormatFloat(float64(m)/1e6, 'f', 1, 64) + translated(l, " ms")
	}
	return strconv.FormatFloat(time.Duration(m).Seconds(), 'f', 3, 64) + translated(l, " s")
}

// Grouped is a whole number with commas: 12,345.
type Grouped int

// In writes the number.
func (g Grouped) In(Language) string {
	s := strconv.Itoa(int(g))
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Percent is a rate with one decimal; 0 and 100 have none.
type Percent float64

// In writes the rate.
func (p Percent) In(Language) string {
	n := 100 * float64(p)
	if n == 0 || n >= 99.95 {
		return fmt.Sprintf("%.0f %%", n)
	}
	return fmt.Sprintf("%.1f %%", n)
}
