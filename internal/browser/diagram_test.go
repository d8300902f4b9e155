package browser_test

import (
	"testing"

	"lockstep/internal/browser"
)

// beyondThePane lists the words and marks of diagrams that are right of the edge of their pane.
const beyondThePane = `(function () {
	var out = [];
	document.querySelectorAll(".pane svg.spacetime[data-rows]").forEach(function (svg) {
		var edge = svg.closest(".pane").getBoundingClientRect().left + svg.closest(".pane").clientWidth + 1;
		svg.querySelectorAll("text, circle, rect:not(.later), path:not(.cursor)").forEach(function (e) {
			if (e.getBoundingClientRect().right > edge) out.push(e.tagName + " " + (e.textContent || e.getAttribute("class")));
		});
	});
	return out;
})()`

// A diagram fits its pane: its columns move together in a narrow window, and apart again in a wide
// one.
func TestDiagramsFitTheirPanes(t *testing.T) {
	for _, name := range []string{"pause-past-lease", "redlock-and-a-jumping-clock"} {
		p := browser.Open(t, lesson(t, name), browser.Options{Width: 1280, Height: 900})
		wide := browser.Eval[string](p, `document.querySelector(".pane svg.spacetime[data-rows]").outerHTML`)
		p.Resize(390, 844)
		p.Await(`document.querySelector(".pane svg.spacetime[data-rows]").viewBox.baseVal.width <= 358`)
		if beyond := browser.Eval[[]string](p, beyondThePane); len(beyond) > 0 {
			t.Errorf("%s: right of the edge at 390 pixels: %q", name, beyond)
		}
		if name == "pause-past-lease" {
			if pitch := browser.Eval[float64](p, `(function (n) { return n[1].getAttribute("x") - n[0].getAttribute("x"); })(document.querySelectorAll(".pane svg.spacetime[data-rows] .node"))`); pitch != 52 {
				t.Errorf("five lanes are %v pixels apart, want 52", pitch)
			}
		}
		p.Resize(1280, 900)
		p.Await(`document.querySelector(".pane svg.spacetime[data-rows]").viewBox.baseVal.width > 400`)
		if again := browser.Eval[string](p, `document.querySelector(".pane svg.spacetime[data-rows]").outerHTML`); again != wide {
			t.Errorf("%s: the diagram differs when the window is wide again", name)
		}
	}
}

// A larger font size enlarges sentences, the picture of a run and its diagram.
func TestWordsFollowTheFontSize(t *testing.T) {
	p := browser.Open(t, lesson(t, "pause-past-lease"), browser.Options{Width: 1800, Height: 900})
	const sizes = `[".lead", ".steps p", ".run-strip", ".lane .name"].map(function (q) { return parseFloat(getComputedStyle(document.querySelector(q)).fontSize); }).concat(document.querySelector(".spacetime .time").getBoundingClientRect().height)`
	before := browser.Eval[[]float64](p, sizes)
	browser.Eval[bool](p, `(document.documentElement.style.fontSize = "150%", dispatchEvent(new Event("resize")))`)
	for n, after := range browser.Eval[[]float64](p, sizes) {
		if after < 1.4*before[n] {
			t.Errorf("words of kind %d are %v pixels high, and were %v", n, after, before[n])
		}
	}
}
