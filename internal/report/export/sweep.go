package export

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"

	"lockstep/internal/plan"
	"lockstep/internal/rate"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
)

// SweepCSV writes one line per point. Rates are in millionths, durations in nanoseconds: integers,
// which a spreadsheet takes unchanged.
func SweepCSV(s *bundle.Sweep) []byte {
	maps := s.Maps
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	x, y := &maps[0].X, maps[0].Y
	head := []string{"lock", "property", x.Name, column(x)}
	if y != nil {
		head = append(head, y.Name, column(y))
	}
	_ = w.Write(append(head, "tested", "broken", "untested", "rate_ppm", "low_ppm", "high_ppm", "first_broken_seed"))
	for i := range maps {
		for k := range maps[i].Cells {
			c := &maps[i].Cells[k]
			row := []string{maps[i].Lock, maps[i].Property, x.Say(c.X), strconv.FormatInt(c.X, 10)}
			if y != nil {
				row = append(row, y.Say(c.Y), strconv.FormatInt(c.Y, 10))
			}
			share, low, high := c.Rate()
			for _, n := range []int64{int64(c.Tested()), int64(c.Broken), int64(c.Untested), share, low, high, int64(c.FirstBroke)} {
				row = append(row, strconv.FormatInt(n, 10))
			}
			_ = w.Write(row)
		}
	}
	w.Flush() // to memory, which never fails
	return b.Bytes()
}

// column names an axis with the unit of its integers.
func column(a *plan.Axis) string {
	return strings.ReplaceAll(a.Name, " ", "_") + map[plan.Unit]string{
		plan.UnitDuration: "_ns", plan.UnitCount: "_count", plan.UnitShare: "_ppm", plan.UnitDrift: "_ppm",
	}[a.Unit]
}

// Sweep is a sweep for machines: one JSON object with a version. files are the names of the files
// written, by their kind; nil for none.
func Sweep(s *bundle.Sweep, backend string, files map[string]string) ([]byte, error) {
	type pointJSON struct {
		X        string `json:"x"`
		Y        string `json:"y,omitempty"`
		Tested   int    `json:"tested"`
		Broken   int    `json:"broken"`
		Untested int    `json:"untested"`
		bundle.BrokenRate
		First uint64 `json:"first_broken_seed,omitempty"`
	}
	type axisJSON struct {
		Name   string   `json:"name"`
		Values []string `json:"values"`
	}
	type mapJSON struct {
		Lock   string      `json:"lock"`
		Points []pointJSON `json:"points"`
	}
	axes := []axisJSON{}
	for i := range s.Plan.Vary {
		axes = append(axes, axisJSON{s.Plan.Vary[i].Name, bundle.Ticks(&s.Plan.Vary[i])})
	}
	var all []mapJSON
	for i := range s.Maps {
		m := mapJSON{Lock: s.Maps[i].Lock}
		for k := range s.Maps[i].Cells {
			c := &s.Maps[i].Cells[k]
			x := pointJSON{X: s.Maps[i].X.Say(c.X), Tested: c.Tested(), Broken: c.Broken, Untested: c.Untested, First: c.FirstBroke}
			if s.Maps[i].Y != nil {
				x.Y = s.Maps[i].Y.Say(c.Y)
			}
			share, low, high := c.Rate()
			x.BrokenRate = bundle.BrokenRate{Rate: rate.InOne(share), Low: rate.InOne(low), High: rate.InOne(high)}
			m.Points = append(m.Points, x)
		}
		all = append(all, m)
	}
	out := map[string]any{
		"schema": 1, "scenario": s.Plan.Slug, "backend": backend, "property": s.Property, "first_seed": s.First, "seeds": s.Seeds,
		"axes": axes, "locks": all,
	}
	for what, name := range files { // order: encoding/json sorts the keys
		out[what] = name
	}
	return sanitize.JSON(out)
}
