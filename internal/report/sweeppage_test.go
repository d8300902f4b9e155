package report

import (
	"bytes"
	"strings"
	"testing"
)

// aSweep has a cell of each kind: safe, rarely and often broken, always, untested.
func aSweep() *Sweep {
	cell := func(broken, tested int, rate, low, high int64, first uint64) SweepCell {
		return SweepCell{Broken: broken, Tested: tested, Untested: 1000 - tested, Rate: rate, Low: low, High: high, FirstBroke: first}
	}
	return &Sweep{
		Title: "A pause & a lease", Story: "Who <wins>?", Property: "mutual-exclusion", Seeds: 1000,
		Replay: "simulate sweep x.yaml --seeds 1000",
		Maps: []SweepMap{{
			Lock: "set-nx-lua", XName: "lease", YName: "pause", XTicks: []string{"1s", "2s", "4500ms"}, YTicks: []string{"0s", "10s"},
			Cells: []SweepCell{
				cell(0, 1000, 0, 0, 3_827, 0), cell(1, 1000, 1_000, 176, 5_643, 77), cell(0, 0, 0, 0, 1_000_000, 0),
				cell(1000, 1000, 1_000_000, 996_173, 1_000_000, 1), cell(999, 1000, 999_000, 994_357, 999_824, 1), cell(420, 900, 466_667, 434_000, 499_000, 3),
			},
		}, {
			Lock: "redlock", XName: "loss", XTicks: []string{"0%", "5%"}, YTicks: []string{""},
			Cells: []SweepCell{cell(0, 1000, 0, 0, 3_827, 0), cell(0, 1000, 0, 0, 3_827, 0)},
		}},
	}
}

func TestSweepGoldens(t *testing.T) {
	s := aSweep()
	page, err := SweepHTML(s)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "sweep.html", page)
	golden(t, "sweep.txt", []byte(SweepTerminal(s)))
}

// A share that is not nothing never reads 0, and one that is not everything never 100.
func TestShortSharesDoNotLie(t *testing.T) {
	text := strings.Join(strings.Fields(SweepTerminal(aSweep())), " ")
	for _, want := range []string{"| 100 >99 47", "| 0 <1 ?"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// Names come from files that others write.
func TestSweepIsSafeFromNames(t *testing.T) {
	s := aSweep()
	const evil = `</title><script>alert(1)</script>` + "\x1b[31m"
	s.Title, s.Story, s.Property, s.Replay = evil, evil, evil, evil
	s.Maps[0].Lock, s.Maps[0].XName, s.Maps[0].YName, s.Maps[0].XTicks[0] = evil, evil, evil, evil
	page, err := SweepHTML(s)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(page, []byte("<script")) || bytes.ContainsRune(page, '\x1b') || strings.ContainsRune(SweepTerminal(s), '\x1b') {
		t.Error("a name became a script or a control sequence")
	}
}
