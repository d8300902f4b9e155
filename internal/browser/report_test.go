package browser_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"lockstep/internal/browser"
	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/report/runpage"
	"lockstep/internal/say"
	"lockstep/internal/scenario/scenariotest"
)

// lesson plays a lesson in the simulator and returns its report.
func lesson(t *testing.T, name string) []byte { return lessonIn(t, name, say.English) }

func lessonIn(t *testing.T, name string, l say.Language) []byte {
	t.Helper()
	r := reporttest.Play(t, scenariotest.Load(t, "../../scenarios/lessons/"+name+".yaml"), 1)
	return drawn(t, bundle.Of(r, "simulate run "+name+" --seed 1", ""), l)
}

// drawn is the report of a bundle.
func drawn(t *testing.T, b *bundle.Bundle, l say.Language) []byte {
	t.Helper()
	return must.Get(runpage.HTML(b, l))(t)
}

// quiet fails if the console has complaints or the page has made requests.
func quiet(t *testing.T, p *browser.Page) {
	t.Helper()
	for _, problem := range p.Problems() {
		t.Errorf("the console says: %s", problem)
	}
	for _, url := range p.Requests() {
		t.Errorf("the page asked for %s", url)
	}
}

func contains(t *testing.T, what, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%s is %q, want %q in it", what, text, part)
	}
}

// Keys alone lead to the violation and to the steps around it.
func TestKeysLeadToTheViolation(t *testing.T) {
	p := browser.Open(t, lesson(t, "pause-past-lease"), browser.Options{})
	p.Press("g")
	contains(t, "the focus", p.Focus(), "a property breaks")
	contains(t, "the live region", p.Text("#now"), "two holders inside: A entered at")
	contains(t, "the table", p.Text("#standing"), "mine, frozen") // A
	violation := browser.Eval[string](p, "location.hash")
	if violation != "#s4" { // granted, frozen, lease over, and then B gets in
		t.Errorf("the first violation is %s, want #s4", violation)
	}
	for _, press := range []struct{ key, hash string }{
		{kb.ArrowRight, "#s5"}, {"j", "#s6"}, {kb.ArrowLeft, "#s5"}, {"k", "#s4"}, {"k", "#s3"}, {kb.Home, "#s1"}, {"k", "#s1"},
	} {
		p.Press(press.key)
		must.Equalf(t, browser.Eval[string](p, "location.hash"), press.hash,
			"after %q the step", press.key)
	}
	p.Press(kb.End)
	contains(t, "the live region", p.Text("#now"), "C's release is a no-op: its entry is gone")
	p.Press("?")
	if !browser.Eval[bool](p, `document.querySelector("#help").open`) {
		t.Error("? does not open the help")
	}
	p.Press(kb.Escape)
	if browser.Eval[bool](p, `document.querySelector("#help").open`) {
		t.Error("Escape does not close the help")
	}
	quiet(t, p)
}

// The Tab key alone reaches the violation, too, and everything on the way has a name.
func TestTabReachesTheViolation(t *testing.T) {
	p := browser.Open(t, lesson(t, "pause-past-lease"), browser.Options{})
	for range 100 {
		p.Press(kb.Tab)
		if p.Focus() == "" {
			t.Fatal("the focus is on something without a name")
		}
		if strings.Contains(p.Focus(), "a property breaks") {
			p.Press(kb.Enter)
			contains(t, "the live region", p.Text("#now"), "two holders inside")
			quiet(t, p)
			return
		}
	}
	t.Errorf("Tab does not reach the violation in 100 presses; the focus is on %q", p.Focus())
}

func TestHashLeadsToAStep(t *testing.T) {
	p := browser.Open(t, lesson(t, "pause-past-lease"), browser.Options{Hash: "#s5"})
	contains(t, "the live region", p.Text("#now"), "Step 5 of 14")
	quiet(t, p)
}

// In Chinese the page works as it does in English: its script finds its words there.
func TestChinesePageSteps(t *testing.T) {
	p := browser.Open(t, lessonIn(t, "pause-past-lease", say.Chinese), browser.Options{})
	p.Press("g")
	contains(t, "the live region", p.Text("#now"), "第 4 步，共 14 步，10.039 秒：")
	contains(t, "the table of beliefs", p.Text("#standing"), "A 认为")
	must.Equalf(t, p.Count("#standing td.mine"), 2, "clients believe that they hold the lock")
	quiet(t, p)
}

// Everything focusable has a name, without which a screen reader says only "link".
func TestEverythingFocusableHasAName(t *testing.T) {
	for _, name := range []string{"pause-past-lease", "fence-saves-the-resource", "redlock-and-a-jumping-clock", "zookeeper-herd"}[:realtest.Tiers(1, 4)] {
		p := browser.Open(t, lesson(t, name), browser.Options{})
		p.Press("g") // so that the cursor is there, too
		// Folded content is not in the tree.
		browser.Eval[int](p, `document.querySelectorAll("details").forEach(function (d) { d.removeAttribute("name"); d.open = true; }), 0`)
		focusable, images, headings := 0, 0, 0
		for _, n := range p.Nodes() {
			if n.Focusable {
				focusable++
			}
			if (n.Focusable || n.Role == "image" || n.Role == "img" || n.Role == "table" && n.Name == "-") && n.Name == "" {
				t.Errorf("%s: a %s has no name", name, n.Role)
			}
			switch n.Role {
			case "image", "img":
				images++
			case "heading":
				headings++
			}
		}
		if focusable < 40 || images < 5 || headings < 10 {
			t.Errorf("%s: %d focusable things, %d images, %d headings: the tree is not that of a report", name, focusable, images, headings)
		}
		quiet(t, p)
	}
}

// A word of the field opens its explanation beside it, without any script, and Escape closes it.
func TestWordsOpenInPlace(t *testing.T) {
	for _, width := range []int{1280, 390} {
		p := browser.Open(t, lesson(t, "pause-past-lease"), browser.Options{NoScript: true, Width: width, Height: 844})
		p.Click("#verdict .term")
		if far := browser.Eval[float64](p, `(function (term, word) {
			if (!word.matches(":popover-open")) return 1e6;
			var a = term.getBoundingClientRect(), b = word.getBoundingClientRect();
			if (b.left < 0 || b.right > innerWidth || b.top < 0 || b.bottom > innerHeight) return 1e5;
			return Math.max(b.top - a.bottom, a.top - b.bottom);
		})(document.querySelector("#verdict .term"), document.getElementById(document.querySelector("#verdict .term").getAttribute("popovertarget")))`); far > 30 {
			t.Errorf("at %d px the explanation of a word is %v px away from it", width, far)
		}
		p.Press(kb.Escape)
		must.Equalf(t, p.Count(":popover-open"), 0, "Escape leaves … explanations open")
		quiet(t, p)
	}
}

// Without scripts the page has the same words, and its answers unfold.
func TestCompleteWithoutScripts(t *testing.T) {
	page := lesson(t, "pause-past-lease")
	with := browser.Open(t, page, browser.Options{})
	without := browser.Open(t, page, browser.Options{NoScript: true})
	if without.Count(".js") != 0 {
		t.Fatal("the script ran")
	}
	for _, p := range []*browser.Page{with, without} {
		browser.Eval[int](p, `document.querySelectorAll("details:not(.events)").forEach(function (d) { d.removeAttribute("name"); d.open = true; }), 0`)
	}
	for _, selector := range []string{"#verdict", "#verdicts table", ".steps", "#lesson", "#setup", "#compare", "#measurements", "#evidence"} {
		visible := func(p *browser.Page) string {
			s := p.Text(selector)
			return strings.Join(strings.Fields(strings.NewReplacer("Copied", "", "Copy", "").Replace(s)), " ")
		}
		if a, b := visible(with), visible(without); a != b || b == "" {
			t.Errorf("%s without scripts:\n%s\nwith:\n%s", selector, b, a)
		}
	}
	drawn := browser.Eval[int](without, `[].filter.call(document.querySelectorAll("svg[role=img], .strips"), function (s) { return s.getBoundingClientRect().height > 20; }).length`)
	// The locks aligned, the distribution of waits; and for each of three locks the strip, the
	// diagram, the clients inside, waits, holds and fairness.
	if drawn < 2+3*6 {
		t.Errorf("%d figures are drawn, want at least %d", drawn, 2+3*6)
	}
	browser.Eval[int](without, `document.querySelector("#guess").click(), 0`)
	if without.Text("#verdict .lead") != "" && browser.Eval[bool](without, `document.querySelector("#verdict .lead").checkVisibility()`) {
		t.Error("a reader who guesses first sees the verdict")
	}
	browser.Eval[int](without, `document.querySelectorAll(".ask details").forEach(function (d) { d.open = false; }), document.querySelector(".ask summary").focus(), 0`)
	before := without.Text(".ask")
	without.Press(kb.Enter)
	if after := without.Text(".ask"); len(after) <= len(before) {
		t.Errorf("an answer does not unfold: %q", after)
	}
	quiet(t, without)
}

// pages are the reports of two lessons, and golden pages of other packages.
func pages(t *testing.T, kept ...string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, name := range []string{"pause-past-lease", "redlock-and-a-jumping-clock"} {
		out[name] = lesson(t, name)
	}
	for _, name := range kept {
		out[name] = golden(t, name)
	}
	return out
}

// golden is the golden page of another package.
func golden(t *testing.T, name string) []byte {
	t.Helper()
	found, err := filepath.Glob("../report/*/testdata/" + name + ".html")
	if err != nil || len(found) != 1 {
		t.Fatalf("%d packages keep a page %s (%v)", len(found), name, err)
	}
	return reporttest.Page(t, found[0])
}

// Narrow windows must not scroll sideways as a whole; figures and tables scroll in
// boxes of their own.
func TestFitsANarrowWindow(t *testing.T) {
	for name, page := range pages(t, "comparison", "index", "matrix", "sweep", "worlds") {
		p := browser.Open(t, page, browser.Options{Width: 400, Height: 900})
		wide := browser.Eval[[]string](p, `[].filter.call(document.body.querySelectorAll("*"), function (e) {
			return e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, .heat-scroll, .skip, .hidden, #standing, .shapes") && e.offsetParent !== null;
		}).slice(0, 5).map(function (e) { return e.tagName + "." + e.className + " " + e.textContent.slice(0, 40); })`)
		if len(wide) > 0 {
			t.Errorf("%s: wider than the window: %q", name, wide)
		}
		quiet(t, p)
	}
}

// On paper nothing can be scrolled: all tables and figures have to fit a sheet, which
// has 718 pixels between margins of a centimetre.
func TestFitsASheetOfPaper(t *testing.T) {
	for name, page := range pages(t, "comparison", "index", "sweep", "worlds") {
		p := browser.Open(t, page, browser.Options{Print: true, Width: 718})
		wide := browser.Eval[[]string](p, `[].filter.call(document.querySelectorAll("main *"), function (e) {
			return e.getBoundingClientRect().right > innerWidth + 1 && e.checkVisibility() && !e.closest(".hidden");
		}).slice(0, 8).map(function (e) { return e.tagName + "." + (e.getAttribute("class") || "") + " " + e.textContent.slice(0, 40); })`)
		if len(wide) > 0 {
			t.Errorf("%s: wider than the sheet: %q", name, wide)
		}
		quiet(t, p)
	}
}

// Names and texts from a scenario are hostile. They must not run, not even when the
// script of the page has put them into its panel.
func TestHostileTextDoesNotRun(t *testing.T) {
	p := scenariotest.Load(t, "../../scenarios/lessons/pause-past-lease.yaml")
	evil := `</script><img src=x onerror="document.title='owned'"><svg onload=alert(1)>{{.}}`
	p.Name, p.Story, p.Question, p.Lesson = evil, evil, evil, evil
	b := bundle.Of(reporttest.Play(t, p, 1), evil, "")
	b.Backend, b.Hash = evil, evil
	for i, h := range b.Histories() {
		b.Runs[i].Lock = evil
		for n := range h.Header.Nodes {
			h.Header.Nodes[n].Name = fmt.Sprint(n) + evil
		}
	}
	tab := browser.Open(t, drawn(t, b, say.English), browser.Options{})
	for range 20 {
		tab.Press("j")
	}
	must.Equalf(t, tab.Count("img, [onload], [onerror]"), 0, "elements are not ours")
	if title := browser.Eval[string](tab, "document.title"); strings.HasPrefix(title, "owned") {
		t.Error("a text of the scenario ran")
	}
	clean := browser.Open(t, lesson(t, "pause-past-lease"), browser.Options{})
	if clean.Count("section") != tab.Count("section") {
		t.Errorf("%d sections, want as many as in a harmless report", tab.Count("section"))
	}
	quiet(t, tab)
}
