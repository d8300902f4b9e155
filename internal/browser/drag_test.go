package browser_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/browser"
)

// counted lists what a page asks of the simulator, and counts the nodes that it replaces.
const counted = `(function () {
	window.cost = { asked: [], nodes: 0 };
	var post = Worker.prototype.postMessage;
	Worker.prototype.postMessage = function (m) {
		var r = m.request;
		cost.asked.push(r.row ? "row" : r.settled ? "settled" : r.timeline ? "timelines" : r.edit ? "edit" : "whole");
		return post.call(this, m);
	};
	new MutationObserver(function (list) {
		list.forEach(function (change) {
			change.addedNodes.forEach(function (n) { cost.nodes += 1 + (n.querySelectorAll ? n.querySelectorAll("*").length : 0); });
		});
	}).observe(document.body, { childList: true, subtree: true });
	return 0;
})()`

// During a drag, the page asks for timelines only: the diagrams below follow when the pointer
// rests, and the map of pause and lease after the drag.
func TestADragWaitsForTimelinesOnly(t *testing.T) {
	p := browser.Visit(t, playgroundAt(t), browser.Options{Width: 1280, Height: 900})
	verdictIs(p, "kept")
	p.Await(`document.querySelectorAll("#map .grid i[class]").length > 0`)
	browser.Eval[int](p, counted)
	browser.Eval[int](p, `(function () {
		window.drawn = 0;
		new MutationObserver(function () { drawn++; }).observe(document.querySelector("#pictures .diagram"), { childList: true });
		return 0;
	})()`)
	from := p.Middle(".held .grip")
	letGo := p.Hold(from, browser.Point{X: from.X + 300, Y: from.Y})
	p.Await(`document.querySelectorAll("#pictures .steps .bad").length > 0 && !document.querySelector("#pictures.stale")`)
	if p.Count("#stages[data-settled]") > 0 {
		t.Error("a fault that is still held has an address")
	}
	letGo()
	settled(p)
	p.Await(`cost.asked.lastIndexOf("row") > 0`)
	asked := strings.Join(browser.Eval[[]string](p, "cost.asked"), " ")
	_, dragged, _ := strings.Cut(asked, "timelines")
	if strings.Contains(asked, "edit") || strings.Contains(dragged[:max(strings.LastIndex(dragged, "timelines"), 0)], "row") {
		t.Errorf("asked for during a drag: %s", asked)
	}
	if drawn, rests := browser.Eval[int](p, "drawn"), strings.Count(asked, "settled")+strings.Count(asked, "whole"); drawn == 0 || drawn > 2*rests {
		t.Errorf("the diagram was drawn %d times, and the pointer rested %d times", drawn, rests)
	}
	quiet(t, p)
}

// During a drag, the previous run lies faintly under the picture, hidden from screen readers, until
// the pointer rests.
func TestThePreviousRunLiesUnderADrag(t *testing.T) {
	address := playgroundAt(t)
	for page, by := range map[string]float64{address: 150, strings.TrimSuffix(address, "playground/") + "zh.html": -150} { // order: none
		p := browser.Visit(t, page, browser.Options{Width: 1280, Height: 900})
		p.Await(`!!document.querySelector(".lock[data-verdict] .grip")`)
		bar := `document.querySelector(".lane[data-node=A] .track > .%s").style.width`
		was := browser.Eval[string](p, fmt.Sprintf(bar, "believes"))
		from := p.Middle(".held .grip")
		// The test decides when the pointer counts as resting.
		browser.Eval[int](p, `(function (soon, post) {
			window.rests = [];
			window.setTimeout = function (f, ms) { if (!ms) return soon(f, ms); rests.push(f); return 0; };
			window.unanswered = {};
			Worker.prototype.postMessage = function (m) {
				unanswered[m.id] = true;
				this.addEventListener("message", function (e) { delete unanswered[e.data.id]; });
				return post.call(this, m);
			};
			return 0;
		})(setTimeout, Worker.prototype.postMessage)`)
		letGo := p.Hold(from, browser.Point{X: from.X + by, Y: from.Y})
		p.Await(fmt.Sprintf(bar+` !== %q`, "believes", was))
		if before := browser.Eval[string](p, fmt.Sprintf(bar, "before:not(.asleep)")); before != was {
			t.Errorf("%s: under a drag A's bar is %s wide, and was %s before", page, before, was)
		}
		if p.Count(".lease.before") == 0 || p.Count(".before:not([aria-hidden=true])") > 0 {
			t.Errorf("%s: during a drag the previous end of the lease is missing or not hidden", page)
		}
		// Nothing of the previous run is left when the pointer rests. A busy machine draws the last
		// move only now.
		p.Await(`(rests.splice(0).forEach(function (f) { f(); }), document.querySelectorAll(".before").length === 0)`)
		letGo()
		p.Await(`Object.keys(unanswered).length === 0`) // the picture stands still
		letGo = p.Hold(p.Middle(".held .grip"), from)
		p.Await(`document.querySelectorAll(".before").length > 0`)
		letGo()
		p.Await(`document.querySelectorAll(".before").length === 0`)
		quiet(t, p)
	}
}

// BenchmarkDragToPicture measures the latency of a drag: from a move to its picture on the screen,
// including the wait for a frame of the browser. There are 60 moves a second; those during a run of
// the simulator are skipped, and pictures/move is the share of the others. In playground the map of
// pause and lease is complete, in map it is still being played. BenchmarkFrame of package
// playground measures the simulator's share, as a native program.
func BenchmarkDragToPicture(b *testing.B) {
	address := playgroundAt(b)
	for _, tt := range []struct {
		name, page, before string
		moves              int
		by                 float64
	}{
		{"playground", address, `document.querySelectorAll("#map .grid i[class]").length === 150`, 60, 200},
		{"map", address, `document.querySelectorAll("#map .grid i[class]").length > 0`, 6, 60},
		{"front", strings.TrimSuffix(address, "playground/"), "true", 60, -200},
	} {
		b.Run(tt.name, func(b *testing.B) {
			var first, took []float64
			moves, asked, nodes := 0, 0, 0
			for b.Loop() {
				p := browser.Visit(b, tt.page, browser.Options{Width: 1280, Height: 900})
				p.Await(tt.before)
				browser.Eval[int](p, counted)
				for range 2 {
					from := p.Middle(".held .grip")
					p.Hand(from, browser.Point{X: from.X + tt.by, Y: from.Y}, tt.moves)
					moves += tt.moves
					tt.by = -tt.by
					p.Await(`performance.getEntriesByName("edit to picture").length >= cost.asked.filter(function (a) { return a === "timelines"; }).length`)
				}
				took = append(took, browser.Eval[[]float64](p, `performance.getEntriesByName("edit to picture").map(function (e) { return e.duration; })`)...)
				first = append(first, browser.Eval[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
				asked += browser.Eval[int](p, "cost.asked.length")
				nodes += browser.Eval[int](p, "cost.nodes")
			}
			slices.Sort(took)
			slices.Sort(first)
			b.ReportMetric(first[len(first)/2], "first-ms")
			b.ReportMetric(took[len(took)/2], "median-ms")
			b.ReportMetric(took[len(took)*9/10], "p90-ms")
			b.ReportMetric(float64(len(took))/float64(moves), "pictures/move")
			b.ReportMetric(float64(asked)/float64(len(took)), "questions/picture")
			b.ReportMetric(float64(nodes)/float64(len(took)), "nodes/picture")
			b.ReportMetric(0, "ns/op")
		})
	}
}
