package browser_test

import (
	"strings"
	"testing"

	"lockstep/internal/browser"
	"lockstep/internal/campaign/advice"
	"lockstep/internal/campaign/results"
	"lockstep/internal/must"
	"lockstep/internal/report/explorepage"
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
	if got := verdict("set-nx-lua"); got != "survives" {
		t.Errorf("nothing can happen, and set-nx-lua %s", got)
	}
	click("pause")
	if got := verdict("set-nx-lua"); got != "breaks" {
		t.Errorf("a client may pause, and set-nx-lua %s", got)
	}
	contains(t, "the address", browser.Eval[string](p, "location.hash"), "#expect=pause,pause-short")
	for _, way := range []string{"0", "1"} { // two may believe, and the resource may be damaged
		click(way)
	}
	if got := verdict("set-nx-lua"); got != "survives" {
		t.Errorf("a pause only makes two believe and damages the resource, and set-nx-lua %s", got)
	}
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
	if got := shown(); got != "" {
		t.Errorf("nothing was chosen, and %s is shown", got)
	}
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
