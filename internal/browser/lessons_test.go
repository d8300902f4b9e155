package browser_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/browser"
	"lockstep/internal/must"
)

// controlsInSight lists the visible and enabled controls of the playground, by their names in
// lessons.
const controlsInSight = `(function () {
	var names = [].filter.call(document.querySelectorAll("[data-own]"), function (e) { return e.checkVisibility(); }).map(function (e) { return e.dataset.own; });
	if (document.querySelector("#more").checkVisibility()) names.push("compare");
	if (!document.querySelector(".which").disabled) names.push("lock");
	return names.sort();
})()`

// After the answer a lesson shows its own controls, and all controls on request. Its text fits the
// window without scrolling.
func TestALessonShowsItsControls(t *testing.T) {
	p := browser.Visit(t, playgroundAt(t)+"index.html", browser.Options{Hash: "#lesson=pause", Width: 1280, Height: 900})
	for _, name := range []string{"pause", "gap", "consensus", "fence"} {
		browser.Eval[string](p, fmt.Sprintf(`location.hash = "lesson=%s"`, name))
		p.Await(fmt.Sprintf(`document.querySelectorAll("#lesson .answers:not(.answered) button").length > 1 && document.body.dataset.turn === JSON.parse(document.getElementById("cards").textContent).filter(function (c) { return c.name === %q; })[0].controls.join(" ")`, name))
		settled(p)
		if seen := browser.Eval[[]string](p, controlsInSight); len(seen) > 0 {
			t.Errorf("%s: before the answer there is %q to change", name, seen)
		}
		p.Click("#lesson .answers button:first-child")
		want := browser.Eval[[]string](p, fmt.Sprintf(`JSON.parse(document.getElementById("cards").textContent).filter(function (c) { return c.name === %q; })[0].controls.sort()`, name))
		must.Slicesf(t, browser.Eval[[]string](p, controlsInSight), want, "%s: shows", name)
		if room := browser.Eval[[]float64](p, `(function (e) { scrollTo(0, 0); return [e.scrollHeight - e.clientHeight, innerHeight - e.getBoundingClientRect().bottom]; })(document.getElementById("lesson"))`); room[0] > 0 || room[1] < 0 {
			t.Errorf("%s: %v pixels of the text are hidden, %v below it", name, room[0], room[1])
		}
		p.Click("#all")
		if seen := browser.Eval[[]string](p, controlsInSight); len(seen) < 15 || !slices.Contains(seen, "lease") {
			t.Errorf("%s: all controls are %s", name, strings.Join(seen, ", "))
		}
		p.Click("#all")
	}
	quiet(t, p)
}
