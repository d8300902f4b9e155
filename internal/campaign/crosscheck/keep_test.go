package crosscheck_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/crosscheck"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/sim"
)

// counted counts the runs of a real world.
type counted struct {
	run.World
	plays *int
}

func (c counted) Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (*history.History, error) {
	*c.plays++
	return c.World.Play(ctx, p, lock, seed)
}

func opened(t *testing.T, name string) *crosscheck.Kept {
	t.Helper()
	k := must.Get(crosscheck.OpenKept(name, "process", 100_000))(t)
	t.Cleanup(func() { k.Close() })
	return k
}

// keeping compares one cell with a file of kept runs, and counts the runs of the real world.
func keeping(t *testing.T, name string, times int, real *other, change func(*crosscheck.Options)) (c *crosscheck.Comparison, plays int) {
	t.Helper()
	o := options(t, "set-nx-lua", "GP", real)
	inner := o.Real
	o.Real = func() run.World { return counted{inner(), &plays} }
	o.Times, o.Kept = times, opened(t, name)
	if change != nil {
		change(&o)
	}
	defer o.Kept.Close() // a file has one writer at a time
	c, _ = compare(t, o)
	return c, plays
}

func TestKeptRunsAreNotPlayedAgain(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	first, plays := keeping(t, name, 2, &other{}, nil)
	if plays != 2 {
		t.Fatalf("%d plays, want 2", plays)
	}
	again, plays := keeping(t, name, 3, &other{}, nil)
	if plays != 1 || len(again.Cells[0].Pairs) != 3 || again.Cells[0].Agreement != results.Agrees {
		t.Errorf("%d plays, want 1: %+v", plays, again.Cells[0])
	}
	if got, want := len(again.Samples[0].Real.Waits), len(first.Samples[0].Real.Waits)*3/2; got != want {
		t.Errorf("%d waits, want %d: the times of a kept run are lost", got, want)
	}
	// All kept runs count, even if fewer are requested.
	if fewer, plays := keeping(t, name, 1, &other{}, nil); plays != 0 || len(fewer.Cells[0].Pairs) != 3 {
		t.Errorf("%d plays, want 0: %+v", plays, fewer.Cells[0])
	}
	// A changed script is another test.
	if _, plays := keeping(t, name, 1, &other{}, func(o *crosscheck.Options) { o.ScalePPM = 200_000 }); plays != 1 {
		t.Errorf("%d plays of another plan, want 1", plays)
	}
}

// A run of older code of the lock, or of a file that does not tell its code, does not count.
func TestKeptRunsOfAnOlderLockDoNotCount(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	for _, older := range []string{"", "0123456789ab"} {
		keeping(t, name, 1, &other{lock: "mysql-get-lock"}, func(o *crosscheck.Options) { o.Kept.SetVersion("set-nx-lua", older) })
	}
	c, plays := keeping(t, name, 1, &other{}, nil)
	if cell := &c.Cells[0]; plays != 1 || len(cell.Pairs) != 1 || cell.Agreement != results.Agrees {
		t.Errorf("%d plays, want 1: %+v", plays, cell)
	}
}

// A kept run counts with its old outcome, even if it tested nothing.
func TestKeptRunsCount(t *testing.T) {
	dir := t.TempDir()
	differs := filepath.Join(dir, "differs")
	keeping(t, differs, 1, &other{lock: "mysql-get-lock"}, nil)
	if c, plays := keeping(t, differs, 2, &other{}, nil); plays != 1 || c.Cells[0].Agreeing() != 1 || c.Cells[0].Agreement != results.Differs {
		t.Errorf("%d plays: %+v", plays, c.Cells[0])
	}
	failed := filepath.Join(dir, "failed")
	keeping(t, failed, 1, &other{err: os.ErrDeadlineExceeded}, nil)
	c, plays := keeping(t, failed, 1, &other{}, nil)
	if plays != 0 || c.Cells[0].Agreement != results.Untested || !strings.Contains(c.Cells[0].Why.English(), "not played to its end") {
		t.Errorf("%d plays: %+v", plays, c.Cells[0])
	}
}

// If the owner of a removed entry is unknown, a V may be a VF: the run is untested, also when it is
// kept.
func TestAVThatMayBeAVF(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	for _, want := range []int{1, 0} {
		c, plays := keeping(t, name, 1, &other{dim: true}, func(o *crosscheck.Options) {
			o.Locks = options(t, "set-nx-ex-del", "GP", nil).Locks
		})
		cell := &c.Cells[0]
		if p := cell.Shown(); plays != want || p.Simulated != "VF" || p.Real != "V?" ||
			cell.Agreement != results.Untested || !strings.Contains(cell.Why.English(), "it is not known whose entry") {
			t.Errorf("%d plays, want %d: %s/%s, %+v", plays, want, p.Simulated, p.Real, cell)
		}
	}
}

// The history of a real run that differs is kept in its own file, which is never overwritten; there
// are a hundred at most.
func TestHistoriesOfRunsThatDiffer(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	c, _ := keeping(t, name, 2, &other{lock: "mysql-get-lock", from: 2}, nil)
	pairs := c.Cells[0].Pairs
	if pairs[0].History != "" || pairs[1].Agreement != results.Differs || pairs[1].History == "" {
		t.Fatalf("%+v", pairs)
	}
	f := must.Get(os.Open(pairs[1].History))(t)
	defer f.Close()
	all, err := history.ReadAllJSONL(f)
	if err != nil || len(all) != 1 {
		t.Fatal(len(all), err)
	}
	j := checker.Judge(all[0])
	if string(j.Letter) != pairs[1].Real {
		t.Errorf("the history is judged %s, the run was %s", j.Letter, pairs[1].Real)
	}
	before := must.Get(os.ReadFile(pairs[1].History))(t)
	// It keeps its name when nothing is played; without the list of runs, the same run gets a new
	// file.
	if again, plays := keeping(t, name, 2, &other{}, nil); plays != 0 || again.Cells[0].Pairs[1].History != pairs[1].History {
		t.Errorf("%d plays, %+v", plays, again.Cells[0].Pairs)
	}
	must.Do(t, os.Remove(name))
	third, _ := keeping(t, name, 2, &other{lock: "mysql-get-lock", from: 2}, nil)
	if got := third.Cells[0].Pairs[1].History; got == "" || got == pairs[1].History {
		t.Errorf("the second file is %q, the first %q", got, pairs[1].History)
	}
	if after, err := os.ReadFile(pairs[1].History); err != nil || string(after) != string(before) {
		t.Errorf("the first file was written over: %v", err)
	}
	for i := range 98 {
		must.Do(t, os.WriteFile(filepath.Join(name+".histories", strconv.Itoa(i)), nil, 0o600))
	}
	must.Do(t, os.Remove(name))
	full, _ := keeping(t, name, 2, &other{lock: "mysql-get-lock", from: 2}, nil)
	if got := full.Cells[0].Pairs[1].History; got != "" {
		t.Errorf("a hundred are there, and one more was kept: %s", got)
	}
}

func TestFilesThatAreNotKeptRuns(t *testing.T) {
	stored := func(backend, run string) string {
		w := must.Get(campaign.NewWork("", "compare-worlds", nil, map[string]any{"backend": backend, "scale_ppm": 100_000}))(t)
		r := campaign.NewResults(w, 0)
		line, err := campaign.NewLine(w, "a run", json.RawMessage(run))
		must.Do(t, errors.Join(err, r.Put(line)))
		return string(r.Store())
	}
	for text, want := range map[string]string{
		"module lockstep\n": "is no file of results, or half of one (line 1: ",
		`{"kept":1,"backend":"process","scale_ppm":100000}` + "\n": "is no file of results, or half of one (line 1: ",
		stored("docker", `{"seed":1,"letter":"V"}`):                `{"backend":"docker","scale_ppm":100000} and {"backend":"process","scale_ppm":100000}: name another file`,
		stored("process", `{"seed":1,"letter":"V"}`) + "no run\n":  "in line 3 (it is no result",
		stored("process", `{"seed":1,"letter":"V","more":1}`):      `unknown field "more"`,
		stored("process", `{"seed":1,"letter":"Z"}`):               `there is no letter "Z"`,
		stored("process", `{"seed":1,"letter":"V","breaks":"x"}`):  `no lock breaks by "x"`,
	} {
		name := filepath.Join(t.TempDir(), "runs.jsonl")
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
		k, err := crosscheck.OpenKept(name, "process", 100_000)
		if err == nil {
			k.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
		if now, err := os.ReadFile(name); err != nil || string(now) != text {
			t.Errorf("%.60q: the refused file was changed", text)
		}
	}
}

// Only cells with the requested letters are played.
func TestLetters(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	c, plays := keeping(t, name, 1, &other{}, func(o *crosscheck.Options) { o.Letters = []checker.Letter{"F", "D"} })
	if plays != 0 || c.Cells[0].Agreement != results.NotPlayed || !strings.Contains(c.Cells[0].Why.English(), "shows F or D") {
		t.Errorf("%d plays: %+v", plays, c.Cells[0])
	}
	if _, plays := keeping(t, name, 1, &other{}, func(o *crosscheck.Options) { o.Letters = []checker.Letter{"V"} }); plays != 1 {
		t.Errorf("%d plays, want 1", plays)
	}
}

// chancy is a simulator in which a freeze in the critical section does harm with some
// seeds only.
type chancy struct{ *sim.World }

func (c chancy) Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (*history.History, error) {
	if strings.Contains(p.Name, "in its critical section") && seed > 1 {
		q := *p
		q.Faults = nil
		return c.World.Play(ctx, &q, lock, seed)
	}
	return c.World.Play(ctx, p, lock, seed)
}

// A script that does harm only with the first seed is not chosen if another one does as much with
// all seeds.
func TestTheScriptThatSurelyDoesHarm(t *testing.T) {
	o := options(t, "set-nx-lua", "GP", &other{})
	_, before := compare(t, o)
	if before.Script.English() != "A freezes in its critical section" {
		t.Fatalf("%q is chosen without chance", before.Script.English())
	}
	o.Sim = func() run.World { return chancy{sim.New()} }
	_, cell := compare(t, o)
	if cell.Script.English() == before.Script.English() || cell.Simulated != checker.LetterV || cell.Agreement != results.Agrees {
		t.Errorf("%+v", cell)
	}
}
