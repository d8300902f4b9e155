package sql

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// This file holds times and intervals. Both are counted in microseconds, times since 1970; every
// session is in UTC.

// Casts to a type of times, and to an interval.
const (
	toTime     = "CAST TIME"
	toInterval = "CAST INTERVAL"
)

// mostDigits is how many fractional digits the seconds of a time can have.
const mostDigits = 6

func instant(ms int64) value { return value{kind: valueTime, num: ms * 1000} }

func interval(us int64) value { return value{kind: valueInterval, num: us} }

// timeType reads a type of times as a column of that type; false if none comes next.
func (p *parser) timeType() (c column, ok bool) {
	mysql := p.flavour == MySQL
	c = column{kind: valueTime, digits: mostDigits}
	switch {
	case mysql && p.accept("DATETIME"):
		c.digits = 0
	case mysql && p.accept("TIMESTAMP"):
		c.digits, c.zoned = 0, true
	case !mysql && p.accept("TIMESTAMPTZ"):
		c.zoned = true
	case !mysql && p.accept("TIMESTAMP"):
	default:
		return column{}, false
	}
	if p.accept("(") {
		c.digits = uint8(p.count(0, mostDigits))
		p.expect(")")
	}
	if !mysql && p.accept("WITH", "TIME", "ZONE") {
		c.zoned = true
	} else if !mysql {
		p.accept("WITHOUT", "TIME", "ZONE")
	}
	return c, true
}

// utc reads the only time zone that the model knows.
func (p *parser) utc() {
	if t := p.peek(); t.kind != tokenText || !strings.EqualFold(t.text, "UTC") {
		p.fail()
	}
	p.take()
}

// inUTC is a time with a time zone without it, and the other way round.
const inUTC = "AT TIME ZONE UTC"

func zoned(e *expr) *expr {
	return call(inUTC, "timezone", e)
}

// timeWords reads what has words of its own for a time or an interval; nil if nothing like it comes
// next.
func (p *parser) timeWords() *expr {
	mysql := p.flavour == MySQL
	switch {
	case mysql && (p.accept("NOW", "(") || p.accept("CURRENT_TIMESTAMP", "(") || p.accept("UTC_TIMESTAMP", "(")):
		e := call("NOW", "")
		if !p.accept(")") {
			e.to.digits = uint8(p.count(0, mostDigits))
			p.expect(")")
		}
		return e
	case p.accept("CURRENT_TIMESTAMP"), mysql && p.accept("UTC_TIMESTAMP"):
		return call("NOW", "current_timestamp")
	case mysql && p.accept("DATE_ADD", "("):
		return p.shifted("+")
	case mysql && p.accept("DATE_SUB", "("):
		return p.shifted("-")
	case mysql && p.accept("TIMESTAMPADD", "("):
		one := p.unit(mysqlUnits)
		p.expect(",")
		n := p.expr()
		p.expect(",")
		e := binary("+", p.expr(), binary("*", n, one))
		p.expect(")")
		return e
	case mysql && p.accept("INTERVAL"):
		return binary("*", p.sum(), p.unit(mysqlUnits))
	case p.accept("INTERVAL"):
		if p.peek().kind != tokenText {
			p.fail()
		}
		e := call(toInterval, "", p.operand())
		e.weakly = "interval"
		return e
	case !mysql && p.accept("MAKE_INTERVAL", "("):
		one := p.unit([]string{"secs", "mins", "hours", "days"})
		p.expect("=", ">")
		e := binary("*", p.expr(), one)
		e.as = "make_interval"
		p.expect(")")
		return e
	case !mysql && p.accept("TIMEZONE", "("):
		p.utc()
		p.expect(",")
		e := zoned(p.expr())
		p.expect(")")
		return e
	}
	return nil
}

// shifted reads a time and the interval that is added or taken away.
func (p *parser) shifted(op string) *expr {
	at := p.expr()
	p.expect(",", "INTERVAL")
	e := binary(op, at, binary("*", p.sum(), p.unit(mysqlUnits)))
	p.expect(")")
	return e
}

var mysqlUnits = []string{"microsecond", "second", "minute", "hour", "day"}

// unit reads one of some units as an interval.
func (p *parser) unit(known []string) *expr {
	word := strings.ToLower(p.peek().text)
	if !slices.Contains(known, word) {
		p.fail()
	}
	p.take()
	us, _ := unit(word)
	return &expr{value: interval(us)}
}

// How many microseconds there are.
const (
	usPerSecond = 1_000_000
	usPerMilli  = 1000
)

// units are those of intervals, in microseconds.
var units = map[string]int64{
	"us": 1, "microsecond": 1, "ms": 1000, "millisecond": 1000, "s": usPerSecond, "sec": usPerSecond, "second": usPerSecond,
	"min": 60 * usPerSecond, "minute": 60 * usPerSecond, "hour": 3600 * usPerSecond, "day": 86_400 * usPerSecond,
}

// unit is a unit in microseconds: one that is written as in "30 seconds", "5 mins" or HOUR.
func unit(word string) (us int64, ok bool) {
	word = strings.ToLower(word)
	if us, ok = units[word]; !ok && len(word) > 3 {
		us, ok = units[strings.TrimSuffix(word, "s")]
	}
	return us, ok
}

// timeOf is a function without arguments that gives the server's time; false for any other.
func (d *DB) timeOf(r *run, e *expr) (v value, ok bool) {
	ms := r.wallMS
	switch mysql := d.cfg.Flavour == MySQL; {
	case len(e.args) > 0:
		return v, false
	case mysql && e.name == "NOW":
		return MySQL.fitTime(column{digits: e.to.digits}, instant(ms)), true
	case mysql && e.name == "UNIX_TIMESTAMP":
		return number(ms / msPerSecond), true
	case mysql:
		return v, false
	case e.name == "NOW", e.name == "TRANSACTION_TIMESTAMP":
		ms = r.tx.wall
	case e.name == "CLOCK_TIMESTAMP":
		ms = d.wallMS()
	case e.name != "STATEMENT_TIMESTAMP":
		return v, false
	}
	v = instant(ms)
	v.zoned = true
	return v, true
}

// unitOfDigits is the smallest step of a time with that many fractional digits, in
// microseconds.
func unitOfDigits(digits uint8) int64 {
	us := int64(1)
	for range mostDigits - digits {
		us *= 10
	}
	return us
}

// epoch is a time in seconds since 1970, or an interval in seconds.
func (f Flavour) epoch(v value) value {
	switch {
	case f == MySQL && v.precision == 0:
		return number(v.num / usPerSecond)
	case v.num%1000 != 0 || f == MySQL && v.precision > 3:
		panic(f.beyond("parts of a millisecond as a number"))
	}
	return value{kind: valueMilli, num: v.num / 1000}
}

// lastTimestamp is the end of MariaDB's type TIMESTAMP.
const lastTimestamp = math.MaxInt32 * usPerSecond

// fitTime converts a value to the type of a column of times. PostgreSQL rounds, MariaDB cuts off.
func (f Flavour) fitTime(c column, v value) value {
	if v.kind == valueText {
		v = f.parseTime(c, v.text)
	}
	if v.kind != valueTime {
		panic(f.beyond("this value as a time"))
	}
	step := unitOfDigits(c.digits)
	if f == PostgreSQL {
		v.num += step / 2
	}
	v.num -= v.num % step
	if v.num < 0 || f == MySQL && c.zoned && v.num > lastTimestamp {
		panic(f.beyond("times before 1970, and a TIMESTAMP after 2038"))
	}
	v.precision, v.zoned = c.digits, c.zoned
	return v
}

// timeLayouts are how a time is written; a fraction of the seconds may follow.
var timeLayouts = []string{
	"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02",
	"2006-01-02 15:04:05Z07:00:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07",
	"2006-01-02T15:04:05Z07:00:00", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z07",
}

// parseTime reads a time. A column without a time zone ignores the one that is written.
func (f Flavour) parseTime(c column, text string) value {
	for i, layout := range timeLayouts {
		t, err := time.Parse(layout, strings.TrimSpace(text))
		if err != nil || f == MySQL && i > 2 {
			continue
		}
		if _, offset := t.Zone(); !c.zoned {
			t = t.Add(time.Duration(offset) * time.Second)
		}
		us := t.UnixMicro()
		if f == PostgreSQL {
			us = t.Round(time.Microsecond).UnixMicro()
		}
		return value{kind: valueTime, num: us, precision: mostDigits}
	}
	panic(f.beyond("the time " + strconv.Quote(text)))
}

// mostInterval is the longest interval that is read, so that two of them can be added.
const mostInterval = math.MaxInt64 / 4

// intervalPart is a number and its unit.
var intervalPart = regexp.MustCompile(`(-?[0-9]{1,9}(?:\.[0-9]{1,3})?) *([A-Za-z]+)`)

// parseInterval reads an interval as in '1 minute 30.5 seconds' (PostgreSQL).
func (f Flavour) parseInterval(text string) value {
	sum, known := int64(0), strings.TrimSpace(text) != ""
	for _, part := range intervalPart.FindAllStringSubmatch(text, -1) {
		us, ok := unit(part[2])
		one, fits := f.timeSum("*", decimal(strings.TrimPrefix(part[1], "-")), interval(us))
		if part[1][0] == '-' {
			one.num = -one.num
		}
		sum, known = sum+one.num, known && ok && fits && abs(one.num) <= mostInterval && abs(sum) <= mostInterval
	}
	if rest := intervalPart.ReplaceAllString(text, ""); !known || strings.TrimSpace(rest) != "" {
		panic(f.beyond("the interval " + strconv.Quote(text)))
	}
	return interval(sum)
}

// timeSum is arithmetic with times and intervals; false when it makes no sense or does not fit.
func (f Flavour) timeSum(op string, a, b value) (v value, ok bool) {
	if a.kind == valueInterval && (b.numeric() || b.kind == valueTime && op == "+") && op != "/" {
		a, b = b, a // these commute
	}
	switch {
	case a.kind == valueTime && b.kind == valueInterval, a.kind == valueInterval && b.kind == valueInterval && f == PostgreSQL:
		v = value{kind: a.kind, precision: a.precision, zoned: a.zoned}
		if b.num%usPerSecond != 0 {
			v.precision = mostDigits
		}
		v.num, ok = arithmetic(op, a.num, b.num)
		return v, ok && (op == "+" || op == "-")
	case a.kind == valueTime && b.kind == valueTime && f == PostgreSQL:
		return interval(a.num - b.num), op == "-"
	case a.numeric() && b.kind == valueInterval:
		n, fits := times(a.num, b.num)
		if a.kind == valueMilli {
			n /= 1000
		}
		return interval(n), fits && op == "*"
	}
	return v, false
}
