package faults

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/say"
)

// Text returns the value of a parameter as a scenario states it, "" when it was left out. The
// verb's own value is the parameter without a name.
func (a Args) Text(p Param) string {
	if d, ok := a.Durations[p.Name]; ok {
		if p.Kind == ParamOffset && d >= 0 {
			return "+" + Duration(d)
		}
		return Duration(d)
	}
	if rate, ok := a.Rates[p.Name]; ok {
		return Rate(rate)
	}
	if p.Kind == ParamSides {
		return SidesText(a.Sides)
	}
	if p.Name == "" {
		return a.Value
	}
	return a.Choices[p.Name]
}

// SidesText writes sides as a scenario does: [A, [redis-1, redis-2]].
func SidesText(sides [][]string) string {
	parts := make([]string, len(sides))
	for i, side := range sides {
		parts[i] = strings.Join(side, ", ")
		if len(side) != 1 {
			parts[i] = "[" + parts[i] + "]"
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Rate prints a change of a rate as a scenario writes it: +5% or -200ppm.
func Rate(ppm int64) string {
	if ppm%10_000 == 0 {
		return fmt.Sprintf("%+d%%", ppm/10_000)
	}
	return fmt.Sprintf("%+dppm", ppm)
}

// text is the whole fault as a scenario states it: what is done, for how long, and when.
func (f *Fault) text() string {
	t, text := &f.Trigger, f.Verb.spec.stated(f.Args)
	if f.End.Forever {
		text += " forever"
	}
	if f.End.For > 0 {
		text += " for " + Duration(f.End.For)
	}
	switch {
	case t.Moment == NoMoment && t.Every > 0:
		text += " every " + Duration(t.Every)
	case t.Moment == NoMoment:
		text += " at " + Duration(t.At)
	case t.After > 0:
		text += " " + Duration(t.After) + " after " + t.Text()
	default:
		text += " when " + t.Text()
	}
	if f.End.Until != nil {
		text += " until " + f.End.Until.Text()
	}
	return text
}

// stated is the fault as a scenario states it, without when.
func (s *Spec) stated(a Args) string {
	if s.Say != nil {
		return s.Say(a)
	}
	text := s.Name + " " + a.Value
	for _, p := range s.Params {
		if value := a.Text(p); value != "" {
			text += " " + p.Name + " " + value
		}
	}
	return text
}

// Text is the trigger's moment as a scenario states it: "A sends GET the 2nd time".
func (t *Trigger) Text() string {
	text := t.Subject + " " + strings.Replace(moments[t.Moment].text, "%s", t.Command, 1)
	if t.Round > 0 {
		text += " in its " + Ordinal(t.Round) + " round"
	}
	if t.AfterFault > 0 {
		text += " after fault " + strconv.Itoa(t.AfterFault)
	}
	switch t.Nth {
	case 0:
		return text + " every time"
	case 1:
		return text
	}
	return text + " the " + Ordinal(t.Nth) + " time"
}

func sideText(names []string) string { return say.Names(names).In(say.English) }

// Ordinal writes a number as 1st, 2nd.
func Ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// Duration prints a duration as a scenario writes it: a whole number and the
// largest unit that keeps it whole.
func Duration(d time.Duration) string {
	units := []struct {
		size time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "us"}}
	switch {
	case d < 0:
		return "-" + Duration(-d)
	case d == 0:
		return "0s"
	}
	for _, u := range units {
		// 90 s and 120 s read better than 1.5 m and 2 m.
		if d%u.size == 0 && (u.size != time.Minute || d > 2*time.Minute) {
			return strconv.FormatInt(int64(d/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(d), 10) + "ns"
}
