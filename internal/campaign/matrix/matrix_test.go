package matrix

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"lockstep/internal/campaign"
	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
)

func measure(t *testing.T, seeds, jobs int, ids, codes string) *Matrix {
	t.Helper()
	o := Options{Seeds: seeds, Jobs: jobs, Backend: sim.Backend, Worlds: func() run.World { return sim.New() }}
	for _, id := range strings.Fields(ids) {
		v, ok := locks.Lookup(id)
		if !ok {
			t.Fatalf("no lock %s", id)
		}
		o.Locks = append(o.Locks, v)
	}
	if ids == "" {
		o.Locks = locks.Simulated()
	}
	for _, code := range strings.Fields(codes) {
		c, ok := Lookup(code)
		if !ok {
			t.Fatalf("no column %s", code)
		}
		o.Columns = append(o.Columns, c)
	}
	if codes == "" {
		o.Columns = Columns()
	}
	return measured(t, o)
}

func TestMeasuringTwiceGivesTheSame(t *testing.T) {
	const some = "set-nx-lua setnx-timestamp-del redlock etcd-mutex zk-ephemeral mysql-unique redisson"
	one, two := measure(t, 6, 1, some, ""), measure(t, 6, 3, some, "")
	a, b := one.Measured().Cells, two.Measured().Cells
	for i := range a {
		if !reflect.DeepEqual(a[i], b[i]) {
			t.Errorf("%+v with one worker, %+v with three", a[i], b[i])
		}
	}
}

// Without a fault all locks are safe but misprints.
func TestWithoutAFaultLocksAreSafe(t *testing.T) {
	m := measure(t, 20, 0, "", "N0")
	for i := range m.Cells {
		c := &m.Cells[i]
		if c.Letter != checker.LetterSafe && !locks.Misprint(c.Lock) {
			t.Errorf("%s: %s: %s", c.Lock, c.Letter, c.Note.English())
		}
	}
}

// What the protocols promise and what they do not, from their documents and by reasoning, not from
// the measuring program: the letters of cells, and those of well-known cells that come from their
// scripts, not from random draws. "V" means that the letter holds a V, "!F" that it holds no F, a
// plain S, L or D the letter itself.
func TestLettersAreThoseOfTheProtocols(t *testing.T) {
	wants := []struct{ lock, letters, scripted string }{
		{"setnx", "CH=D LA=D HW=D SL=S SJ=S GP=L LR=F", "PT=D"},
		{"setnx-expire", "CC=D GP=VF SL=VF LR=F CH=L", ""},
		{"set-nx-ex-del", "GP=VF SL=VF DR=V LR=F PT=VF FO=V SB=VF RS=V SJ=V CH=L", "GD=VF GP=VF SL=VF LR=F"},
		{"set-nx-token-getdel", "GD=F SL=V SL=!F GP=!F LR=!F", "GD=VF"},
		{"set-nx-lua", "GP=V SL=V GD=L LR=L FO=V SB=V RS=V SJ=V GP=!F", "GD=L FO=V SB=V RS=V SJ=V DR=V"},
		{"set-nx-lua-const", "GP=VF SL=VF LR=F SB=VF", ""},
		{"lua-setex", "CC=L SL=V GD=L LR=L", ""},
		{"setnx-timestamp-del", "CK=V SJ=S CH=V", "CC=VF LA=VF CH=V CK=V"},
		{"setnx-timestamp-getset", "CK=V GD=F SJ=S LR=F", "GD=VF PT=VF"},
		{"cas-cad", "GD=L LR=L FO=V", ""},
		{"watchdog-blind", "SL=S HW=D PT=V GP=V", ""},
		{"watchdog-lua", "SL=S HW=D GP=V", ""},
		{"redisson-3.12.3", "SL=S LR=V HW=D GP=V LA=L", "LR=V"},
		{"redisson", "SL=S LR=L HW=D GP=V SB=V", ""},
		{"redisson-fair", "", "CC=D"},
		{"redisson-lease", "SL=V HW=V", ""},
		{"redlock", "DR=S SB=!V LA=S FO=!V GP=V RS=V SJ=V CK=S", "RS=V SJ=V GP=V"},
		{"redlock-fsync", "RS=S SJ=V", ""},
		{"redlock-delayed-restart", "RS=!V", ""},
		{"redisson-redlock", "DR=V", ""},
		{"set-wait", "FO=!V RS=V SB=V", "FO=D"},
		{"set-wait-1of2", "FO=V SB=V", "FO=V FO=!F"},
		{"mysql-unique", "CH=D LA=D HW=D SL=S LR=F SJ=S", "PT=D LR=F"},
		{"mysql-unique-ttl", "CH=L SL=V LR=!F", ""},
		{"etcd-txn", "GP=V PT=V SL=S RS=!V SB=!V FO=!V SJ=S HW=D", "GP=V PT=V"},
		{"etcd-mutex", "GP=V SL=S RS=!V SB=!V FO=!V SJ=S HW=D", ""},
		{"zk-ephemeral", "GP=VF LA=D LR=F PT=V", "GP=VF"},
		{"zk-sequential", "GP=V GP=!F LR=!F", ""},
		{"lit-unchecked", "N0=VF", ""},
		{"lit-expire-key", "CH=D", ""},
		{"lit-expire-loser", "CH=D", ""},
		{"lit-cas-3arg", "CH=D", ""},
		{"lit-etcd-key", "N0=V", ""},
		{"consul-session", "CH=L SL=S HW=D", ""},
	}
	for _, want := range wants {
		for _, one := range strings.Fields(want.letters) {
			code, letter, _ := strings.Cut(one, "=")
			if c := &measure(t, 30, 0, want.lock, code).Cells[0]; !fits(string(c.Letter), letter) {
				t.Errorf("%s under %s: measured %s, expected %s (%s)", c.Lock, c.Fault, c.Letter, letter, c.Note.English())
			}
		}
		for _, one := range strings.Fields(want.scripted) {
			code, letter, _ := strings.Cut(one, "=")
			if c := &measure(t, 0, 0, want.lock, code).Cells[0]; !fits(string(c.Scripted.Letter), letter) {
				t.Errorf("%s under %s: the scripts give %s, expected %s (%s)", c.Lock, c.Fault, c.Scripted.Letter, letter, c.Note.English())
			}
		}
	}
}

func fits(got, want string) bool {
	if not, ok := strings.CutPrefix(want, "!"); ok {
		return !strings.Contains(got, not)
	}
	switch want {
	case "V", "F":
		return strings.Contains(got, want)
	}
	return got == want
}

// Real servers have no seeds. If the script that does most harm did it with one seed only, the two
// worlds could not be compared.
func TestTheWorstScriptNeedsNoChance(t *testing.T) {
	const tenth = 100_000
	w := sim.New()
	defer w.Close()
	letter := func(s *Script, lock string, seed uint64) checker.Letter {
		p := s.Plan().Scaled(tenth)
		out := run.One(context.Background(), w, &p, lock, seed)
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		return out.Judgement.Letter
	}
	for _, cell := range []string{
		"setnx-timestamp-del CH", "lit-unchecked SB", "lit-unchecked RS", "lit-unchecked SJ", "lit-mysql-ddl LR", "lit-mysql-ddl PT",
		"lit-expire-key SB", "lit-expire-loser SB", "set-wait RS", "lit-wait-retry RS", "zk-sequential GP", "zk-ephemeral FO", "setnx-expire LA",
	} {
		lock, code, _ := strings.Cut(cell, " ")
		v, _ := locks.Lookup(lock)
		column, _ := Lookup(code)
		scripts, why, err := ScriptsOf(context.Background(), w, v, column)
		if err != nil || !why.Empty() {
			t.Fatal(cell, why, err)
		}
		worst := &scripts[0]
		for i := range scripts {
			if letter(&scripts[i], lock, 1).Worse(letter(worst, lock, 1)) {
				worst = &scripts[i]
			}
		}
		want := letter(worst, lock, 1)
		for seed := uint64(2); seed <= 20; seed++ {
			if got := letter(worst, lock, seed); got != want {
				t.Errorf("%s, %s: %s with seed 1, %s with seed %d", cell, worst.Name.English(), want, got, seed)
				break
			}
		}
	}
}

// A cell without a letter says why.
func TestACellThatDoesNotApplySaysWhy(t *testing.T) {
	w := sim.New()
	defer w.Close()
	v, _ := locks.Lookup("setnx")
	none, why, err := ScriptsOf(context.Background(), w, v, Column{Code: "XX", sketch: func(subject) []sketch { return nil }})
	if err != nil || len(none) != 0 || why.Empty() {
		t.Errorf("%d scripts of a column without any, because of %q, %v", len(none), why.English(), err)
	}
	c := Cell{Record: Record{Why: "the script: fault 1 never fired", Untested: 3}}
	c.conclude()
	if c.Letter != checker.LetterUnknown || !strings.Contains(c.Note.English(), "the script: fault 1 never fired") {
		t.Errorf("got %s %q", c.Letter, c.Note.English())
	}
}

// eachScript visits the scripts of all cells, made for what the locks do in w.
func eachScript(t *testing.T, w run.World, visit func(locks.Variant, Column, *Script)) {
	t.Helper()
	for _, v := range locks.Simulated() {
		p := must.Get(profileOf(t.Context(), w, v))(t)
		for _, column := range Columns() {
			scripts := must.Get(column.Scripts(v, p))(t)
			for i := range scripts {
				visit(v, column, &scripts[i])
			}
		}
	}
}

// The file of a sighting is the played variation: it is printed, and read back it is the same plan.
func TestVariationsCanBeReadBack(t *testing.T) {
	w := sim.New()
	defer w.Close()
	seed := uint64(0)
	eachScript(t, w, func(v locks.Variant, column Column, s *Script) {
		seed++
		text := scenario.Resolved(s.vary(seed))
		again, err := scenario.Parse("", []byte(text))
		if err != nil {
			t.Fatalf("%s under %s, %s: %v", v.ID, column.Code, s.Name.English(), err)
		}
		if twice := scenario.Resolved(again); twice != text {
			t.Fatalf("%s under %s, %s: read back it is another plan:\n%s\n%s", v.ID, column.Code, s.Name.English(), text, twice)
		}
	})
}

// A session of etcd is kept alive beside the transaction, so either may be the client's second
// command on real servers: a script names the command.
func TestScriptsNameCommandsThatRace(t *testing.T) {
	w := sim.New()
	defer w.Close()
	for id, races := range map[string]bool{"etcd-mutex": true, "redlock": false} {
		v, _ := locks.Lookup(id)
		column, _ := Lookup("LA")
		scripts, _, err := ScriptsOf(context.Background(), w, v, column)
		if err != nil {
			t.Fatal(err)
		}
		for i := range scripts {
			text := scenario.Resolved(scripts[i].Plan())
			if anonymous := strings.Contains(text, "any command"); anonymous == races {
				t.Errorf("%s, %s:\n%s", id, scripts[i].Name.English(), text)
			}
		}
	}
}

// A script shows the effect of its fault, so without the fault it has the measured outcome of
// column N0, and no client waits too long or gives up either. Locks that do harm in N0 are left
// out.
func TestNoScriptBreaksWithoutItsFault(t *testing.T) {
	none := map[string]checker.Letter{}
	n0 := measure(t, 0, 0, "", noFaultCode)
	for i := range n0.Cells {
		none[n0.Cells[i].Lock] = n0.Cells[i].Letter
	}
	w := sim.New()
	defer w.Close()
	played := 0
	eachScript(t, w, func(v locks.Variant, column Column, s *Script) {
		if none[v.ID].Harms() {
			return
		}
		calm := *s.Plan()
		calm.Faults, calm.Clocks = nil, nil
		out := run.One(t.Context(), w, &calm, v.ID, 1)
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		if got := out.Judgement.Letter; got.Worse(none[v.ID]) {
			t.Errorf("%s under %s has letter %s without its fault: %s", v.ID, column.Code, got, s.Name.English())
		}
		played++
	})
	if played < 2000 {
		t.Errorf("%d scripts only", played)
	}
}

// counted counts the runs of all its worlds.
type counted struct {
	run.World
	runs *atomic.Int64
}

func (w counted) Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (*history.History, error) {
	w.runs.Add(1)
	return w.World.Play(ctx, p, lock, seed)
}

// An interrupted measurement goes on with the runs that it has kept, and has the same result. Kept
// runs are played again only if their scripts have changed.
func TestAnInterruptedMeasurementGoesOn(t *testing.T) {
	var runs, profiles atomic.Int64
	v, _ := locks.Lookup("set-nx-lua")
	o := Options{
		Seeds: 6, Jobs: 1, Backend: sim.Backend, Locks: []locks.Variant{v}, Columns: Columns(),
		Worlds:   func() run.World { return counted{sim.New(), &runs} },
		Profiles: func() run.World { return counted{sim.New(), &profiles} },
	}
	want := measured(t, o)
	all := runs.Swap(0)
	work := must.Get(campaign.NewWork("", "matrix", nil, nil))(t)
	o.Kept = must.Get(campaign.Open(filepath.Join(t.TempDir(), "cells"), work, 0))(t)
	defer o.Kept.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	o.Progress = func(done, _ int) {
		if done == 7 {
			interrupt()
		}
	}
	if _, err := Measure(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	first := runs.Swap(0)
	got := measured(t, o)
	if second := runs.Swap(0); first == 0 || second == 0 || first+second != all {
		t.Errorf("%d runs, and %d when it goes on; in one go %d", first, second, all)
	}
	if !reflect.DeepEqual(got.Measured(), want.Measured()) {
		t.Error("it goes on to another result")
	}
	o.Columns[0].sketch = func(s subject) []sketch {
		return append([]sketch{{name: say.Text("another script")}}, noFault(s)...)
	}
	changed := measured(t, o).Cell(0, 0)
	if again := runs.Swap(0); again != int64(changed.Runs+changed.Untested) {
		t.Errorf("%d runs where one cell has another script, which had %d", again, changed.Runs)
	}
	o.Seeds--
	measured(t, o)
	if again := runs.Swap(0); again < all/2 {
		t.Errorf("%d runs with fewer variations, and %d with all of them", again, all)
	}
}

func measured(t *testing.T, o Options) *Matrix {
	t.Helper()
	return must.Get(Measure(t.Context(), o))(t)
}
