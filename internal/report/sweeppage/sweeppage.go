// Package sweeppage draws the page of a sweep.
package sweeppage

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"

	"lockstep/internal/rate"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/clean"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/page"
	"lockstep/internal/say"
)

//go:embed sweeppage.css
var sweepCSS string

//go:embed sweeppage.html
var sweepFiles embed.FS

var sweepTemplate = page.Template(sweepFiles, "sweeppage.html")

// sweepView is what the template sees; all texts in it are clean.
type sweepView struct {
	Head                                 page.Head
	Title, Story, Property, Lead, Replay string
	Seeds                                string // how many, and of what
	Maps                                 []sweepMapView
}

type sweepMapView struct {
	Anchor, Lock, Says string
	SVG                template.HTML
	Head               []string
	Rows               [][]string
}

// HTML draws the maps as one file that needs nothing else.
func HTML(s *bundle.Sweep) ([]byte, error) {
	v := sweepView{
		Head: page.NewHead(say.OfLock.With(say.Verbatim(clean.Text(s.Title, clean.MaxLine)), say.Text("the safe region")).In(s.Language), sweepCSS), Title: clean.Text(s.Title, clean.MaxLine), Story: clean.Text(s.Story, clean.MaxProse),
		Property: clean.Text(s.Property, clean.MaxName), Replay: clean.Text(s.Replay, clean.MaxLine),
		Seeds: say.SeedsEach.With(say.Verbatim(clean.Text(s.Property, clean.MaxName)), say.Number(s.Seeds)).In(s.Language),
	}
	for i := range s.Maps {
		m := &s.Maps[i]
		svg, err := figure.SafeRegion(m, s.Property, s.Language)
		if err != nil {
			return nil, err
		}
		v.Maps = append(v.Maps, sweepMapView{
			Anchor: "map-" + clean.FileName(m.Lock), Lock: clean.Text(m.Lock, clean.MaxName), Says: m.Says(s.Property, s.Language),
			SVG: template.HTML(svg), Head: headOf(m, s.Language), Rows: rowsOf(m, s.Language), // the figure is made by us, all texts escaped
		})
	}
	v.Lead = say.WhereDoesHold.With(say.Verbatim(v.Property), say.Number(s.Seeds)).In(s.Language)
	var buf bytes.Buffer
	if err := sweepTemplate(s.Language).Execute(&buf, v); err != nil {
		return nil, fmt.Errorf("filling in the page of the sweep: %w", err)
	}
	return buf.Bytes(), nil
}

func headOf(m *bundle.SweepMap, l say.Language) []string {
	head := []string{clean.Text(m.XName, clean.MaxName)}
	if m.YName != "" {
		head = append(head, clean.Text(m.YName, clean.MaxName))
	}
	return append(head, say.Texts(l, "broken", "share", "95 % interval", "untested", "first seed")...)
}

// rows are the numbers of the map, for those who cannot see it.
func rowsOf(m *bundle.SweepMap, l say.Language) (rows [][]string) {
	for i := range m.Cells {
		c := &m.Cells[i]
		row := []string{clean.Text(m.XTicks[i%len(m.XTicks)], clean.MaxName)}
		if m.YName != "" {
			row = append(row, clean.Text(m.YTicks[i/len(m.XTicks)], clean.MaxName))
		}
		seed := "-"
		if c.FirstBroke > 0 {
			seed = fmt.Sprint(c.FirstBroke)
		}
		rows = append(rows, append(row, say.SomeOf.With(say.Number(c.Broken), say.Number(c.Tested)).In(l), c.Share(),
			say.RateRange.With(say.Verbatim(rate.Percent(c.Low)), say.Verbatim(rate.Percent(c.High))).In(l), fmt.Sprint(c.Untested), seed))
	}
	return rows
}
