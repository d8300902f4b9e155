package terminal

import (
	"fmt"
	"strings"

	"lockstep/internal/campaign/sweep"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// Sweep prints the maps for a terminal: in each cell the share of broken runs in percent.
func Sweep(s *bundle.Sweep) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", sanitize.Text(s.Plan.Prose(s.Language).Name, sanitize.MaxLine), say.ShareOfBroken.With(say.Property(sanitize.Text(s.Property, sanitize.MaxName)), say.Number(s.Seeds)).In(s.Language))
	for i := range s.Maps {
		m := &s.Maps[i]
		fmt.Fprintf(&b, "\n%s\n", bundle.MapSays(m, s.Language))
		sweepGrid(&b, m)
	}
	return b.String()
}

// sweepGrid prints the cells with their axes, the last row of Y first, as on a map.
func sweepGrid(b *strings.Builder, m *sweep.Map) {
	xs, ys := bundle.Ticks(&m.X), bundle.Ticks(m.Y)
	left, width := 0, 4
	for _, t := range ys {
		left = max(left, len(t))
	}
	for _, t := range xs {
		width = max(width, len(t)+2)
	}
	if m.Y != nil {
		fmt.Fprintf(b, "  %s\n", bundle.AxisName(m.Y))
	}
	for y := len(ys) - 1; y >= 0; y-- {
		fmt.Fprintf(b, "  %*s |", left, ys[y])
		for x := range xs {
			fmt.Fprintf(b, "%*s", width, bundle.ShortShare(&m.Cells[y*len(xs)+x]))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "  %*s +%s\n  %*s  ", left, "", strings.Repeat("-", width*len(xs)), left, "")
	for _, t := range xs {
		fmt.Fprintf(b, "%*s", width, t)
	}
	fmt.Fprintf(b, "\n  %*s  %*s\n", left, "", width*len(xs), bundle.AxisName(&m.X))
}
