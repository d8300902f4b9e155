package logcheck

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"

	"lockstep/internal/logcheck/logline"
)

// zoneOf returns a zone by its name, such as Europe/Berlin, or by its offset, such as +01:00.
func zoneOf(name string) (*time.Location, error) {
	if at, err := time.Parse("-07:00", name); err == nil {
		_, seconds := at.Zone()
		return time.FixedZone(name, seconds), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, fmt.Errorf("there is no %q: write it as Europe/Berlin or +01:00", name)
	}
	return zone, nil
}

func (c *clock) zoneOffset(at int64) time.Duration {
	_, seconds := time.Unix(0, at).In(c.zone).Zone()
	return time.Duration(seconds) * time.Second
}

// zoneAt parses the zone after a time, in nanoseconds to the east; it may be missing.
func zoneAt(text []byte) (offset int64, zoned, ok bool) {
	zone := strings.TrimPrefix(string(text), " ")
	switch zone {
	case "":
		return 0, false, true
	case "Z", "UTC", "GMT":
		return 0, true, true
	}
	if behind := len("UTC"); len(zone) > behind && (zone[:behind] == "UTC" || zone[:behind] == "GMT") {
		zone = zone[behind:]
	}
	for _, form := range []string{"-07:00", "-0700", "-07"} {
		if at, err := time.Parse(form, zone); err == nil {
			_, seconds := at.Zone()
			return int64(seconds) * int64(time.Second), true, true
		}
	}
	return 0, false, false
}

// fromWall returns the time at which clocks of the zone show a date, with the name of the zone if
// the log has one. Clocks that are put back show an hour twice, clocks that are put forward skip
// one.
func (c *clock) fromWall(wall int64, name string, text []byte) (int64, error) {
	if !c.stated {
		c.lacks = true
		return wall, nil
	}
	early := wall - int64(c.zoneOffset(wall-int64(24*time.Hour)))
	late := wall - int64(c.zoneOffset(wall+int64(24*time.Hour)))
	isEarly := wall-early == int64(c.zoneOffset(early)) && c.named(early, name)
	isLate := wall-late == int64(c.zoneOffset(late)) && c.named(late, name)
	switch {
	case isEarly && isLate && early != late:
		return 0, fmt.Errorf("clocks in %s showed %s twice, for they were put back: split the log there, and give each part --zone with an offset", c.zone, shown(text))
	case isEarly:
		return early, nil
	case isLate:
		return late, nil
	}
	if name != "" {
		return 0, fmt.Errorf("%s names a zone that --zone %s does not have then: split the log by zones, and say with zones: in a mapping which file has which", shown(text), c.zone)
	}
	return 0, fmt.Errorf("clocks in %s never showed %s, for they were put forward: is --zone right?", c.zone, shown(text))
}

// named reports whether the zone has a name at a time. An offset has none: all dates that name one
// mean the same.
func (c *clock) named(at int64, name string) bool {
	its, _ := time.Unix(0, at).In(c.zone).Zone()
	if strings.ContainsAny(its, "+-") && name != "" {
		c.aliases[its] = cmp.Or(c.aliases[its], name)
		its = c.aliases[its]
	}
	return name == "" || its == name
}

// course is the order of a client's lines in a source, as far as their times go back.
type course struct {
	first, before, last, high int64 // times: before is that of the line before the last
	turn, by                  int64 // the place of the first line that is older than the two before it, by how much
	turns, behind             int   // how many such lines, and lines older than one before them
}

// setBack is the least time by which a clock is set back: less is an effect of threads.
const setBack = int64(time.Second)

func (c *course) add(at, place int64) {
	if min(c.before, c.last)-at >= setBack {
		if c.turns++; c.turns == 1 {
			c.turn, c.by = place, c.last-at
		}
	}
	if at < c.high {
		c.behind++
	}
	c.before, c.last, c.high = c.last, at, max(c.high, at)
}

// turned reports whether the client's clock was set back: its lines go back once, and not because
// one of them is early or late. If all were older than the first line, they would be those of
// another file.
func (c *course) turned() bool { return c.turns == 1 && c.behind > 1 && c.last > c.first }

var namedZone = regexp.MustCompile(`^ ?` + logline.ZoneNames + `$`)
