// Package sweeppage draws the page of a sweep.
package sweeppage

import (
	"embed"
	"fmt"
	"html/template"

	"lockstep/internal/campaign/sweep"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

//go:embed *.html *.css
var files embed.FS

var design = page.NewDesign("sweeppage", files)

// view is the view of the template.
type view struct {
	*bundle.Sweep
	Head page.Head
	Said plan.Texts
}

// HTML draws the maps as one self-contained file.
func HTML(s *bundle.Sweep) ([]byte, error) {
	v := &view{Sweep: s, Said: s.Plan.Prose(s.Language)}
	name := say.Verbatim(sanitize.Text(v.Said.Name, sanitize.MaxLine))
	v.Head = design.Head(say.OfLock.With(name, say.Text("the safe region")).In(s.Language), figure.CSS)
	return design.Fill(s.Language, v)
}

func (v *view) property() say.Property {
	return say.Property(sanitize.Text(v.Property, sanitize.MaxName))
}

// Lead is the question that the maps answer, and Each the number of seeds.
func (v *view) Lead() say.Phrase { return say.WhereDoesHold.With(v.property(), say.Number(v.Seeds)) }
func (v *view) Each() say.Phrase { return say.SeedsEach.With(v.property(), say.Number(v.Seeds)) }

// Anchor is the id of a map.
func (v *view) Anchor(m *sweep.Map) string { return "map-" + sanitize.FileName(m.Lock) }

// Says sums up a map, and Region draws it.
func (v *view) Says(m *sweep.Map) string { return bundle.MapSays(m, v.Language) }

func (v *view) Region(m *sweep.Map) template.HTML {
	return template.HTML(figure.SafeRegion(m, v.Language)) // our own SVG, with all texts escaped
}

// Columns and Rows are the numbers of a map, for readers who cannot see it.
func (v *view) Columns(m *sweep.Map) []string {
	head := []string{bundle.AxisName(&m.X)}
	if m.Y != nil {
		head = append(head, bundle.AxisName(m.Y))
	}
	return append(head, say.Texts(v.Language, "broken", "share", "95 % interval", "untested", "first seed")...)
}

func (v *view) Rows(m *sweep.Map) (rows [][]string) {
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
		broken := say.SomeOf.With(say.Number(c.Broken), say.Number(c.Tested())).In(v.Language)
		between := say.FromTo.With(say.Verbatim(low), say.Verbatim(high)).In(v.Language)
		rows = append(rows, append(row, broken, share, between, fmt.Sprint(c.Untested), seed))
	}
	return rows
}
