package strip

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"lockstep/internal/each"
)

// apart is the share of the width that a label above the rows takes on a phone.
const apart = 0.2

// bands draws violations across the rows. Bands of the same look that touch become one.
func (d *drawing) bands(list []Band) {
	d.labelled = nil
	list = slices.DeleteFunc(slices.Clone(list), func(b Band) bool { return !d.shown(b.From, b.To) })
	for _, same := range each.Groups(list, func(b Band) string { return b.Look }) {
		var wide []Band
		for _, b := range same.All {
			if n := len(wide); n > 0 && d.share(b.From)-d.share(wide[n-1].To) < 0.004 {
				wide[n-1].To = max(wide[n-1].To, b.To)
			} else {
				wide = append(wide, b)
			}
		}
		for _, b := range wide {
			x, label, side := d.share(b.From), b.Label, ""
			if d.crowded(x) {
				label = ""
			}
			if label != "" {
				d.labelled = append(d.labelled, x)
				if x > 0.8 {
					side = " left"
				}
			}
			d.f(`<div class="broke %s%s" style="--from:%.5f;--to:%.5f"><span>%s</span></div>`, b.Look, side, x, d.share(b.To), html.EscapeString(label))
		}
	}
}

// crowded reports whether a label at x would overlap another one.
func (d *drawing) crowded(x float64) bool {
	return slices.ContainsFunc(d.labelled, func(o float64) bool { return math.Abs(x-o) < apart })
}

// lines draws the ends of leases; of several at about the same time only the first.
func (d *drawing) lines(list []Line) {
	last := -1.0
	for _, l := range list {
		x := d.share(l.At)
		if l.At > d.scale.To || x-last < 0.01 {
			continue
		}
		from, side := x-apart, "" // of its label
		if from < 0 {
			from, side = x, " right"
		}
		if d.crowded(from) {
			side += " low"
		}
		d.f(`<div class="lease%s" style="--from:%.5f"%s><span>%s</span>%s</div>`, side, x, d.ends(l.Ends), html.EscapeString(l.Label), l.Over)
		last = x
	}
}

// ends is the attribute with the promised ends for scripts, in microseconds; "" for none. Of
// promises at about the same place only the last is kept.
func (d *drawing) ends(list []Promise) string {
	var steps []string
	last := -1.0
	for _, p := range list {
		until := int64(None)
		if p.Until != None {
			until = p.Until / 1000
		}
		x := d.share(p.At)
		if x-last < 0.002 {
			steps = steps[:len(steps)-1]
		}
		steps = append(steps, fmt.Sprintf("%d %d", p.At/1000, until))
		last = x
	}
	if steps == nil {
		return ""
	}
	return ` data-ends="` + strings.Join(steps, " ") + `"`
}
