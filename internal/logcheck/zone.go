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

var namedZone = regexp.MustCompile(`^ ?` + logline.ZoneNames + `$`)
