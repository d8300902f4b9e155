package figure

import (
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockstep/internal/report/axis"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// Costs shows the commands per acquisition of each name; measures are nil if unknown.
func Costs(names []string, all []*timeline.Measures, l say.Language) Figure {
	f := Figure{Kind: "commands", Table: head(l, "run and lock", "commands", "acquisitions", "per acquisition")}
	most := 1.0
	costs := make([]float64, len(names))
	for i, m := range all {
		if m == nil || m.Acquired == 0 {
			continue
		}
		costs[i] = float64(m.Commands) / float64(m.Acquired)
		most = max(most, costs[i])
		f.Table.Rows = append(f.Table.Rows, []string{
			names[i], strconv.Itoa(m.Commands), strconv.Itoa(m.Acquired), m.PerAcquisition(),
		})
	}
	if len(f.Table.Rows) == 0 {
		f.Absent = "no client got the lock"
		return f
	}
	p := newPlot(l, "commands per acquisition, of all clients", "")
	p.X.Min, p.X.Max = 0, most*1.08
	p.X.Tick.Marker = ticks(axis.Few(p.X.Max))
	p.Y.Min, p.Y.Max = -float64(len(names))+0.4, 0.6 // the first one on top
	p.Y.Tick.Marker, p.Y.Tick.Length, p.Y.LineStyle.Width = namedTicks(names, -1), 0, 0
	p.Y.Padding = 36 // letters in browsers are wider than gonum assumes
	paint(p, func(c draw.Canvas, x, y scale) {
		for i, cost := range costs {
			fill(c, grey, x(0), x(cost), y(-float64(i)-0.32), y(-float64(i)+0.32))
		}
	})
	f.SVG = drawnSized(wideWidth, vg.Length(len(names)*18+50), p.Draw, say.Text("Commands that an acquisition costs").In(l))
	f.Caption = say.Text("Retries, renewals and releases count, too: the store bears them all.")
	return f
}
