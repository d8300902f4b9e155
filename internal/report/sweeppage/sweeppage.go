// Package sweeppage draws the page of a sweep.
package sweeppage

import (
	"embed"
	"fmt"
	"html/template"

	"lockstep/internal/campaign/sweep"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

//go:embed sweeppage.css
var sweepCSS string

//go:embed sweeppage.html
var sweepFiles embed.FS

var sweepTemplate = page.Template(sweepFiles, "sweeppage.html")

// sweepView is the view of the template; all texts are clean.
type sweepView struct {
	Head                                 page.Head
	Title, Story, Property, Lead, Replay string
	Seeds                                string // the property and the number of seeds
	Maps                                 []sweepMapView
}

type sweepMapView struct {
	Anchor, Lock, Says string
	SVG                template.HTML
	Head               []string
	Rows               [][]string
}

// HTML draws the maps as one self-contained file.
func HTML(s *bundle.Sweep) ([]byte, error) {
	said := s.Plan.Prose(s.Language)
	v := sweepView{
		Head: page.NewHead(say.OfLock.With(say.Verbatim(sanitize.Text(said.Name, sanitize.MaxLine)), say.Text("the safe region")).In(s.Language), figure.CSS, sweepCSS), Title: sanitize.Text(said.Name, sanitize.MaxLine), Story: sanitize.Text(said.Story, sanitize.MaxProse),
		Property: sanitize.Text(s.Property, sanitize.MaxName), Replay: sanitize.Text(s.Replay, sanitize.MaxLine),
		Seeds: say.SeedsEach.With(say.Property(sanitize.Text(s.Property, sanitize.MaxName)), say.Number(s.Seeds)).In(s.Language),
	}
	for i := range s.Maps {
		m := &s.Maps[i]
		svg, err := figure.SafeRegion(m, s.Plan.Lease, s.Language)
		if err != nil {
			return nil, err
		}
		v.Maps = append(v.Maps, sweepMapView{
			Anchor: "map-" + sanitize.FileName(m.Lock), Lock: sanitize.Text(m.Lock, sanitize.MaxName), Says: bundle.MapSays(m, s.Language),
			SVG: template.HTML(svg), Head: headOf(m, s.Language), Rows: rowsOf(m, s.Language), // our own SVG, with all texts escaped
		})
	}
	v.Lead = say.WhereDoesHold.With(say.Property(v.Property), say.Number(s.Seeds)).In(s.Language)
	return sweepTemplate.Fill(s.Language, v)
}

func headOf(m *sweep.Map, l say.Language) []string {
	head := []string{bundle.AxisName(&m.X)}
	if m.Y != nil {
		head = append(head, bundle.AxisName(m.Y))
	}
	return append(head, say.Texts(l, "broken", "share", "95 % interval", "untested", "first seed")...)
}

// rowsOf are the numbers of the map, for readers who cannot see it.
func rowsOf(m *sweep.Map, l say.Language) (rows [][]string) {
	for i := range m.Cells {
		c := &m.Cells[i]
		row := []string{m.X.Say(c.X)}
		if m.Y != nil {
			row = append(row, m.Y.Say(c.Y))
		}
		seed := "-"
		if c.FirstBroke > 0 {
			seed = fmt.Sprint(c.FirstBroke)
		}
		share, low, high := bundle.Share(c)
		rows = append(rows, append(row, say.SomeOf.With(say.Number(c.Broken), say.Number(c.Tested())).In(l), share,
			say.RateRange.With(say.Verbatim(low), say.Verbatim(high)).In(l), fmt.Sprint(c.Untested), seed))
	}
	return rows
}
