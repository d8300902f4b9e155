package browser_test

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"slices"
	"testing"

	"lockstep/internal/browser"
)

// LOCKSTEP_PICTURE=FILE writes the moving picture of the README: the playground, while the end of the
// pause is pulled past the lease. scripts/gallery calls it.
func TestPictureOfThePlayground(t *testing.T) {
	file := os.Getenv("LOCKSTEP_PICTURE")
	if file == "" {
		t.Skip("set LOCKSTEP_PICTURE to a file for the picture of the playground")
	}
	p := browser.Visit(t, playgroundAt(t), browser.Options{Width: 1000, Height: 800})
	verdictIs(p, "kept")
	p.Await(`!document.querySelector(".wait")`)
	var frames []image.Image
	take := func() {
		drawn, err := png.Decode(bytes.NewReader(p.Clip("#stages")))
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, drawn)
	}
	browser.Eval[int](p, `document.activeElement.blur(), document.querySelector("#more").remove(), document.querySelector(".fresh").classList.remove("fresh"), 0`)
	take()
	slider := func(index int) {
		browser.Eval[int](p, fmt.Sprintf(`(function (i) { i.value = %d; i.dispatchEvent(new Event("input")); return 0; })(document.getElementById("in-pause"))`, index))
		p.Await(fmt.Sprintf(`document.querySelector(".held").textContent.indexOf("%g s") > 0`, float64(index)/4))
	}
	for index := 14; index <= 58; index += 4 {
		slider(index)
		take()
	}
	if err := os.WriteFile(file, animated(t, frames), 0o644); err != nil {
		t.Fatal(err)
	}
}

// animated is a GIF of some frames. All share one palette, that of their own most frequent colours.
func animated(t *testing.T, frames []image.Image) []byte {
	t.Helper()
	counts := map[color.RGBA]int{}
	for _, f := range frames {
		for y := f.Bounds().Min.Y; y < f.Bounds().Max.Y; y++ {
			for x := f.Bounds().Min.X; x < f.Bounds().Max.X; x++ {
				counts[color.RGBAModel.Convert(f.At(x, y)).(color.RGBA)]++
			}
		}
	}
	var colors []color.RGBA
	for c := range counts {
		colors = append(colors, c)
	}
	slices.SortFunc(colors, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var palette color.Palette
	for _, c := range colors[:min(len(colors), 64)] {
		palette = append(palette, c)
	}
	out, whole := &gif.GIF{}, image.Rectangle{}
	for _, f := range frames { // a sentence more makes a frame higher
		whole = whole.Union(f.Bounds())
	}
	for i, f := range frames {
		drawn := image.NewPaletted(whole, palette) // the most frequent colour, which is the background
		for y := f.Bounds().Min.Y; y < f.Bounds().Max.Y; y++ {
			for x := f.Bounds().Min.X; x < f.Bounds().Max.X; x++ {
				drawn.Set(x, y, f.At(x, y))
			}
		}
		delay := 18
		if i == 0 || i == len(frames)-1 {
			delay = 220
		}
		out.Image, out.Delay = append(out.Image, drawn), append(out.Delay, delay)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, out); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
