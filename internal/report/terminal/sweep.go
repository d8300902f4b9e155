package terminal

import (
	_ "embed"
	"fmt"
	"strings"

	"lockstep/internal/report/bundle"
	"lockstep/internal/report/clean"
	"lockstep/internal/say"
)

// Sweep prints the maps for a terminal: in each cell the share of broken
// runs in percent, and below the intervals of the settings that broke.
func Sweep(s *bundle.Sweep) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", clean.Text(s.Title, clean.MaxLine), say.ShareOfBroken.With(say.Verbatim(clean.Text(s.Property, clean.MaxName)), say.Number(s.Seeds)).In(s.Language))
	for i := range s.Maps {
		m := &s.Maps[i]
		fmt.Fprintf(&b, "\n%s\n", m.Says(s.Property, s.Language))
		sweepGrid(&b, m)
	}
	return b.String()
}

// grid prints the cells with their axes; the last row of Y comes first, as on a map.
func sweepGrid(b *strings.Builder, m *bundle.SweepMap) {
	left, width := 0, 4
	for _, t := range m.YTicks {
		left = max(left, len(clean.Text(t, clean.MaxName)))
	}
	for _, t := range m.XTicks {
		width = max(width, len(clean.Text(t, clean.MaxName))+2)
	}
	if m.YName != "" {
		fmt.Fprintf(b, "  %s\n", clean.Text(m.YName, clean.MaxName))
	}
	for y := len(m.YTicks) - 1; y >= 0; y-- {
		fmt.Fprintf(b, "  %*s |", left, clean.Text(m.YTicks[y], clean.MaxName))
		for x := range m.XTicks {
			fmt.Fprintf(b, "%*s", width, m.Cells[y*len(m.XTicks)+x].Short())
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "  %*s +%s\n  %*s  ", left, "", strings.Repeat("-", width*len(m.XTicks)), left, "")
	for _, t := range m.XTicks {
		fmt.Fprintf(b, "%*s", width, clean.Text(t, clean.MaxName))
	}
	fmt.Fprintf(b, "\n  %*s  %*s\n", left, "", width*len(m.XTicks), clean.Text(m.XName, clean.MaxName))
}
