package browser_test

import (
	"testing"

	"lockstep/internal/browser"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/must"
	"lockstep/internal/report/matrixpage"
	"lockstep/internal/say"
)

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
