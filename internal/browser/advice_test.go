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
	"lockstep/internal/say"
	"lockstep/measurements"
)

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
	designs, _ := x.Apart() // misprints have no row
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
