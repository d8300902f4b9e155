package browser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/browser"
	"lockstep/internal/must"
)

// LOCKSTEP_SCREENSHOTS=DIR keeps pictures of some reports and of the playground, to be looked at.
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("LOCKSTEP_SCREENSHOTS")
	if dir == "" {
		t.Skip("set LOCKSTEP_SCREENSHOTS to a directory for pictures of reports and of the playground")
	}
	keep := func(name string, p *browser.Page) {
		must.Do(t, os.WriteFile(filepath.Join(dir, name+".png"), p.Screenshot(), 0o644))
	}
	for _, name := range []string{
		"pause-past-lease", "redlock-and-a-jumping-clock", "fence-saves-the-resource", "split-brain",
	} {
		for kind, o := range map[string]browser.Options{
			"": {}, "-dark": {Dark: true, Width: 1280, Height: 720, Hash: "#s4"},
			"-phone": {Width: 390, Height: 844}, "-print": {Print: true, Width: 718},
		} {
			keep(name+kind, browser.Open(t, lesson(t, name), o))
		}
	}
	address := playgroundAt(t)
	for name, o := range map[string]browser.Options{
		"play-1280": {Width: 1280, Height: 800}, "play-390": {Width: 390, Height: 844},
		"play-dark": {Width: 1280, Height: 800, Dark: true},
		"lesson":    {Width: 1280, Height: 800, Hash: "#lesson=pause"},
		"story":     {Width: 1280, Height: 800, Hash: "#story=redlock-and-a-jumping-clock"},
	} {
		page := "index.html"
		if o.Hash != "" {
			page = "zh.html"
		}
		p := browser.Visit(t, address+page, o)
		p.Await(`document.querySelectorAll(".lock").length > 0`)
		settled(p)
		keep(name, p)
	}
}

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

func TestMain(m *testing.M) { os.Exit(browser.Tests{M: m}.Run()) }
