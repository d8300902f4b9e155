package logcheck

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/logcheck/logline"
)

// Unit is the unit of times that are numbers; 0 for dates.
type Unit time.Duration

var units = map[string]Unit{
	"s": Unit(time.Second), "ms": Unit(time.Millisecond), "us": Unit(time.Microsecond), "ns": Unit(time.Nanosecond),
}

type clock struct {
	unit   Unit   // of numbers; 0: times are dates
	layout string // of dates, for package time; "" for the usual forms
	asSaid string // the layout as the format has it
	zone   *time.Location
	stated bool // the format states the zone
	// aliases are the names that dates of the log have for zones that are offsets.
	aliases map[string]string
	guess   bool // the unit follows from the length of numbers
	digits  int8 // of the last time, below the second
	local   bool // the last time had no zone
	lacks   bool // some time had no zone, and none is stated
	noYear  bool // the layout has no year
	places  int8 // digits below the second that the layout has; a time may have more

	date []byte // the last one, in the usual form
	last int64  // the last time without a year, or the first one of the log; 0 for none
}

func (c *clock) set(f *logline.Format) (err error) {
	if c.unit = units[f.Unit]; c.unit == 0 && f.Unit != "" {
		return fmt.Errorf("time-unit: %q is no unit of time: name s, ms, us or ns", f.Unit)
	}
	c.guess, c.layout, c.asSaid, c.zone = c.unit == 0 && f.GoLayout == "", f.GoLayout, f.Layout, time.UTC
	if part := layoutFraction.FindStringSubmatch(c.layout); part != nil {
		c.places = int8(min(len(part[1]), 9))
	}
	c.noYear = c.layout != "" && !strings.Contains(c.layout, "06")
	if f.Zone != "" {
		c.stated = true
		if c.zone, err = zoneOf(f.Zone); err != nil {
			return fmt.Errorf("zone: %w", err)
		}
	}
	if c.noYear && c.changes() {
		return fmt.Errorf("zone: times without a year do not say when clocks in %s change: give its offset, such as +01:00", f.Zone)
	}
	return nil
}

// shownIn returns the unit in which times are shown.
func (c *clock) shownIn() Unit {
	switch {
	case c.noYear:
		return yearless
	case c.guess: // a number of seconds since 1970 is a date
		return 0
	}
	return c.unit
}

var errTimeRange = errors.New("the time is out of range: years from 1824 to 2115")

func (c *clock) read(text []byte) (int64, error) {
	if len(text) == 0 {
		return 0, errors.New("the time is missing: --columns time=NAME says where it stands")
	}
	if c.layout != "" {
		return c.laidOut(text)
	}
	switch {
	case c.unit != 0 && !c.guess:
		return c.number(text)
	case c.unit != 0 && !numeric(text):
		return 0, fmt.Errorf("%s is no number, as the times before it are", shown(text))
	}
	at, ok, err := c.usual(text)
	if ok {
		c.guess = false
		return at, err
	}
	if numeric(text) {
		whole, _, _ := bytes.Cut(text, []byte{'.'})
		if unit := unitOfLength[len(whole)]; c.guess && unit != 0 {
			c.unit = unit
			return c.number(text)
		}
		if bytes.ContainsAny(text, "eE") {
			return 0, exponent(text)
		}
		return 0, fmt.Errorf("the time %s is a number: say what it counts with --time-unit s, ms, us or ns", shown(text))
	}
	if dateless.Match(text) {
		return 0, fmt.Errorf("%s has no date: if the date stands in a column of its own, --columns time=DATE+TIME joins them", shown(text))
	}
	return 0, fmt.Errorf("%s is no time such as 2026-03-01T10:20:30.123Z: --time-layout says how times are written", shown(text))
}

// dateless matches a time without a date.
var dateless = regexp.MustCompile(`^\d\d?:\d\d(?::|$)`)

// unitOfLength has the units of numbers that are times between 2001 and 2286, by their digits
// before the point.
var unitOfLength = map[int]Unit{10: units["s"], 13: units["ms"], 16: units["us"], 19: units["ns"]}

func (c *clock) laidOut(text []byte) (int64, error) {
	at, err := time.Parse(c.layout, string(text))
	if err != nil {
		return 0, fmt.Errorf("%s is no time of the layout %s", shown(text), c.asSaid)
	}
	if name, _ := at.Zone(); strings.Contains(c.layout, "MST") && name != "UTC" && name != "GMT" {
		return 0, fmt.Errorf("%s has a zone by a name, which says no offset: leave it out of the layout, and say --zone", shown(text))
	}
	c.digits, c.local = max(c.places, digitsOf(at.Nanosecond())), !strings.Contains(c.layout, "07") && !strings.Contains(c.layout, "MST")
	if c.noYear {
		return c.yearless(at)
	}
	if at.Year() < 1824 || at.Year() > 2115 {
		return 0, errTimeRange
	}
	if c.local {
		return c.fromWall(at.UnixNano(), "", text)
	}
	return at.UnixNano(), nil
}

// usual parses 2026-03-01T10:20:30.123Z and variants with other separators, fractions and zones. It
// reports whether the text has that form.
func (c *clock) usual(text []byte) (at int64, ok bool, err error) {
	const form = "2006-01-02T15:04:05"
	if len(text) < len(form) || text[10] != 'T' && text[10] != ' ' || !dashed(text[4]) || !dashed(text[7]) || text[13] != ':' || text[16] != ':' {
		return 0, false, nil
	}
	rest := text[len(form):]
	if len(rest) > 1 && (rest[0] == '.' || rest[0] == ',') {
		rest = bytes.TrimLeft(rest[1:], "0123456789")
	}
	date := append(c.date[:0], text[:len(text)-len(rest)]...)
	date[4], date[7], date[10] = '-', '-', 'T'
	if len(date) > len(form) {
		date[len(form)] = '.'
	}
	c.date = append(date, 'Z')
	wall, err := time.Parse(time.RFC3339, string(c.date)) // several times as fast as with another layout
	if err != nil {
		return 0, false, nil
	}
	if wall.Year() < 1824 || wall.Year() > 2115 {
		return 0, true, errTimeRange
	}
	offset, zoned, ok := zoneAt(rest)
	name := ""
	if !ok && namedZone.Match(rest) {
		if ok = c.stated; !ok {
			return 0, true, fmt.Errorf("%s has a zone by a name, which says no offset: say with --zone Europe/Berlin or +01:00 which it is", shown(text))
		}
		name = strings.TrimPrefix(string(rest), " ")
	}
	if !ok {
		return 0, false, nil
	}
	c.digits, c.local = int8(min(max(len(date)-len(form)-1, 0), 9)), !zoned
	if zoned {
		return wall.UnixNano() - offset, true, nil
	}
	at, err = c.fromWall(wall.UnixNano(), name, text)
	return at, true, err
}

func dashed(c byte) bool { return c == '-' || c == '/' }

// layoutFraction matches the fraction of a second in a layout.
var layoutFraction = regexp.MustCompile(`5[.,](0+)(?:\D|$)`)

// digitsOf returns the digits of a number of nanoseconds, without trailing zeros.
func digitsOf(nanos int) (n int8) {
	for n = 9; n > 0 && nanos%10 == 0; n-- {
		nanos /= 10
	}
	return n
}

// exponent is the error for a number such as 1.7723592e+09.
func exponent(text []byte) error {
	return fmt.Errorf("the time %s has an exponent, which cuts digits off: log all of them", shown(text))
}

func (c *clock) number(text []byte) (int64, error) {
	digits, negative := strings.CutPrefix(string(text), "-")
	whole, fraction, dotted := strings.Cut(digits, ".")
	n, err := strconv.ParseUint(whole, 10, 63)
	switch {
	case numeric(text) && strings.ContainsAny(digits, "eE"):
		return 0, exponent(text)
	case errors.Is(err, strconv.ErrSyntax) || dotted && (fraction == "" || strings.Trim(fraction, "0123456789") != ""):
		return 0, fmt.Errorf("%s is no number: leave --time-unit out for times such as 2026-03-01T10:20:30.123Z", shown(text))
	case int64(n) >= maxTime/int64(c.unit):
		return 0, fmt.Errorf("the time %s is out of range: at most 146 years in units of %s", shown(text), c.unit)
	}
	own := c.unit.digits()
	c.digits = int8(min(int(own)+len(fraction), 9))
	part, _ := strconv.ParseInt((fraction + "000000000")[:9-own], 10, 64) // a unit of nanoseconds has none
	at := int64(n)*int64(c.unit) + part
	if negative {
		at = -at
	}
	return at, nil
}

// digits returns the digits of a whole number of units below the second.
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

// At formats a time as the log does: RFC 3339 in UTC, or the number with its unit.
func (u Unit) At(at int64) string {
	switch u {
	case 0:
		return time.Unix(0, at).UTC().Format("2006-01-02T15:04:05.999999999Z")
	case yearless:
		return time.Unix(0, inLeapYear(at)).UTC().Format("01-02T15:04:05.999999999Z")
	}
	sign := ""
	if at < 0 {
		sign, at = "-", -at
	}
	width := len(fmt.Sprint(int64(u))) - 1
	text := strings.TrimRight(fmt.Sprintf("%s%d.%0*d", sign, at/int64(u), width, at%int64(u)), "0")
	return strings.TrimSuffix(text, ".") + " " + u.String()
}

func numeric(text []byte) bool { return len(bytes.Trim(text, "0123456789.-+eE")) == 0 }

func shown(text []byte) string { return logline.Shown(text, 40) }
