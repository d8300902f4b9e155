package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"lockstep/internal/browser"
	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
	"lockstep/internal/report/page"
	"lockstep/internal/report/playpage"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/serve"
	"lockstep/internal/sim"
	"lockstep/internal/site"
	"lockstep/internal/tour"
)

// program is the simulator as WASM, built once for all tests of this process.
var program = sync.OnceValues(func() (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "playground")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "playground.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, "lockstep/cmd/playground")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if said, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the playground: %w\n%s", err, said)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, path := range map[string]string{"wasm": out, playpage.Go: filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", playpage.Go)} {
		if files[name], err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return files, nil
})

// made is the site as make site makes it, but without the pages that the program draws.
var made = sync.OnceValues(func() (site.Tree, error) {
	built, err := program()
	if err != nil {
		return nil, err
	}
	in := site.Input{Program: built["wasm"], Go: built[playpage.Go], Cards: map[say.Language][]tour.Card{}}
	for _, l := range site.Languages {
		if in.Cards[l], err = tour.Cards(context.Background(), 1, l); err != nil {
			return nil, err
		}
	}
	return site.Make(in)
})

// playgroundAt serves the site as `simulate serve` does and returns the address of the playground.
func playgroundAt(t testing.TB) string {
	t.Helper()
	browser.Need(t) // before the site is built
	files := must.Get(made())(t)
	dir := t.TempDir()
	must.Do(t, site.Write(dir, files))
	root := must.Get(os.OpenRoot(dir))(t)
	t.Cleanup(func() { _ = root.Close() })
	server := httptest.NewServer(serve.Site(root, page.SitePolicy(), http.NotFoundHandler()))
	t.Cleanup(server.Close)
	return server.URL + serve.SitePrefix + "playground/"
}

// verdictIs waits until the first lock has a verdict.
func verdictIs(p *browser.Page, verdict string) {
	p.Await(fmt.Sprintf(`!!document.querySelector(".lock:first-child[data-verdict=%s]")`, verdict))
}

// settled waits until the address has the whole state, and returns the link.
func settled(p *browser.Page) string {
	p.Await(`!!document.querySelector("#stages[data-settled]")`)
	return browser.Eval[string](p, "location.href")
}

// Dragging the end of the pause past the lease turns the verdict: by mouse, by finger and by keys.
func TestAPauseDraggedPastTheLeaseTurnsTheVerdict(t *testing.T) {
	address := playgroundAt(t)
	for name, drag := range map[string]func(p *browser.Page, from, to browser.Point){
		"mouse":  (*browser.Page).Drag,
		"finger": (*browser.Page).Swipe,
		"keys": func(p *browser.Page, _, _ browser.Point) {
			browser.Eval[int](p, `document.querySelector("[data-fault]").focus(), 0`)
			for range 60 {
				browser.Eval[int](p, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", shiftKey: true, bubbles: true, cancelable: true})), 0`)
			}
		},
	} {
		width := 1280
		if name == "finger" {
			width = 390
		}
		p := browser.Visit(t, address, browser.Options{Width: width, Height: 844})
		verdictIs(p, "kept")
		from := p.Middle(".held .grip")
		track := browser.Eval[float64](p, `document.querySelector(".lane .track").clientWidth`)
		drag(p, from, browser.Point{X: from.X + track*0.45, Y: from.Y})
		verdictIs(p, "broken")
		contains(t, name+": the verdict", p.Text(".lock .verdict"), "two")
		if n := p.Count(".stage .mutual-exclusion"); n == 0 {
			t.Errorf("%s: the timeline does not show that two are inside", name)
		}
		quiet(t, p)
	}
}

// The first page of the site has its picture at once, and its one handle turns the verdict: by
// mouse, by finger and by keys.
func TestTheFirstPageIsLive(t *testing.T) {
	address := strings.TrimSuffix(playgroundAt(t), "playground/")
	for name, width := range map[string]int{"index.html": 1280, "zh.html": 390} {
		p := browser.Visit(t, address+name, browser.Options{Width: width, Height: 844, Dark: width == 390})
		for _, q := range []string{".stage", ".cause", ".go"} {
			if low := browser.Eval[float64](p, fmt.Sprintf(`document.querySelector("#front %s").getBoundingClientRect().bottom - innerHeight`, q)); low > 0 {
				t.Errorf("%s: %s ends %v px below the window", name, q, low)
			}
		}
		from := p.Middle("#front .grip")
		drag := p.Drag
		if width == 390 {
			drag = p.Swipe
		}
		track := browser.Eval[float64](p, `document.querySelector(".lane .track").clientWidth`)
		drag(from, browser.Point{X: from.X - track*0.4, Y: from.Y})
		p.Await(`document.querySelector("#front .lock").dataset.verdict === "kept"`)
		browser.Eval[int](p, `document.querySelector("[data-fault]").focus(), 0`)
		for range 50 {
			browser.Eval[int](p, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true, cancelable: true})), 0`)
		}
		p.Await(`document.querySelector("#front .lock").dataset.verdict === "broken"`)
		contains(t, name+": the cause", p.Text("#front .cause"), "9")
		if wide := browser.Eval[int](p, `document.documentElement.scrollWidth - innerWidth`); wide > 1 {
			t.Errorf("%s: the page is %d pixels wider than its window", name, wide)
		}
		if faint := browser.Eval[[]string](p, faintTexts); len(faint) > 0 {
			t.Errorf("%s: hard to read: %q", name, faint)
		}
		quiet(t, p)
	}
}

// A fault can be dragged from the palette into a lane or onto a message of the diagram, and moved
// in time; a click opens a dialog instead. Each fault is then in the file that is played.
func TestFaultsAreDropped(t *testing.T) {
	p := browser.Visit(t, playgroundAt(t), browser.Options{Width: 1280, Height: 1400})
	verdictIs(p, "kept")
	faults := func(n int, part string) {
		t.Helper()
		p.Await(fmt.Sprintf(`document.querySelectorAll("#faults li").length === %d && document.getElementById("faults").innerText.indexOf(%q) >= 0`, n, part))
		settled(p) // nothing moves under the pointer any more
	}
	removed := func() {
		t.Helper()
		p.Click(`[data-remove="3"]`)
		p.Await(`document.querySelectorAll("#faults li").length === 2`)
		settled(p)
	}
	settled(p)
	p.Drag(p.Middle(`[data-kind="crash"]`), p.Middle(`.lock .lane[data-node="B"] .track`))
	faults(2, "B crashes at")
	// A lane of a client refuses a failover; a fault of messages hits the next message of the
	// client.
	p.Drag(p.Middle(`[data-kind="fail-over"]`), p.Middle(`.lock .lane[data-node="B"] .track`))
	p.Await(`document.getElementById("problems").innerText.indexOf("redis-1") > 0`)
	p.Drag(p.Middle(`[data-kind="lose-request"]`), p.Middle(`.lock .lane[data-node="C"] .track`))
	faults(3, "is lost")
	removed()
	from := p.Middle(`.held.instant`)
	p.Drag(from, browser.Point{X: from.X + 60, Y: from.Y})
	p.Await(`!/B crashes at 7[.0-9]* s/.test(document.getElementById("faults").innerText)`)
	settled(p)
	at := browser.Eval[[]float64](p, `(function (line) {
		line.scrollIntoView({ block: "center", behavior: "instant" });
		var m = line.getScreenCTM(), a = line.getPointAtLength(line.getTotalLength() / 2).matrixTransform(m);
		return [a.x, a.y];
	})(document.querySelector("#pictures [data-event] path"))`)
	chip := p.Middle(`[data-kind="lose-reply"]`)
	now := browser.Eval[[]float64](p, `(function (line) {
		var m = line.getScreenCTM(), a = line.getPointAtLength(line.getTotalLength() / 2).matrixTransform(m);
		return [a.x, a.y];
	})(document.querySelector("#pictures [data-event] path"))`)
	if len(at) != 2 || now[1] < 0 || now[1] > 1400 {
		t.Fatalf("the first message is at %v, and the palette at %v", now, chip)
	}
	p.Drag(chip, browser.Point{X: now[0], Y: now[1]})
	faults(3, "the reply to A's")
	removed()
	// In the diagram, the column decides which node it hits, and the height when.
	chip = p.Middle(`[data-kind="crash"]`)
	column := browser.Eval[[]float64](p, `(function (svg) {
		var head = [].filter.call(svg.querySelectorAll(".heads .node"), function (t) { return t.textContent === "C"; })[0];
		var box = svg.closest(".pane").getBoundingClientRect(), at = new DOMPoint(+head.getAttribute("x"), 0).matrixTransform(svg.getScreenCTM());
		return [at.x, Math.min(box.bottom, innerHeight) - 20];
	})(document.querySelector("#pictures svg[data-rows]"))`)
	p.Drag(chip, browser.Point{X: column[0], Y: column[1]})
	faults(3, "C crashes at ")
	removed()
	p.Click(`[data-kind="late-reply"]`)
	p.Await(`document.getElementById("where").open && document.querySelectorAll("#where-message option").length > 3`)
	p.Click(`#where button[value="add"]`)
	faults(3, "arrives 5 s late")
	quiet(t, p)
}

// veiledThings lists what is after the moment of a lesson's question and visible all the same.
const veiledThings = `(function () {
	var out = [];
	document.querySelectorAll(".stage .broke, .stage [data-node=B] i, .stage .grip").forEach(function (e) {
		var r = e.getBoundingClientRect();
		if (r.width && !document.elementFromPoint((r.left + r.right) / 2, r.top + 2).closest(".veil")) out.push(e.className);
	});
	document.querySelectorAll(".steps li.bad").forEach(function (e) { if (e.checkVisibility()) out.push(e.textContent); });
	var later = document.querySelector(".spacetime .later");
	if (!later || getComputedStyle(later).opacity !== "1") out.push("the diagram");
	return out;
})()`

// A lesson ends when a change by the learner turns the verdict.
func TestALessonEndsWhenTheVerdictTurns(t *testing.T) {
	address := playgroundAt(t)
	for _, name := range []string{"index.html", "zh.html"} {
		lessonEnds(t, address+name)
	}
}

func lessonEnds(t *testing.T, address string) {
	t.Helper()
	p := browser.Visit(t, address, browser.Options{Hash: "#lesson=pause"})
	verdictIs(p, "broken")
	settled(p)
	if browser.Eval[bool](p, `["#desk", ".verdict", "#hashes"].some(function (q) { return document.querySelector(q).checkVisibility(); })`) {
		t.Error("what the run shows can be read before the learner has guessed")
	}
	if shown := browser.Eval[[]string](p, veiledThings); len(shown) > 0 {
		t.Errorf("can be seen before the learner has guessed: %q", shown)
	}
	p.Click("#lesson .answers button:first-child")
	p.Await(`document.querySelectorAll("#lesson .right").length === 1`)
	if p.Count(".veil:not([hidden])") != 0 || p.Count("#lesson .why-not") != 1 || p.Count(".steps li[hidden]") != 0 {
		t.Error("the run is not shown, or the wrong answer has no reason")
	}
	must.Equalf(t, p.Count("#lesson .done"), 0, "the lesson is over before anything was changed")
	from := p.Middle(".held .grip")
	track := browser.Eval[float64](p, `document.querySelector(".lane .track").clientWidth`)
	p.Drag(from, browser.Point{X: from.X - track*0.4, Y: from.Y}) // 15 s of some 30 s
	p.Await(`document.querySelectorAll("#lesson .done").length === 1`)
	contains(t, "the address", settled(p), "#lesson=pause&scenario:")
	quiet(t, p)
}

// A link reproduces the run, with the same hashes.
func TestALinkReproducesTheRun(t *testing.T) {
	address := playgroundAt(t)
	p := browser.Visit(t, address, browser.Options{})
	verdictIs(p, "kept")
	p.Click("#more")
	p.Await(`document.querySelectorAll(".lock").length === 3`)
	browser.Eval[int](p, `document.getElementById("seed").focus(), 0`)
	p.Press(kb.ArrowUp)
	p.Press(kb.ArrowUp)
	p.Await(`document.getElementById("seed").getAttribute("aria-valuenow") === "3"`)
	link := settled(p)
	hashes := p.Text("#hashes")
	other := browser.Visit(t, link, browser.Options{})
	other.Await(fmt.Sprintf(`document.getElementById("hashes").innerText === %q`, hashes))
	must.Equalf(t, other.Count(".lock"), 3, "locks")
	quiet(t, p)
	quiet(t, other)
}

// hashStory is the story whose hashes are compared.
const hashStory = `scenario: hashes
locks: [%s]
seed: %d
faults:
  - when: A is in its critical section
    after: 500ms
    pause: A
    for: 12s
`

// The simulator in the page is the one of the program: 100 seeds of ten locks give the same hashes.
func TestThePageHasTheHashesOfTheProgram(t *testing.T) {
	ids := []string{"set-nx-lua", "watchdog-lua", "redisson", "redlock", "self-fence", "etcd-mutex", "zk-sequential", "consul-session", "mysql-for-update", "pg-advisory"}
	p := browser.Visit(t, playgroundAt(t), browser.Options{})
	verdictIs(p, "kept")
	seeds := realtest.Tiers(10, 100)
	var files []string
	for _, id := range ids {
		for seed := 1; seed <= seeds; seed++ {
			files = append(files, fmt.Sprintf(hashStory, id, seed))
		}
	}
	list := must.Get(json.Marshal(files))(t)
	// A worker of its own, so that the page's frames are not in the way.
	browser.Eval[int](p, fmt.Sprintf(`(function (files) {
		window.hashes = [];
		var w = new Worker("worker.js"), next = function () {
			w.postMessage({ id: hashes.length, request: { file: files[hashes.length], language: "en" } });
		};
		w.onmessage = function (e) {
			var f = e.data.failed ? { problems: [e.data.failed] } : JSON.parse(e.data.frame);
			hashes.push(f.problems && f.problems.length ? "problem: " + f.problems[0] : f.locks[0].hash);
			if (hashes.length < files.length) next();
		};
		next();
	})(%s), 0`, list))
	p.Await(fmt.Sprintf(`hashes.length === %d`, len(files)))
	got := browser.Eval[[]string](p, "hashes")
	w := sim.New()
	wrong := 0
	for i, file := range files {
		s := scenariotest.Parse(t, "playground.yaml", file)
		out := run.One(context.Background(), w, s, s.Locks[0], s.Seed)
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		if want := out.Judgement.History.Hash().String(); got[i] != want && wrong < 5 {
			wrong++
			t.Errorf("%s, seed %d: the page has %s, the program %s", s.Locks[0], s.Seed, got[i], want)
		}
	}
}

// faintTexts are the texts of a page whose contrast is below 4.5 to 1, each with its contrast.
// Texts of drawings are left out, since their background is drawn.
const faintTexts = `(function () {
	var paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	function over(css, below) { // what a colour looks like above another one
		paint.clearRect(0, 0, 1, 1);
		[below, css].forEach(function (c) { paint.fillStyle = c; paint.fillRect(0, 0, 1, 1); });
		var d = paint.getImageData(0, 0, 1, 1).data;
		return "rgb(" + d[0] + "," + d[1] + "," + d[2] + ")";
	}
	function light(rgb) {
		var c = rgb.match(/[0-9]+/g).map(function (v) { v /= 255; return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); });
		return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
	}
	function behind(e) {
		return e ? over(getComputedStyle(e).backgroundColor, behind(e.parentElement)) : "rgb(255,255,255)";
	}
	return [].filter.call(document.querySelectorAll("body *"), function (e) {
		return !e.closest("svg, [aria-hidden=true], option, script, template") && e.checkVisibility() && !e.disabled &&
			[].some.call(e.childNodes, function (n) { return n.nodeType === 3 && n.textContent.trim(); });
	}).map(function (e) {
		var ground = behind(e), a = light(over(getComputedStyle(e).color, ground)), b = light(ground);
		return { ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), text: e.tagName + " " + e.className + " " + e.textContent.trim().slice(0, 30) };
	}).filter(function (t) { return t.ratio < 4.5; }).slice(0, 5).map(function (t) { return t.ratio.toFixed(1) + " " + t.text; });
})()`

// On a phone, in both languages, everything focusable has a name, texts have contrast, and nothing
// is wider than the screen.
func TestThePlaygroundIsAccessible(t *testing.T) {
	address := playgroundAt(t)
	for _, name := range []string{"index.html", "zh.html"} {
		p := browser.Visit(t, address+name, browser.Options{Width: 390, Height: 844, Dark: name == "zh.html"})
		verdictIs(p, "kept")
		settled(p)
		if faint := browser.Eval[[]string](p, faintTexts); len(faint) > 0 {
			t.Errorf("%s: hard to read: %q", name, faint)
		}
		sliders := 0
		for _, n := range p.Nodes() {
			if n.Focusable && n.Name == "" && n.Role != "RootWebArea" {
				t.Errorf("%s: a %s has no name", name, n.Role)
			}
			if n.Role == "slider" {
				sliders++
			}
		}
		if sliders < 8 { // six controls, and the fault of two locks
			t.Errorf("%s: %d sliders in the tree", name, sliders)
		}
		if wide := browser.Eval[int](p, `document.documentElement.scrollWidth - innerWidth`); wide > 1 {
			t.Errorf("%s: the page is %d pixels wider than a phone", name, wide)
		}
		timesKeepApart(t, p)
		p.Await(`document.querySelectorAll("#map .grid i:is(.kept, .harm, .unknown)").length === 150`)
		if at := browser.Eval[string](p, `(function (d) { return document.elementsFromPoint((d.left + d.right) / 2, (d.top + d.bottom) / 2).filter(function (e) { return e.tagName === "I"; }).map(function (e) { return e.title; }).join(); })((function (dot) { dot.scrollIntoView({ block: "center", behavior: "instant" }); return dot.getBoundingClientRect(); })(document.querySelector("#map .dot")))`); at != "3 s, 10 s" {
			t.Errorf("%s: the dot of the map is at %q", name, at)
		}
		quiet(t, p)
	}
}
