package report

import (
	"fmt"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// ratioRow is one line of the table of measures: each measure with its ratio to that
// of the first line that has it.
type ratioRow struct {
	Name  string
	Cells []ratioCell
}

// ratioCell is a measure and how many times it is that of the first line.
type ratioCell struct {
	Value string // "" when there is none
	Ratio string // "" for the line that the others are compared with
}

// ratioHeads name the measures.
var ratioHeads = []string{"acquired", "wait, median", "wait, p99", "hold, median", "hold, longest", "commands per acquisition", "two inside for"}

// amounts are the measures of one side as plain numbers, in the order of ratioHeads;
// -1 where there is none.
func (s *side) amounts() []int64 {
	out := []int64{-1, -1, -1, -1, -1, -1, -1}
	m := s.measures
	if m == nil {
		return out
	}
	out[0] = int64(m.acquired)
	if len(s.waits) > 0 {
		out[1], out[2] = int64(quantile(s.waits, 50)), int64(quantile(s.waits, 99))
	}
	if len(s.holds) > 0 {
		out[3], out[4] = int64(quantile(s.holds, 50)), int64(s.holds[len(s.holds)-1])
	}
	if m.acquired > 0 {
		out[5] = int64((m.commands*10 + m.acquired/2) / m.acquired) // tenths
	}
	out[6] = int64(s.r.Judgement.Overlap)
	return out
}

// amountText writes one of the amounts.
func amountText(k int, n int64, l say.Language) string {
	switch {
	case n < 0:
		return ""
	case k == 0:
		return strconv.FormatInt(n, 10)
	case k == 5:
		return fmt.Sprintf("%d.%d", n/10, n%10)
	}
	return spanText(time.Duration(n), l)
}

// ratioRows is the table of measures.
func ratioRows(sides []side, l say.Language) []ratioRow {
	var out []ratioRow
	base := make([]int64, len(ratioHeads))
	for k := range base {
		base[k] = -1
	}
	for i := range sides {
		row := ratioRow{Name: sides[i].name}
		for k, n := range sides[i].amounts() {
			cell := ratioCell{Value: amountText(k, n, l)}
			switch {
			case n < 0:
			case base[k] < 0:
				base[k] = n
			default:
				cell.Ratio = ratioText(n, base[k])
			}
			row.Cells = append(row.Cells, cell)
		}
		out = append(out, row)
	}
	return out
}

// ratioText says how many times b a is: ×1.5; "" when b is nothing to compare with.
func ratioText(a, b int64) string {
	switch {
	case a == b:
		return "×1.00"
	case b <= 0:
		return ""
	}
	ratio := float64(a) / float64(b)
	digits := 2
	switch {
	case ratio < 0.01 && a > 0:
		return "<0.01"
	case ratio >= 100:
		digits = 0
	case ratio >= 10:
		digits = 1
	}
	return "×" + strconv.FormatFloat(ratio, 'f', digits, 64)
}

// costFigure shows what an acquisition costs each side in commands.
func costFigure(sides []side, l say.Language) (figure, error) {
	f := figure{kind: "commands", table: head(l, "run and lock", "commands", "acquisitions", "per acquisition")}
	most := 1.0
	costs := make([]float64, len(sides))
	for i := range sides {
		m := sides[i].measures
		if m == nil || m.acquired == 0 {
			continue
		}
		costs[i] = float64(m.commands) / float64(m.acquired)
		most = max(most, costs[i])
		f.table.Rows = append(f.table.Rows, []string{
			sides[i].name, strconv.Itoa(m.commands), strconv.Itoa(m.acquired), amountText(5, sides[i].amounts()[5], l),
		})
	}
	if len(f.table.Rows) == 0 {
		f.absent = "nobody got the lock"
		return f, nil
	}
	p := newPlot(l, "commands per acquisition, of all clients", "")
	p.X.Min, p.X.Max = 0, most*1.08
	p.X.Tick.Marker = fewTicks(p.X.Max)
	p.Y.Min, p.Y.Max = -float64(len(sides))+0.4, 0.6 // the first one on top
	var ticks plot.ConstantTicks
	for i := range sides {
		ticks = append(ticks, plot.Tick{Value: -float64(i), Label: sides[i].name})
	}
	p.Y.Tick.Marker, p.Y.Tick.Length, p.Y.LineStyle.Width = ticks, 0, 0
	p.Y.Padding = 36 // browsers have wider letters than gonum reckons with
	p.Add(painter(func(c draw.Canvas, plt *plot.Plot) {
		x, y := plt.Transforms(&c)
		for i, cost := range costs {
			fill(c, blue, x(0), x(cost), y(-float64(i)-0.32), y(-float64(i)+0.32))
		}
	}))
	svg, err := drawnSized(wideWidth, vg.Length(len(sides)*18+50), func(c draw.Canvas) { p.Draw(c) }, say.Text("Commands that an acquisition costs").In(l))
	f.svg = svg
	f.caption = say.Text("Retries, renewals and releases count as well: they are what the store has to bear.")
	return f, err
}

// lengthOf is how long the longest history of a run is, in true time.
func lengthOf(b *Bundle) history.Instant {
	end := history.Instant(0)
	for i := range b.Runs {
		if h := b.Runs[i].Judgement.History; h != nil {
			end = max(end, h.End())
		}
	}
	return end
}
