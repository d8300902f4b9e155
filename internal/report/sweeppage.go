package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"lockstep/internal/rate"
	"lockstep/internal/say"
)

//go:embed sweeppage.css
var sweepCSS string

var sweepTemplate = pageTemplate("sweeppage.html")

// Sweep is what the page of a sweep shows: for each lock, where a property holds.
type Sweep struct {
	Language     say.Language
	Title, Story string
	Property     string
	Seeds        int    // for each point
	Replay       string // the command line that measures it again
	Maps         []SweepMap
}

// SweepMap is the map of one lock.
type SweepMap struct {
	Lock   string
	XName  string // with its unit, as a label
	YName  string // "" when there is one axis only
	XTicks []string
	YTicks []string    // one empty text when there is one axis only
	Cells  []SweepCell // row by row, from the first tick of Y on
}

// SweepCell is one point. Rates are in millionths, with their 95 % interval.
type SweepCell struct {
	Broken, Tested, Untested int
	Rate, Low, High          int64
	FirstBroke               uint64 // the lowest seed that breaks the property; 0 when none does
}

// sweepView is what the template sees; all texts in it are clean.
type sweepView struct {
	Head                                 pageHead
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

// SweepHTML draws the maps as one file that needs nothing else.
func SweepHTML(s *Sweep) ([]byte, error) {
	v := sweepView{
		Head: newHead(say.OfLock.With(say.Verbatim(clean(s.Title, maxLine)), say.Text("the safe region")).In(s.Language), sweepCSS), Title: clean(s.Title, maxLine), Story: clean(s.Story, maxProse),
		Property: clean(s.Property, maxName), Replay: clean(s.Replay, maxLine),
		Seeds: say.SeedsEach.With(say.Verbatim(clean(s.Property, maxName)), say.Number(s.Seeds)).In(s.Language),
	}
	for i := range s.Maps {
		m := &s.Maps[i]
		svg, err := SafeRegion(m, s.Property, s.Language)
		if err != nil {
			return nil, err
		}
		v.Maps = append(v.Maps, sweepMapView{
			Anchor: "map-" + fileWord(m.Lock), Lock: clean(m.Lock, maxName), Says: m.Says(s.Property, s.Language),
			SVG: template.HTML(svg), Head: m.head(s.Language), Rows: m.rows(s.Language), // the figure is made by us, all texts escaped
		})
	}
	v.Lead = say.WhereDoesHold.With(say.Verbatim(v.Property), say.Number(s.Seeds)).In(s.Language)
	var buf bytes.Buffer
	if err := sweepTemplate(s.Language).Execute(&buf, v); err != nil {
		return nil, fmt.Errorf("filling in the page of the sweep: %w", err)
	}
	return buf.Bytes(), nil
}

// Says is what to take away from a map, in one sentence.
func (m *SweepMap) Says(property string, l say.Language) string {
	safe, broken, untested := m.count()
	lock, what := say.Verbatim(clean(m.Lock, maxName)), say.Verbatim(clean(property, maxName))
	says := say.KeepsInSome.With(lock, what, say.Number(safe), say.Number(broken))
	switch {
	case untested == len(m.Cells):
		says = say.MapIsEmpty.With(lock, what)
	case broken == 0:
		says = say.KeepsInAll.With(lock, what, say.Number(safe))
	case safe == 0:
		says = say.BreaksInAll.With(lock, what, say.Number(broken))
	}
	return says.In(l)
}

func (m *SweepMap) count() (safe, broken, untested int) {
	for _, c := range m.Cells {
		switch {
		case c.Tested == 0:
			untested++
		case c.Broken > 0:
			broken++
		default:
			safe++
		}
	}
	return safe, broken, untested
}

func (m *SweepMap) head(l say.Language) []string {
	head := []string{clean(m.XName, maxName)}
	if m.YName != "" {
		head = append(head, clean(m.YName, maxName))
	}
	return append(head, texts(l, "broken", "share", "95 % interval", "untested", "first seed")...)
}

// rows are the numbers of the map, for those who cannot see it.
func (m *SweepMap) rows(l say.Language) (rows [][]string) {
	for i := range m.Cells {
		c := &m.Cells[i]
		row := []string{clean(m.XTicks[i%len(m.XTicks)], maxName)}
		if m.YName != "" {
			row = append(row, clean(m.YTicks[i/len(m.XTicks)], maxName))
		}
		seed := "-"
		if c.FirstBroke > 0 {
			seed = fmt.Sprint(c.FirstBroke)
		}
		rows = append(rows, append(row, say.SomeOf.With(say.Number(c.Broken), say.Number(c.Tested)).In(l), c.share(),
			say.RateRange.With(say.Verbatim(rate.Percent(c.Low)), say.Verbatim(rate.Percent(c.High))).In(l), fmt.Sprint(c.Untested), seed))
	}
	return rows
}

// share is the rate in words: what was not tested has none.
func (c *SweepCell) share() string {
	if c.Tested == 0 {
		return "?"
	}
	return rate.Percent(c.Rate)
}

// short is the share as it stands in a cell of the map, in whole percents; a share
// that is not nothing never reads 0.
func (c *SweepCell) short() string {
	percent := (c.Rate + 5_000) / 10_000
	switch {
	case c.Tested == 0:
		return "?"
	case c.Broken > 0 && percent == 0:
		return "<1"
	case c.Broken < c.Tested && percent == 100:
		return ">99"
	}
	return fmt.Sprint(percent)
}

// SweepTerminal prints the maps for a terminal: in each cell the share of broken
// runs in percent, and below the intervals of the settings that broke.
func SweepTerminal(s *Sweep) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", clean(s.Title, maxLine), say.ShareOfBroken.With(say.Verbatim(clean(s.Property, maxName)), say.Number(s.Seeds)).In(s.Language))
	for i := range s.Maps {
		m := &s.Maps[i]
		fmt.Fprintf(&b, "\n%s\n", m.Says(s.Property, s.Language))
		m.grid(&b)
	}
	return b.String()
}

// grid prints the cells with their axes; the last row of Y comes first, as on a map.
func (m *SweepMap) grid(b *strings.Builder) {
	left, width := 0, 4
	for _, t := range m.YTicks {
		left = max(left, len(clean(t, maxName)))
	}
	for _, t := range m.XTicks {
		width = max(width, len(clean(t, maxName))+2)
	}
	if m.YName != "" {
		fmt.Fprintf(b, "  %s\n", clean(m.YName, maxName))
	}
	for y := len(m.YTicks) - 1; y >= 0; y-- {
		fmt.Fprintf(b, "  %*s |", left, clean(m.YTicks[y], maxName))
		for x := range m.XTicks {
			fmt.Fprintf(b, "%*s", width, m.Cells[y*len(m.XTicks)+x].short())
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "  %*s +%s\n  %*s  ", left, "", strings.Repeat("-", width*len(m.XTicks)), left, "")
	for _, t := range m.XTicks {
		fmt.Fprintf(b, "%*s", width, clean(t, maxName))
	}
	fmt.Fprintf(b, "\n  %*s  %*s\n", left, "", width*len(m.XTicks), clean(m.XName, maxName))
}
