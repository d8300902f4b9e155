package compare

import (
	"fmt"
	"slices"
	"strconv"

	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// RatioRow is one line of the table of measures.
type RatioRow struct {
	Name  string
	Cells []ratioCell
}

// ratioCell is a measure and its ratio to the first line that has it.
type ratioCell struct {
	Value string // "" without the measure
	Ratio string // "" in the first line
}

// RatioHeads name the measures.
var RatioHeads = []string{"acquired", "wait, median", "wait, p99", "hold, median", "hold, longest", "commands per acquisition", "two inside for"}

// Amounts are the measures of one side as numbers, in the order of RatioHeads; -1 for none.
func (s *Side) Amounts() []int64 {
	out := slices.Repeat([]int64{-1}, len(RatioHeads))
	m := s.Measures
	if m == nil {
		return out
	}
	out[0] = int64(m.Acquired)
	if len(s.Waits) > 0 {
		out[1], out[2] = int64(timeline.Quantile(s.Waits, 50)), int64(timeline.Quantile(s.Waits, 99))
	}
	if len(s.Holds) > 0 {
		out[3], out[4] = int64(timeline.Quantile(s.Holds, 50)), int64(s.Holds[len(s.Holds)-1])
	}
	if m.Acquired > 0 {
		out[5] = m.Tenths()
	}
	out[6] = int64(s.Run.Judgement.Overlap)
	return out
}

func amountText(k int, n int64, l say.Language) string {
	switch {
	case n < 0:
		return ""
	case k == 0:
		return strconv.FormatInt(n, 10)
	case k == 5:
		return fmt.Sprintf("%d.%d", n/10, n%10)
	}
	return say.Measured(n).In(l)
}

// RatioRows is the table of measures.
func RatioRows(sides []Side, l say.Language) []RatioRow {
	var out []RatioRow
	base := slices.Repeat([]int64{-1}, len(RatioHeads))
	for i := range sides {
		row := RatioRow{Name: sides[i].Name}
		for k, n := range sides[i].Amounts() {
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

// ratioText is the ratio of a to b: ×1.5; "" if b is 0.
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
