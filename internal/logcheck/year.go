package logcheck

import (
	"errors"
	"time"

	"lockstep/internal/say"
)

// Times of some logs have no year. They get one each of 366 days, since any of them may be a leap year: the first
// time of a log is in 2000.

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
	return c.fromWall(when, nil)
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

// years is what a log knows of the years of its times.
type years struct {
	some, none bool  // some times have a year, and some have none
	first      int64 // the first time without one, to which the first ones of other files are close
}

// note notes a time that the clock has read.
func (y *years) note(c *clock) error {
	y.some, y.none = y.some || !c.noYear, y.none || c.noYear
	if y.first == 0 {
		y.first = c.last
	}
	if y.some && y.none {
		return errors.New("some times of the log have a year and others have none: judge these files without the others")
	}
	return nil
}

// apart returns a doubt when the times of several files are so far apart that their years are a guess.
func (y *years) apart(spans []span) say.Phrase {
	if !y.none || len(spans) < 2 {
		return say.Phrase{}
	}
	from, to := y.first, y.first
	for i := range spans {
		if s := &spans[i]; len(s.clients) > 0 {
			from, to = min(from, s.from), max(to, s.to)
		}
	}
	if to-from <= halfYear {
		return say.Phrase{}
	}
	return say.LogYears.With()
}
