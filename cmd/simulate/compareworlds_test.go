package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"lockstep/internal/campaign/crosscheck"
	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/run"
	"lockstep/internal/say"
)

// pairs are simulated and real letters, of the seeds from 1 on.
func pairs(letters ...string) (out []results.WorldRun) {
	for i, text := range letters {
		simulated, real, _ := strings.Cut(text, " ")
		out = append(out, crosscheck.OfLetters(checker.Letter(simulated), checker.Letter(real), false))
		out[i].Seed = uint64(i + 1)
	}
	return out
}

func someComparison() *crosscheck.Comparison {
	c := &crosscheck.Comparison{
		Backend: "process", Times: 3, Locks: []locks.Variant{{ID: "set-nx-lua"}, {ID: "setnx"}},
		Columns: []matrix.Column{{Code: "GP"}, {Code: "SJ"}},
		Cells: []crosscheck.Cell{
			{Lock: "set-nx-lua", Fault: "GP", Agreement: results.Differs, Simulated: "V", Pairs: pairs("V V", "V S", "V S"), Script: say.Both{English: "A freezes", Chinese: "A 冻结"}.Phrase()},
			{Lock: "set-nx-lua", Fault: "SJ", Agreement: results.NotPlayed, Why: say.Verbatim("no \x1b[31mclock").Phrase()},
			{Lock: "setnx", Fault: "GP", Agreement: results.Agrees, Simulated: "L", Pairs: pairs("L S", "L L", "S S")},
			{Lock: "setnx", Fault: "SJ", Agreement: results.Untested, Simulated: "L", Pairs: pairs("L ?", "L L", "? L"), Script: say.Text("it jumps"), Why: say.Verbatim("cut short").Phrase()},
		},
	}
	c.Cells[0].Pairs[2].History = "my runs.jsonl.histories/some.jsonl"
	return c
}

func TestComparisonOnTheTerminal(t *testing.T) {
	once := someComparison() // a cell that was played once has no count
	once.Times = 1
	for i := range once.Cells {
		if p := once.Cells[i].Shown(); p != nil {
			once.Cells[i].Pairs = []results.WorldRun{*p}
		}
	}
	for _, tt := range []struct {
		name     string
		give     *crosscheck.Comparison
		language say.Language
		want     string
		more     bool // something follows
	}{
		{"in English", someComparison(), say.English, `            GP       SJ
set-nx-lua  V/S 1/3  -
setnx       L        L/? 1/3

  V the same letter in both worlds   V/S simulated V, real S   V/? nothing tested   - not played
  V/S 18/20 of 20 seeds, 18 have the same letter in both worlds

set-nx-lua under GP differs: A freezes
  1 of 3 seeds agree
  simulated V, real S: seeds 2, 3
  the real run with seed 3: simulate check 'my runs.jsonl.histories/some.jsonl'

setnx under SJ untested: it jumps
  1 of 3 seeds agree
  simulated L, real ?: seed 1
  simulated ?, real L: seed 3
  cut short

NOT PLAYED with --backend process:
     1  no \x1b[31mclock
`, false},
		{"in Chinese", someComparison(), say.Chinese, `            GP       SJ
set-nx-lua  V/S 1/3  -
setnx       L        L/? 1/3

  V 两个世界字母相同   V/S 模拟 V，真实 S   V/? 没有检验到什么   - 没有演
  V/S 18/20 表示 20 个种子中 18 个在两个世界字母相同

set-nx-lua 经受 GP 不同：A 冻结
  3 个种子中 1 个一致
  模拟 V，真实 S：2 个种子，2, 3
  种子 3 的真实运行：simulate check 'my runs.jsonl.histories/some.jsonl'

setnx 经受 SJ 未检验：it jumps
`, true},
		{"of single runs", once, say.English, `            GP     SJ
set-nx-lua  V/S    -
setnx       L      L/?

  V the same letter in both worlds   V/S simulated V, real S   V/? nothing tested   - not played

set-nx-lua under GP differs: A freezes
  simulated V, real S: seed 2
`, true},
	} {
		var out bytes.Buffer
		f := &worldsFlags{cellFlags: cellFlags{globals: &globals{stdout: &screen{w: &out}, language: tt.language}}}
		f.print(tt.give)
		if got := out.String(); got != tt.want && !(tt.more && strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestComparisonForPrograms(t *testing.T) {
	data := must.Get(json.Marshal(someComparison().Measured()))(t)
	var got struct {
		Times, Agree, Differ, Untested int
		Cells                          []struct {
			Fault, Agreement string
			Agreeing         int
			Runs             []struct {
				Seed                       uint64
				Simulated, Real, Agreement string
				History                    string
			}
		}
	}
	must.Do(t, json.Unmarshal(data, &got))
	if got.Times != 3 || got.Agree != 1 || got.Differ != 1 || got.Untested != 1 || len(got.Cells) != 4 {
		t.Fatalf("%s", data)
	}
	cell := got.Cells[0]
	if cell.Agreement != "differs" || cell.Agreeing != 1 || len(cell.Runs) != 3 || len(got.Cells[1].Runs) != 0 {
		t.Errorf("%+v", cell)
	}
	if cell.Runs[2].History == "" || cell.Runs[1].History != "" {
		t.Errorf("the histories of %+v", cell.Runs)
	}
	if r := cell.Runs[1]; r.Seed != 2 || r.Simulated != "V" || r.Real != "S" || r.Agreement != "differs" {
		t.Errorf("%+v", r)
	}
}

func TestComparisonStatus(t *testing.T) {
	c := someComparison()
	if got := worldsStatus(c); got != run.Missed {
		t.Errorf("a cell differs: status %v", got)
	}
	c.Cells[0].Agreement = results.Agrees
	if got := worldsStatus(c); got != run.Inconclusive {
		t.Errorf("a cell tested nothing: status %v", got)
	}
	c.Cells[3].Agreement = results.NotPlayed
	if got := worldsStatus(c); got != run.Met {
		t.Errorf("all that was played agrees: status %v", got)
	}
	for i := range c.Cells {
		c.Cells[i].Agreement = results.NotPlayed
	}
	if got := worldsStatus(c); got != run.Inconclusive {
		t.Errorf("nothing was played: status %v", got)
	}
}
