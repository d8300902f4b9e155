package browser_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"lockstep/internal/browser"
	"lockstep/internal/real/realtest"
)

// cursorsStand lists where timelines, diagrams and steps do not show the same time.
const cursorsStand = `(function () {
	var out = [];
	document.querySelectorAll("#pictures .player").forEach(function (player, i) {
		var bad = function (what) { out.push("lock " + (i + 1) + ": " + what); };
		var stage = document.querySelectorAll(".stage")[i], line = player.querySelector("svg[data-rows] .cursor");
		if (!stage.classList.contains("moving") || !line || !line.checkVisibility()) return bad("has no cursor");
		var rows = player.querySelector("svg[data-rows]").dataset.rows.split(" ").map(Number), y = +/^M[0-9.]+ ([0-9.]+)H/.exec(line.getAttribute("d"))[1];
		var told = rows[1];
		for (var n = 0; n + 3 < rows.length; n += 2)
			if (rows[n] <= y + 0.01) told = rows[n + 1] + (rows[n + 3] - rows[n + 1]) * Math.min(Math.max(y - rows[n], 0) / (rows[n + 2] - rows[n] || 1), 1);
		var now = player.querySelector(".steps .now"), next = now ? now.nextElementSibling : player.querySelector(".steps li");
		var at = function (row) { return parseFloat(row.querySelector(".t").textContent); };
		if (now && at(now) > told / 1e6 + 0.0015) bad("the step of " + at(now) + " s is the present one at " + told / 1e6);
		if (next && at(next) < told / 1e6 - 0.0015) bad("the step of " + at(next) + " s is not the present one at " + told / 1e6);
		if (now) {
			var r = now.getBoundingClientRect(), pane = now.closest(".pane").getBoundingClientRect();
			if (r.top < pane.top - 1 || r.top > pane.bottom - 20) bad("its step is out of its pane");
		}
		var l = line.getBoundingClientRect(), picture = line.closest(".pane").getBoundingClientRect();
		if (l.top < picture.top - 1 || l.top > picture.bottom + 1) bad("its diagram shows another part");
		// The line of the timeline, against its labels of whole seconds.
		var labels = stage.querySelectorAll(".axis span:not(.leases)"), a = labels[0], b = labels[1], per = parseFloat(b.textContent) - parseFloat(a.textContent);
		var left = parseFloat(getComputedStyle(stage.querySelector(".rows-of"), "::after").left) + stage.getBoundingClientRect().left;
		var x0 = a.getBoundingClientRect().left, told_ = parseFloat(a.textContent) + per * (left - x0) / (b.getBoundingClientRect().left - x0);
		if (Math.abs(told_ - %f) > 0.1) bad("its timeline is at " + told_);
	});
	return out.slice(0, 5);
})()`

// cursorsStandAt is cursorsStand for a time, in seconds.
func cursorsStandAt(present float64) string { return fmt.Sprintf(cursorsStand, present) }

// One cursor shows the same time in the timelines, diagrams and steps of all locks.
func TestThePlaygroundHasOneCursor(t *testing.T) {
	for _, size := range ([][2]int{{1280, 720}, {390, 844}})[:realtest.Tiers(1, 2)] {
		p := browser.Visit(t, playgroundAt(t), browser.Options{Width: size[0], Height: size[1]})
		verdictIs(p, "kept")
		settled(p)
		link := browser.Eval[string](p, "location.href")
		clock := func() float64 {
			return browser.Eval[float64](p, `parseFloat(document.querySelector("#desk .clock").textContent)`)
		}
		same := func(when string) {
			t.Helper()
			p.Await(`document.querySelectorAll("#pictures .player").length === document.querySelectorAll(".stage").length`)
			for _, problem := range browser.Eval[[]string](p, cursorsStandAt(clock())) {
				t.Errorf("%v, %s: %s", size, when, problem)
			}
		}
		last := -1.0
		for range 6 {
			p.Click(`[data-go="next"]`)
			same("the next step")
			if at := clock(); at <= last {
				t.Errorf("the next step is at %v, the one before at %v", at, last)
			} else {
				last = at
			}
			if seen := browser.Eval[bool](p, `(function (r) { return r.top >= -1 && r.bottom <= innerHeight + 1; })(document.querySelector(".steps .now").getBoundingClientRect())`); !seen {
				t.Errorf("%v: the present step is out of the window", size)
			}
		}
		// A number of the diagram, and a row of the other lock.
		browser.Eval[int](p, `document.querySelector("#pictures .player:first-child .spacetime[data-rows] a").dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true})), 0`)
		same("a number of the diagram")
		if at := browser.Eval[string](p, `document.querySelector(".steps .now .n").textContent`); at != "1" || browser.Eval[string](p, "location.href") != link {
			t.Errorf("the first number leads to step %s, at %s", at, browser.Eval[string](p, "location.href"))
		}
		browser.Eval[int](p, `document.querySelector("#pictures .player:last-child .steps li:nth-child(5)").click(), 0`)
		same("a step of the second lock")
		if at := browser.Eval[int](p, `[].indexOf.call(document.querySelectorAll("#pictures .player:last-child .steps li"), document.querySelector("#pictures .player:last-child .steps .now"))`); at != 4 {
			t.Errorf("the fifth step of the second lock is not the present one: %d", at)
		}
		// The middle of the timeline is half of its time.
		at := p.Middle(`.lock:first-child .lane[data-node="B"] .track`)
		half := browser.Eval[float64](p, `(function (l) { var per = parseFloat(l[1].textContent) - parseFloat(l[0].textContent), box = l[0].parentNode.getBoundingClientRect(); return per * box.width / 2 / (l[1].getBoundingClientRect().left - l[0].getBoundingClientRect().left); })(document.querySelectorAll(".lock:first-child .axis span"))`)
		p.Drag(browser.Point{X: at.X - 60, Y: at.Y}, at)
		same("a hand in the timeline")
		if got := clock(); math.Abs(got-half) > 0.1 {
			t.Errorf("%v: half of the timeline is %v s, not %v", size, got, half)
		}
		// The cursor stays where it is while the run changes.
		before := clock()
		browser.Eval[int](p, `(function (i) { i.value = +i.value + 2; i.dispatchEvent(new Event("input")); i.dispatchEvent(new Event("change")); return 0; })(document.querySelector("[data-control=latency]"))`)
		p.Await(`location.href !== ` + "`" + link + "`")
		settled(p)
		if got := clock(); math.Abs(got-before) > 0.01 {
			t.Errorf("%v: the cursor went from %v to %v with another latency", size, before, got)
		}
		same("another run")
		browser.Eval[int](p, `(function (s) { s.value = 1000; s.dispatchEvent(new Event("input")); return 0; })(document.querySelector("#desk .scrub"))`)
		same("the end of the slider")
		browser.Eval[int](p, `document.activeElement.blur(), document.querySelector("#desk .speed").value = "4", 0`)
		p.Press(" ")
		p.Await(`document.querySelectorAll(".playing").length === 1 && parseFloat(document.querySelector("#desk .clock").textContent) > 1`)
		if label := browser.Eval[string](p, `document.querySelector('[data-go="play"]').getAttribute("aria-label")`); label != "Pause" {
			t.Errorf("while it plays the button says %q", label)
		}
		p.Press(" ")
		same("a pause")
		p.Press(kb.Escape)
		if n := p.Count(".moving"); n != 0 || p.Count(".steps .now") != 0 {
			t.Errorf("Escape leaves %d cursors", n)
		}
		quiet(t, p)
	}
}

// leaseEnds are the visible ends of leases, in seconds of the axis.
const leaseEnds = `(function (strips) {
	var labels = strips.querySelectorAll(".axis span:not(.leases)"), a = labels[0], b = labels[1], per = parseFloat(b.textContent) - parseFloat(a.textContent);
	var x0 = a.getBoundingClientRect().left, wide = b.getBoundingClientRect().left - x0;
	return [].filter.call(strips.querySelectorAll(".lease > span"), function (e) { return e.checkVisibility(); }).map(function (e) {
		return per * (e.parentNode.getBoundingClientRect().left - x0) / wide;
	});
})(document.querySelector(".strips"))`

// In the playground and in a report, the end of the lease is the one promised at the time of the
// cursor. Without a cursor it is the one that decided the run.
func TestTheCursorShowsThePromisedEnd(t *testing.T) {
	p := browser.Visit(t, playgroundAt(t), browser.Options{Width: 1280, Height: 900, Hash: "#story=short-pause-is-harmless&lock=watchdog-lua"})
	verdictIs(p, "kept")
	settled(p)
	ends := func(when string, want ...float64) {
		t.Helper()
		got := browser.Eval[[]float64](p, leaseEnds)
		for i := range want {
			if len(got) != len(want) || math.Abs(got[i]-want[i]) > 0.1 {
				t.Errorf("%s leases end at %v, want %v", when, got, want)
				return
			}
		}
	}
	ends("without a cursor", 13.338)
	for _, c := range []struct{ at, end float64 }{{1, 10.003}, {4.5, 13.338}, {9, 18.39}} { // a lease of 10 s, renewed after each third
		track := browser.Eval[[]float64](p, `(function (r) { return [r.left, r.width, r.top + 5]; })(document.querySelector(".axis .track").getBoundingClientRect())`)
		window := browser.Eval[float64](p, `document.querySelector(".strips").dataset.to / 1e6`)
		at := browser.Point{X: track[0] + track[1]*c.at/window, Y: track[2]}
		p.Drag(browser.Point{X: at.X - 3, Y: at.Y}, at)
		ends(fmt.Sprintf("at %v s", c.at), c.end)
	}
	p.Press(kb.Escape)
	ends("with the cursor put away", 13.338)
	quiet(t, p)

	p = browser.Open(t, lesson(t, "short-pause-is-harmless"), browser.Options{})
	p.Await(`document.querySelectorAll(".lock .strips [data-ends]").length > 0`)
	p.Press("j") // the first step: the lock has just been granted
	if got := browser.Eval[[]float64](p, leaseEnds); len(got) != 1 || math.Abs(got[0]-10.003) > 0.1 {
		t.Errorf("at the first step of a report leases end at %v", got)
	}
	quiet(t, p)
}
