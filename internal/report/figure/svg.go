package figure

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"lockstep/internal/report/bundle"
)

// The colours of a plot are fixed, so its file looks the same in every program. They are those of
// the light theme of the pages; a page sets its own by CSS. gonum draws texts and axes in black,
// which becomes ink.
var (
	black     = color.NRGBA{A: 255}
	grey      = color.NRGBA{R: 0x5f, G: 0x5b, B: 0x55, A: 255}
	vermilion = color.NRGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 255}
	shade     = color.NRGBA{R: 0x80, G: 0x80, B: 0x80, A: 70}
	excess    = color.NRGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 110}

	clients = [bundle.ClientColours]color.NRGBA{
		{R: 0x1a, G: 0x4f, B: 0xb4, A: 255}, {R: 0x6e, G: 0x1c, B: 0x5d, A: 255}, {R: 0x1a, G: 0x93, B: 0xa0, A: 255},
		{R: 0x9a, G: 0x6f, B: 0xf0, A: 255}, {R: 0x15, G: 0x0c, B: 0x6e, A: 255}, {R: 0x60, G: 0x50, B: 0x78, A: 255},
	}
)

const (
	ink   = "#1f1e1c"
	paper = "#fdfcfa" // background of a file; on a page a plot has none
)

// Lines of plots: the axis, and a limit.
var (
	thin = draw.LineStyle{Color: black, Width: 0.5}
	law  = draw.LineStyle{Color: black, Width: 0.8, Dashes: []vg.Length{4, 3}}
)

func across(c draw.Canvas, style draw.LineStyle, y vg.Length) {
	c.StrokeLine2(style, c.Min.X, y, c.Max.X, y)
}

// colourOf is a client's colour by its number; the text's colour for anything else.
func colourOf(n int) color.Color {
	if n == 0 {
		return black
	}
	return clients[n-1]
}

// CSS makes plots on a page follow its theme.
var CSS = func() string {
	var b strings.Builder
	b.WriteString(".plotted { fill: var(--fg); }")
	follow := func(hex, name string) {
		fmt.Fprintf(&b, "\n.plotted [fill=\"%[1]s\"] { fill: var(--%[2]s); } .plotted [stroke=\"%[1]s\"] { stroke: var(--%[2]s); }", hex, name)
	}
	follow(ink, "fg")
	follow(hexOf(grey), "soft")
	follow(hexOf(vermilion), "ring")
	for n, c := range clients {
		follow(hexOf(c), fmt.Sprintf("c%d", n+1))
	}
	return b.String() + "\n"
}()

func hexOf(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func drawnSized(width, height vg.Length, paint func(draw.Canvas), title string) []byte {
	c := vgsvg.New(width, height)
	paint(draw.Crop(draw.New(c), 0, -10, 0, -6)) // room for half of the last labels
	var buf bytes.Buffer
	_, _ = c.WriteTo(&buf) // to memory, which never fails
	return finish(buf.Bytes(), title)
}

// blanks is the white space between elements, and between attributes.
var blanks = regexp.MustCompile(`\s*\n\s*`)

// styled matches the style of an element; texts have no bare quotes.
var styled = regexp.MustCompile(` ?style="([^"]*)"`)

// finish adapts gonum's SVG to pages and files: without XML prolog and font, with attributes
// instead of styles, which a page could not change, and with a title for readers who cannot see it.
func finish(svg []byte, title string) []byte {
	svg = blanks.ReplaceAll(svg, []byte(" "))
	head, body, _ := bytes.Cut(svg[max(bytes.Index(svg, []byte("<svg")), 0):], []byte(">"))
	body = styled.ReplaceAllFunc(body, func(style []byte) []byte {
		var out []byte
		for pair := range bytes.SplitSeq(styled.FindSubmatch(style)[1], []byte(";")) {
			name, value, _ := bytes.Cut(pair, []byte(":"))
			if bytes.HasPrefix(name, []byte("font-")) || len(name) == 0 {
				continue // all texts of a plot have one font
			}
			if value = bytes.ToLower(value); string(value) == "#000000" {
				value = []byte(ink)
			}
			out = fmt.Appendf(out, ` %s="%s"`, name, value)
		}
		return out
	})
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg class="plotted"%s%s<title>%s</title>`, size.Find(head), common, html.EscapeString(title))
	out.Write(body)
	return out.Bytes()
}

// size matches the attributes with the size of a drawing.
var size = regexp.MustCompile(` width="[^"]*" height="[^"]*" viewBox="0 0 ([0-9.]+) ([0-9.]+)"`)

// common is the part that all opening tags share.
const common = ` xmlns="http://www.w3.org/2000/svg" fill="` + ink + `" font-family="sans-serif" font-size="9.5px" role="img">`
