package figure

import (
	"bytes"
	"fmt"
	"html"
	"strconv"
	"strings"

	"lockstep/internal/campaign/sweep"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// Measures of a file, in points.
const (
	headRoom    = 36 // above the plot, for its heading
	headSize    = 12
	aboutSize   = 8.5
	headMargin  = 8
	widthOfChar = 0.58 // at most, relative to the size; a Chinese character is as wide as it is high
)

// standalone makes a file of a plot, with a background, a heading, and a line about it. If the line
// is too long, it loses its first parts.
func standalone(svg []byte, heading string, about []string) []byte {
	var width, height float64
	fmt.Sscan(string(bytes.Join(size.FindSubmatch(svg)[1:], []byte(" "))), &width, &height)
	_, body, _ := bytes.Cut(svg, []byte("</title>"))
	room := width - headMargin
	for len(about) > 1 && textWidth(strings.Join(about, " · "), aboutSize) > room {
		about = about[1:]
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg width="%[1]gpt" height="%[2]gpt" viewBox="0 0 %[1]g %[2]g"%[3]s<title>%[4]s</title><rect width="100%%" height="100%%" fill="%[5]s"/>`,
		width+headMargin, height+headRoom, common, html.EscapeString(heading), paper)
	line := func(y, size float64, attributes, text string) {
		if wide := textWidth(text, size); wide > room {
			size *= room / wide
		}
		fmt.Fprintf(&b, `<text x="%d" y="%g" font-size="%.3gpx"%s>%s</text>`, headMargin, y, size, attributes, html.EscapeString(text))
	}
	line(16, headSize, ` font-weight="bold"`, heading)
	line(28, aboutSize, ` fill="`+hexOf(grey)+`"`, strings.Join(about, " · "))
	fmt.Fprintf(&b, `<g transform="translate(%d, %d)">%s</g></svg>`, headMargin, headRoom, bytes.TrimSuffix(bytes.TrimSpace(body), []byte("</svg>")))
	b.WriteByte('\n')
	return b.Bytes()
}

// textWidth estimates the greatest width of a text of a size.
func textWidth(text string, size float64) (wide float64) {
	for _, r := range text {
		if r < 0x2e80 {
			wide += widthOfChar * size
		} else {
			wide += size
		}
	}
	return wide
}

// aboutRun is the line below the heading of a plot of a run.
func aboutRun(b *bundle.Bundle, l say.Language) []string {
	out := []string{sanitize.Text(b.Title(l), sanitize.MaxLine), say.Text("seed").In(l) + " " + strconv.FormatUint(b.Seed, 10)}
	if history.Simulated(b.Backend) {
		out = append(out, say.Text("simulated").In(l))
	} else {
		out = append(out, sanitize.Text(b.Backend, sanitize.MaxName))
	}
	if speed := b.Speed().In(l); speed != "" {
		out = append(out, speed)
	}
	return out
}

// Region plots a map of a sweep as a file.
func Region(s *bundle.Sweep, m *sweep.Map) []byte {
	heading := say.OfLock.With(say.Verbatim(sanitize.Text(m.Lock, sanitize.MaxName)), say.Text("the safe region"))
	about := []string{
		sanitize.Text(s.Plan.Prose(s.Language).Name, sanitize.MaxLine), say.Text("simulated").In(s.Language),
		say.SeedsEach.With(say.Property(sanitize.Text(s.Property, sanitize.MaxName)), say.Number(s.Seeds)).In(s.Language),
	}
	return standalone(SafeRegion(m, s.Language), heading.In(s.Language), about)
}
