package browser_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"lockstep/internal/browser"
	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
	"lockstep/internal/scenario/scenariotest"
)

// twelve are stories of all kinds: pauses, failovers, partitions, sessions, clocks, queues.
var twelve = []string{
	"pause-past-lease", "get-then-del-gap", "fence-saves-the-resource", "redlock-and-a-jumping-clock", "zookeeper-herd", "crash-before-del",
	"slow-task-blind-del", "failover-forgets-the-lock", "split-brain", "session-outlives-the-contact", "two-servers-on-each-side", "lost-acquire-reply",
}

// walkSteps goes through all steps of the first lock, and lists what is out of sight and where the
// three views differ.
const walkSteps = `(function () {
	var out = [], press = function (key) { document.dispatchEvent(new KeyboardEvent("keydown", { key: key, bubbles: true })); };
	var rows = document.querySelectorAll(".player .steps")[0].children, player = document.querySelector(".player");
	press("Escape");
	for (var n = 1; n <= rows.length; n++) {
		press("j");
		var row = document.querySelector(".steps .now"), bad = function (what) { out.push("step " + n + ": " + what); };
		if (!row || row !== rows[n - 1]) { bad("is not the present one"); continue; }
		var r = row.getBoundingClientRect(), pane = row.closest(".pane").getBoundingClientRect(), line = player.querySelector(".spacetime[data-rows] .cursor").getBoundingClientRect();
		var picture = player.querySelector(".picture-pane .pane").getBoundingClientRect();
		if (r.top < -1 || r.bottom > innerHeight + 1) bad("its row is out of the window: " + r.top + " to " + r.bottom);
		if (r.top < pane.top - 1 || Math.min(r.bottom, r.top + pane.height) > pane.bottom + 1) bad("its row is out of its pane");
		if (line.top < picture.top - 1 || line.top > picture.bottom + 1) bad("the diagram shows another part");
		if (innerWidth > 500 && (line.top < 0 || line.top > innerHeight)) bad("the cursor of the diagram is out of the window");
		var steps = player.querySelector(".spacetime[data-rows]").dataset.steps.split(" "), at = player.querySelector(".spacetime[data-rows] .cursor").getAttribute("d");
		if (at.replace(/^M[0-9.]+ ([0-9.]+)H.*/, "$1") !== steps[n - 1]) bad("the cursor of the diagram is at " + at);
		var strip = player.querySelector(".strips"), x = +strip.style.getPropertyValue("--now"), from = +strip.dataset.from;
		var told = parseFloat(row.querySelector(".t").textContent.replace(/[^0-9.].*/, "")) * 1e6;
		if (Math.abs(x - Math.min((told - from) / (strip.dataset.to - from), 1)) > 0.0001) bad("the cursor of the strip is at " + x);
	}
	return out.slice(0, 5);
})()`

// Picture, story and lesson fit in little more than a screen and a half. At every size the current
// step is in sight, in the rows, the diagram and the strip.
func TestTwelveStories(t *testing.T) {
	for _, name := range twelve[:realtest.Tiers(3, len(twelve))] {
		p := browser.Open(t, lesson(t, name), browser.Options{Width: 1280, Height: 720})
		firstScreen(t, p, name)
		for _, size := range [][2]int{{1280, 720}, {1280, 900}, {1920, 1080}, {390, 844}} {
			p.Resize(size[0], size[1])
			for _, problem := range browser.Eval[[]string](p, walkSteps) {
				t.Errorf("%s at %v: %s", name, size, problem)
			}
			timesKeepApart(t, p)
		}
		// On a phone three lanes are in sight without scrolling sideways.
		lane := browser.Eval[float64](p, `(function () { var n = document.querySelectorAll(".picture-pane .spacetime[data-rows] .node"); return n[Math.min(2, n.length - 1)].getBoundingClientRect().right; })()`)
		if lane > 374 {
			t.Errorf("%s: the third lane ends at %v of 390 pixels", name, lane)
		}
		quiet(t, p)
	}
}

// timesKeepApart fails when the time of a step runs into its sentence.
func timesKeepApart(t *testing.T, p *browser.Page) {
	t.Helper()
	if cut := browser.Eval[[]string](p, `[].filter.call(document.querySelectorAll(".steps .t"), function (e) {
		return e.scrollWidth > e.clientWidth;
	}).slice(0, 3).map(function (e) { return e.textContent; })`); len(cut) > 0 {
		t.Errorf("wider than their column: the times %q", cut)
	}
}

// firstScreen checks the layout in a window of 1280 by 720 pixels.
func firstScreen(t *testing.T, p *browser.Page, name string) {
	t.Helper()
	more := 28 * max(float64(p.Count("#lock-1 .strips .lane")-5), 0) // each further server has a row
	for _, want := range []struct {
		selector, edge string
		most           float64
	}{
		{"#verdict .lead", "bottom", 250}, {".strips", "bottom", 480 + more}, {".rows", "top", 540 + more}, {"#lesson", "bottom", 1.6*720 + more},
	} {
		if y := browser.Eval[float64](p, fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().%s`, want.selector, want.edge)); y > want.most {
			t.Errorf("%s: the %s of %s is at %v, more than %v", name, want.edge, want.selector, y, want.most)
		}
	}
}

// Play, pause, the slider and the strip move one cursor.
func TestOneCursor(t *testing.T) {
	p := browser.Open(t, lesson(t, "pause-past-lease"), browser.Options{})
	at := func() int {
		return browser.Eval[int](p, `[].indexOf.call(document.querySelectorAll(".player .steps")[0].children, document.querySelector(".steps .now"))`)
	}
	browser.Eval[int](p, `document.querySelector(".speed").value = "4", document.querySelector('[data-go="play"]').click(), 0`)
	p.Await(`!!document.querySelector("#s3.now")`)
	browser.Eval[int](p, `document.querySelector('[data-go="play"]').click(), 0`)
	must.Equalf(t, p.Count(".playing"), 0, "play does not pause")
	browser.Eval[int](p, `(function (s) { s.value = 1000; s.dispatchEvent(new Event("input")); })(document.querySelector(".scrub")), 0`)
	if got := at(); got != 13 {
		t.Errorf("the end of the slider is step %d, want 14", got+1)
	}
	// Two thirds of the strip are between A's write at 16.0 s and B's at 18.1 s.
	browser.Eval[int](p, `(function (s, w) { s.dispatchEvent(new PointerEvent("pointermove", { buttons: 1, clientX: w.left + w.width * 0.66, bubbles: true })); })(document.querySelector(".strips"), document.querySelector(".strips .track").getBoundingClientRect()), 0`)
	want := browser.Eval[int](p, `(function () { var end = +document.querySelector(".strips").dataset.to, n = -1; document.querySelectorAll(".player .steps")[0].querySelectorAll(".t").forEach(function (e, i) { if (parseFloat(e.textContent) * 1e6 <= end * 0.66) n = i; }); return n; })()`)
	if got := at(); got != want || want < 3 {
		t.Errorf("at 66 %% of the strip the step is %d, want %d", got+1, want+1)
	}
	p.Press("+")
	p.Press("+")
	if w := browser.Eval[string](p, `document.querySelector(".strips").style.getPropertyValue("--zoom")`); w != "4" {
		t.Errorf("zoomed in twice the strip is %s wide", w)
	}
	p.Press("-")
	p.Press("-")
	p.Press(kb.Escape)
	must.Equalf(t, p.Count(".moving"), 0, "Escape does not hide the cursor")
	quiet(t, p)
}

// A reader who guesses first sees neither the verdict nor the steps after the question.
func TestGuessingFirst(t *testing.T) {
	p := browser.Open(t, lesson(t, "pause-past-lease"), browser.Options{Hash: "#guess"})
	visible := func(selector string) bool {
		return browser.Eval[bool](p, fmt.Sprintf(`document.querySelector(%q).checkVisibility()`, selector))
	}
	if !visible("#predict") || visible("#verdict") || visible("#lesson") || visible("#s4") || !visible("#s3") {
		t.Error("the page does not begin with the question, or shows the answer")
	}
	browser.Eval[int](p, `document.querySelector('[data-go="reveal"]').click(), 0`)
	if visible("#predict") || !visible("#verdict") || !visible("#lesson") || !visible("#s4") {
		t.Error("what happened is not shown")
	}
	quiet(t, p)
}

// A report of three locks prints on six pages at most, in either language.
func TestPrintsOnFewPages(t *testing.T) {
	for _, l := range []say.Language{say.English, say.Chinese} {
		p := browser.Open(t, lessonIn(t, "pause-past-lease", l), browser.Options{})
		if n := bytes.Count(p.PDF(), []byte("/Type /Page\n")); n < 2 || n > 6 {
			t.Errorf("%s: %d pages", l, n)
		}
	}
}

// With many clients the first screen shows the violation, and all clients that give up share a row.
func TestManyClients(t *testing.T) {
	p := scenariotest.Parse(t, "many.yaml", `scenario: A hundred clients and one pause
locks: [set-nx-ex-del]
lease: 10s
clients: 100
workload: {repeat: once, wait: up to 30s, work: 6s..7s}
faults:
  - {when: the holder is in its critical section, after: 1s, pause: the holder, for: 15s}
expect: anything
`)
	page := drawn(t, bundle.Of(reporttest.Play(t, p, 1), "", ""), say.English)
	tab := browser.Open(t, page, browser.Options{Width: 1280, Height: 720})
	for _, selector := range []string{".steps .bad", ".spacetime .ring", ".strips .broke"} {
		if seen := browser.Eval[bool](tab, fmt.Sprintf(`(function (r, pane) { return r.top >= 0 && r.bottom <= Math.min(innerHeight, pane ? pane.getBoundingClientRect().bottom : innerHeight); })(document.querySelector(%q).getBoundingClientRect(), document.querySelector(%q).closest(".pane"))`, selector, selector)); !seen {
			t.Errorf("the first screen does not show %s", selector)
		}
	}
	contains(t, "the note below the diagram", tab.Text(".folded"), "Folded: 94 clients")
	contains(t, "the story", tab.Text(".steps"), "The same ")
	must.Equalf(t, strings.Count(tab.Text(".steps"), "gives up"), 1,
		"rows are about clients that give up")
	quiet(t, tab)
}

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
