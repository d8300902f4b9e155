package logcheck

import (
	"errors"
	"time"

	"lockstep/internal/say"
)

// Times of some logs have no year. They get one each of 366 days, since any of them may be a leap
// year: the first time of a log is in 2000.

// yearless is the unit of dates without a year.
const yearless Unit = -1

const (
	leapYear = int64(366 * 24 * time.Hour)
	halfYear = leapYear / 2
)

var year2000 = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// yearless adds the year in which a time is closest to the last one.
func (c *clock) yearless(at time.Time) (int64, error) {
	when := time.Date(2000, at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.UTC).UnixNano()
	if c.last != 0 {
		for when < c.last-halfYear {
			when += leapYear
		}
		for when > c.last+halfYear {
			when -= leapYear
		}
	}
	c.last = when
	return c.fromWall(when, "", nil)
}

// inLeapYear returns a time without its year: in 2000.
func inLeapYear(at int64) int64 {
	return year2000 + ((at-year2000)%leapYear+leapYear)%leapYear
}

// changes reports whether the offset of the zone is not always the same.
func (c *clock) changes() bool {
	for month := range int64(12 * 38) {
		if at := year2000 + month*int64(30*24*time.Hour); c.zoneOffset(at) != c.zoneOffset(year2000) {
			return true
		}
	}
	return false
}

type years struct {
	some, none bool    // some times have a year, and some have none
	first      int64   // the first time without one, to which the first ones of other files are close
	leap       [3]bool // some times without one are of February 28, of the 29th, and of March 1
	leases     bool
}

// note notes the time of an event, which the clock has read.
func (y *years) note(c *clock, e *Event) error {
	const february28 = 31 + 27
	if day := (inLeapYear(c.last)-year2000)/int64(24*time.Hour) - february28; c.noYear && day >= 0 && day < int64(len(y.leap)) {
		y.leap[day] = true
	}
	y.leases = y.leases || e.Lease > 0
	y.some, y.none = y.some || !c.noYear, y.none || c.noYear
	if y.first == 0 {
		y.first = c.last
	}
	if y.some && y.none {
		return errors.New("some times of the log have a year and others have none: judge these files without the others")
	}
	return nil
}

// doubt returns a doubt when the times of several files are so far apart that their years are a
// guess, or when a lease may have a day too many: whether February has 29 days is known only if the
// log shows that day.
func (y *years) doubt(spans []span, lease time.Duration) say.Phrase {
	if !y.none {
		return say.Phrase{}
	}
	from, to := y.first, y.first
	for i := range spans {
		if s := &spans[i]; len(s.clients) > 0 {
			from, to = min(from, s.from), max(to, s.to)
		}
	}
	switch {
	case len(spans) > 1 && to-from > halfYear:
		return say.Text("the times of several files have no year, and lie more than half a year apart: their years are a guess")
	case (lease > 0 || y.leases) && y.leap == [3]bool{true, false, true}:
		return say.Text("its times have no year, and no line is of February 29: between the lines of February 28 and March 1 may lie a day, so which leases were over is a guess")
	}
	return say.Phrase{}
}
