package logcheck

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Unit is what the numbers of a log count, when its times are numbers.
type Unit time.Duration

// units are the words for them.
var units = map[string]Unit{
	"s": Unit(time.Second), "ms": Unit(time.Millisecond), "us": Unit(time.Microsecond), "ns": Unit(time.Nanosecond),
}

// UnitOf finds a unit by its word; none for "".
func UnitOf(word string) (Unit, error) {
	if u, ok := units[word]; ok || word == "" {
		return u, nil
	}
	return 0, fmt.Errorf("%q is no unit of time: name s, ms, us or ns", word)
}

// clock reads times, and says them again.
type clock struct {
	unit   Unit // 0: times are RFC 3339
	digits int8 // below the second, of the time that was read last
	// The day that was read last: the times of a log rarely leave it.
	day   [len("2006-01-02")]byte
	dayAt int64 // when it began, in nanoseconds
}

var errTimeRange = errors.New("the time is out of range: years from 1823 to 2116")

func (c *clock) read(text []byte) (int64, error) {
	if len(text) == 0 {
		return 0, errors.New("the time is missing")
	}
	if c.unit != 0 {
		return c.number(text)
	}
	if at, ok := c.utc(text); ok {
		return at, nil
	}
	c.digits = fraction(text)
	at, err := time.Parse(time.RFC3339Nano, string(text))
	switch {
	case err == nil && (at.Year() < 1824 || at.Year() > 2115):
		return 0, errTimeRange
	case err == nil:
		return at.UnixNano(), nil
	case numeric(text):
		return 0, fmt.Errorf("the time %s is a number: say what it counts with --time-unit s, ms, us or ns", shown(text))
	}
	return 0, fmt.Errorf("%s is no time such as 2026-03-01T10:20:30.123Z", shown(text))
}

// utc reads the usual form, 2026-03-01T10:20:30.123Z, ten times as fast as time.Parse. It leaves
// all others to that, and all days but the last one.
func (c *clock) utc(text []byte) (int64, bool) {
	const short = len("2006-01-02T15:04:05Z")
	if len(text) < short || text[len(text)-1] != 'Z' || text[10] != 'T' || text[13] != ':' || text[16] != ':' {
		return 0, false
	}
	hour, ok1 := twoDigits(text[11:])
	minute, ok2 := twoDigits(text[14:])
	second, ok3 := twoDigits(text[17:])
	if !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	nanos, digits := int64(0), int8(0)
	if fraction := text[19 : len(text)-1]; len(fraction) > 0 {
		if fraction[0] != '.' || len(fraction) < 2 || len(fraction) > 10 {
			return 0, false
		}
		unit := int64(100_000_000)
		for _, d := range fraction[1:] {
			if d < '0' || d > '9' {
				return 0, false
			}
			nanos += int64(d-'0') * unit
			unit /= 10
			digits++
		}
	}
	if string(text[:10]) != string(c.day[:]) {
		day, err := time.Parse(time.DateOnly, string(text[:10]))
		if err != nil || day.Year() < 1824 || day.Year() > 2115 {
			return 0, false
		}
		copy(c.day[:], text)
		c.dayAt = day.UnixNano()
	}
	c.digits = digits
	return c.dayAt + (hour*3600+minute*60+second)*int64(time.Second) + nanos, true
}

func twoDigits(text []byte) (int64, bool) {
	a, b := text[0]-'0', text[1]-'0'
	return int64(a)*10 + int64(b), a <= 9 && b <= 9
}

// fraction counts the digits behind the point, no more than nine.
func fraction(text []byte) (n int8) {
	if point := bytes.IndexAny(text, ".,"); point >= 0 {
		for _, d := range text[point+1:] {
			if d < '0' || d > '9' || n == 9 {
				break
			}
			n++
		}
	}
	return n
}

// number reads a decimal number of units.
func (c *clock) number(text []byte) (int64, error) {
	digits, negative := text, text[0] == '-'
	if negative {
		digits = text[1:]
	}
	at, unit, fraction, some := int64(0), int64(c.unit), false, false
	c.digits = c.unit.digits()
	for _, d := range digits {
		switch {
		case d == '.' && some && !fraction:
			fraction = true
		case d < '0' || d > '9':
			return 0, fmt.Errorf("%s is no number: leave --time-unit out for times such as 2026-03-01T10:20:30.123Z", shown(text))
		case fraction:
			unit /= 10 // below a nanosecond nothing is left
			c.digits = min(c.digits+1, 9)
			at += int64(d-'0') * unit
		default:
			some = true
			if at > (maxTime-9*int64(c.unit))/10 {
				return 0, fmt.Errorf("the time %s is out of range: at most 146 years in units of %s", shown(text), c.unit)
			}
			at = at*10 + int64(d-'0')*int64(c.unit)
		}
	}
	switch {
	case !some || digits[len(digits)-1] == '.':
		return 0, fmt.Errorf("%s is no number", shown(text))
	case negative:
		return -at, nil
	}
	return at, nil
}

// digits are those that a whole number of units has below the second.
func (u Unit) digits() (n int8) {
	for at := int64(u); at < int64(time.Second); at *= 10 {
		n++
	}
	return n
}

func (u Unit) String() string {
	for word, v := range units { // order: each has one word
		if v == u {
			return word
		}
	}
	return ""
}

// At says a time as the log does: RFC 3339 in UTC, or the number with its unit.
func (u Unit) At(at int64) string {
	if u == 0 {
		return time.Unix(0, at).UTC().Format("2006-01-02T15:04:05.999999999Z")
	}
	sign := ""
	if at < 0 {
		sign, at = "-", -at
	}
	text := fmt.Sprintf("%s%d", sign, at/int64(u))
	if rest := at % int64(u); rest != 0 {
		width := len(fmt.Sprint(int64(u))) - 1
		text += "." + strings.TrimRight(fmt.Sprintf("%0*d", width, rest), "0")
	}
	return text + " " + u.String()
}

func numeric(text []byte) bool {
	for _, d := range text {
		if (d < '0' || d > '9') && d != '.' && d != '-' && d != '+' && d != 'e' && d != 'E' {
			return false
		}
	}
	return true
}

// shown is a piece of a log in an error: quoted, and cut where it is long.
func shown(text []byte) string {
	const most = 40
	if len(text) > most {
		return fmt.Sprintf("%q...", text[:most])
	}
	return fmt.Sprintf("%q", text)
}
