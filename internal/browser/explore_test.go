package browser_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/browser"
	"lockstep/internal/campaign/advice"
	"lockstep/internal/campaign/explore"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/must"
	"lockstep/internal/report/explorepage"
	"lockstep/internal/report/matrixpage"
	"lockstep/internal/say"
	"lockstep/measurements"
)

// walkPage is the page of the stored walk.
func walkPage(t *testing.T) []byte {
	t.Helper()
	data := must.Get(measurements.Explore())(t)
	return must.Get(explorepage.HTML(&advice.Facts{Explored: must.Get(results.ReadExplored(data))(t)}, nil, say.English))(t)
}

// The ticks decide which locks survive, and are in the address.
func TestTicksDecideWhichLocksSurvive(t *testing.T) {
	p := browser.Open(t, walkPage(t), browser.Options{})
	browser.Eval[bool](p, `document.querySelector("#exactly").open = true`)
	// verdict is what the page says of a lock.
	verdict := func(lock string) string {
		return browser.Eval[string](p, `document.querySelector('#sets a[href="#lock-`+lock+`"]').closest("tr").querySelector(".you b").textContent`)
	}
	click := func(box string) {
		browser.Eval[bool](p, `(document.querySelector('#ticks input[value="`+box+`"]').click(), true)`)
	}
	must.Equalf(t, verdict("set-nx-lua"), "survives", "nothing can happen, and set-nx-lua")
	click("pause")
	must.Equalf(t, verdict("set-nx-lua"), "breaks", "a client may pause, and set-nx-lua")
	contains(t, "the address", browser.Eval[string](p, "location.hash"), "#expect=pause,pause-short")
	for _, way := range []string{"0", "1"} { // two may believe, and the resource may be damaged
		click(way)
	}
	must.Equalf(t, verdict("set-nx-lua"), "survives",
		"a pause only makes two believe and damages the resource, and set-nx-lua")
	contains(t, "the address", browser.Eval[string](p, "location.hash"), ";but=0,1")
	contains(t, "the answer", p.Text("#answer"), "locks survive what you ticked")
	// Hung work is listed apart, and counts once it is ticked.
	for _, want := range []string{"breaks", "survives"} {
		if click("hung"); verdict("watchdog-lua") != want {
			t.Errorf("a tick on hung work, and watchdog-lua %s, want %s", verdict("watchdog-lua"), want)
		}
	}
	// The possible stores decide which locks are shown, and are in the address, too.
	if rest := browser.Eval[string](p, `document.querySelector('a[href="#lock-set-nx-lua"]').closest("tr").querySelector(".you").innerText`); !strings.Contains(rest, "all pairs in plain and just-within") {
		t.Errorf("beside the verdict is %q", rest)
	}
	click("redis")
	if !browser.Eval[bool](p, `document.querySelector('a[href="#lock-set-nx-lua"]').closest("tr").hidden && !document.querySelector('a[href="#lock-etcd-txn"]').closest("tr").hidden`) {
		t.Error("it cannot be Redis, and set-nx-lua is still there, or etcd-txn is not")
	}
	contains(t, "the address", browser.Eval[string](p, "location.hash"), ";not=redis")
	quiet(t, p)
}

// Three answers show one advice; the address has it, and a link to it restores the three answers.
func TestThreeQuestionsHaveOneAnswer(t *testing.T) {
	p := browser.Open(t, walkPage(t), browser.Options{})
	shown := func() string {
		return browser.Eval[string](p, `[].slice.call(document.querySelectorAll(".answer")).filter(function (a) { return a.offsetHeight > 0; }).map(function (a) { return a.id; }).join(" ")`)
	}
	must.Equalf(t, shown(), "", "nothing was chosen, and … is shown")
	for _, step := range [][2]string{{"etcd", ""}, {"damage", ""}, {"yes", "answer-etcd-damage-yes"}, {"duplicate", "answer-etcd-duplicate"}} {
		browser.Eval[bool](p, `(document.querySelector('#questions input[value="`+step[0]+`"]').click(), true)`)
		must.Equalf(t, shown(), step[1], "after %s", step[0])
	}
	// The question about tokens is visible, but disabled until it matters.
	if !browser.Eval[bool](p, `document.querySelector("#ask-tokens").disabled && document.querySelector("#ask-tokens").offsetHeight > 0`) {
		t.Error("two do no damage, and the question about tokens is enabled or hidden")
	}
	contains(t, "the address", browser.Eval[string](p, "location.hash"), "#answer-etcd-duplicate")
	browser.Eval[bool](p, `(document.querySelector('a[href="#answer-redis-damage-yes"]').click(), true)`)
	p.Await(`location.hash === "#answer-redis-damage-yes" && document.querySelector("input[value=redis]").checked`)
	must.Equalf(t, shown(), "answer-redis-damage-yes", "a link")
	contains(t, "what is chosen", browser.Eval[string](p, `document.querySelector("input[name=have]:checked").value + document.querySelector("input[name=tokens]:checked").value`), "redisyes")
	quiet(t, p)
}

func TestTheWalkReadsWithoutScripts(t *testing.T) {
	p := browser.Open(t, walkPage(t), browser.Options{NoScript: true})
	if rows := p.Count("#sets tbody tr"); rows < 40 {
		t.Errorf("the table has %d locks", rows)
	}
	if browser.Eval[bool](p, `document.querySelector("#ticks").offsetHeight > 0`) {
		t.Error("the ticks, which need a script, are visible")
	}
	if browser.Eval[bool](p, `document.querySelector("#questions").offsetHeight > 0`) || p.Count(".answers tbody a") < 40 {
		t.Error("the questions, which need a script, are visible, or answers are missing")
	}
	quiet(t, p)
}

// On a narrow screen no answer and no set of faults is cut off, and nothing scrolls sideways.
func TestNoAnswerIsCutOnANarrowScreen(t *testing.T) {
	p := browser.Open(t, walkPage(t), browser.Options{Width: 390, Height: 844})
	browser.Eval[bool](p, `document.querySelector("#exactly").open = true`)
	const beyond = `[].slice.call(document.querySelectorAll(".answers tbody th, .answers td, .answers a, .sets tbody th, .sets td, .sets li a, #questions label")).filter(function (e) {
  return e.offsetHeight > 1 && (e.getBoundingClientRect().right > innerWidth || e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline");
}).map(function (e) { return e.textContent; }).slice(0, 5).join("; ")`
	must.Equalf(t, browser.Eval[string](p, beyond), "", "beyond the edge")
	if w := browser.Eval[int](p, `document.documentElement.scrollWidth`); w > 390 {
		t.Errorf("the page is %d pixels wide", w)
	}
}

// A link to the stories of a lock opens the folds that they are in.
func TestALinkOpensTheFolds(t *testing.T) {
	p := browser.Open(t, walkPage(t), browser.Options{})
	browser.Eval[bool](p, `location.hash = "#lock-watchdog-lua", true`)
	p.Await(`document.querySelector("#lock-watchdog-lua").open && document.querySelector("#lock-watchdog-lua").offsetHeight > 0`)
	quiet(t, p)
}

// The switch for tokens changes the counts of harm, even without scripts, and with scripts the
// order of the rows.
func TestTheSwitchForTokensCountsAndSorts(t *testing.T) {
	cells := func(letters ...string) (out []matrixpage.Cell) {
		for _, l := range letters {
			out = append(out, matrixpage.Cell{Cell: results.Cell{Letter: checker.Letter(l), Runs: 1}})
		}
		return out
	}
	first, _, err := matrixpage.Pages(&matrixpage.Matrix{
		Language: say.English, Backend: "sim", Columns: []matrixpage.Column{{Code: "N0", Name: "no fault"}, {Code: "GP", Name: "pause"}, {Code: "PT", Name: "partition"}},
		Locks: []matrixpage.Lock{
			{ID: "plain", Group: "all", Cells: cells("S", "V", "L")},
			{ID: "none", Group: "all", More: true, Cells: cells("S", "V", "V")},
			{ID: "tokens", Group: "all", Tokens: true, Cells: cells("S", "V", "V")},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	const seen = `(function () {
  var rows = [].slice.call(document.querySelectorAll(".heat tbody:first-of-type tr:not(.group)"));
  return rows.map(function (r) { return r.querySelector(".lock").innerText + " " + r.querySelector(".sum").innerText; }).join(", ")
    + "; " + document.querySelector(".heat tfoot").innerText.replace(/\s+/g, " ").trim() + "; " + document.querySelector("[aria-live] ul:not(.with)").checkVisibility();
})()`
	for _, tt := range []struct {
		noScript bool
		after    string
	}{
		{false, "tokens 0, plain 1; broken or stuck, of 3 0 2 1; false"},
		{true, "plain 1, tokens 0; broken or stuck, of 3 0 2 1; false"},
	} {
		p := browser.Open(t, first, browser.Options{NoScript: tt.noScript})
		if got, want := browser.Eval[string](p, seen), "plain 1, tokens 2; broken or stuck, of 3 0 3 2; true"; got != want {
			t.Errorf("at first %q, want %q", got, want)
		}
		p.Click("#tokens")
		p.Await(`document.querySelector("#tokens").checked`)
		must.Equalf(t, browser.Eval[string](p, seen), tt.after, "without scripts %v", tt.noScript)
		p.Click("#tokens")
		p.Await(`!document.querySelector("#tokens").checked`)
		if got, want := browser.Eval[string](p, seen), "plain 1, tokens 2; broken or stuck, of 3 0 3 2; true"; got != want {
			t.Errorf("at last %q, want %q", got, want)
		}
		quiet(t, p)
	}
}

// ticked is what a reader ticks: the faults to expect, and the ways of breaking that matter.
type ticked struct {
	Kinds []string `json:"kinds"`
	Ways  []int    `json:"ways"`
}

// readAll ticks each of the choices and returns what the page says of each lock.
const readAll = `(function (all) {
  var $ = function (q) { return [].slice.call(document.querySelectorAll(q)); };
  var boxes = $("#ticks input:not([name])"), ways = $("#ticks input[name=way]");
  return all.map(function (one) {
    boxes.forEach(function (b) { b.checked = one.kinds.indexOf(b.value) >= 0; });
    ways.forEach(function (w) { w.checked = one.ways.indexOf(+w.value) >= 0; });
    ways[0].dispatchEvent(new Event("change", {bubbles: true}));
    return $("#sets tbody tr").map(function (row) {
      return row.querySelector("th small").textContent + " " + row.querySelector(".you b").textContent;
    }).sort().join(", ");
  });
})(%s)`

// The page's script and simulate advise decide the same for all expected faults: all
// choices of eight kinds, for locks that break by single kinds, by pairs, a misprint, and for
// one without a walk.
func TestThePageAdvisesAsTheCommandDoes(t *testing.T) {
	data := must.Get(measurements.Explore())(t)
	stored := must.Get(results.ReadExplored(data))(t)
	x := *stored
	x.Locks = slices.DeleteFunc(slices.Clone(stored.Locks), func(l results.ExploredLock) bool {
		return !slices.Contains([]string{"zk-sequential", "consul-session", "etcd-txn", "redlock", "lit-unchecked", "watchdog-lua", "redisson-fair"}, l.Lock)
	})
	searched := map[string]string{"etcd-txn": results.Sampled, "zk-sequential": results.NotSearched}
	for i := range x.Locks {
		// Some of each, independent of what is stored.
		x.Locks[i].Searched = cmp.Or(searched[x.Locks[i].Lock], results.Complete)
	}
	x.Locks = append(x.Locks, results.ExploredLock{Lock: "never-walked", Breaks: map[string][]results.CutSet{}})
	page := must.Get(explorepage.HTML(&advice.Facts{Explored: &x}, nil, say.English))(t)
	some := []string{"pause", "pause-short", "evict", "restart", "lost-request", "cut", "fail-over", "hung"}
	var choices []ticked
	for bits := range 1 << len(some) {
		one := ticked{Kinds: []string{}}
		for i, k := range some {
			if bits&(1<<i) != 0 {
				one.Kinds = append(one.Kinds, k)
			}
		}
		for _, ways := range [][]int{{0, 1, 2, 3}, {1, 2, 3}, {1}} {
			choices = append(choices, ticked{one.Kinds, ways})
		}
	}
	asked := must.Get(json.Marshal(choices))(t)
	got := browser.Eval[[]string](browser.Open(t, page, browser.Options{}), fmt.Sprintf(readAll, asked))
	said := map[string]int{}
	for i, c := range choices {
		want := advised(&x, c)
		if got[i] != want {
			t.Fatalf("%+v: the page says %s, the command %s", c, got[i], want)
		}
		for _, word := range []string{"survives", "none found", "not searched", "breaks", "unknown"} {
			said[word] += strings.Count(want, word)
		}
	}
	if said["survives"] < 100 || said["none found"] < 100 || said["not searched"] < 100 || said["breaks"] < 100 || said["unknown"] <= len(choices) {
		t.Errorf("%v: too few of some verdict to compare", said)
	}
}

// advised is what explore.Advise says of each lock, in the words of the page.
func advised(x *results.Explored, c ticked) string {
	var of []checker.Way
	for _, way := range c.Ways {
		of = append(of, checker.Way(way))
	}
	out := map[string]string{"never-walked": "unknown"}
	designs, _ := x.DesignsAndMisprints() // misprints have no row
	for _, a := range explore.Advise(designs, c.Kinds, of) {
		out[a.Lock] = a.Verdict
	}
	var all []string
	for lock, word := range out { // order: sorted below
		all = append(all, lock+" "+word)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
