package real_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real"
	runner "lockstep/internal/run"
	"lockstep/measurements"
)

var measureExamples = flag.String("measure-examples", "", "measure these programs of examples, or all: their names in docs/libraries.md, with commas")

// exampleScale is the scale at which a program is measured. Sessions of ZooKeeper have to last
// seconds: its clients wait for a connection for a third of one.
func exampleScale(store locks.Store) int64 {
	if store == locks.StoreZooKeeper {
		return 500_000
	}
	return 100_000
}

// exampleJobs is the number of simultaneous runs, which mostly wait.
const exampleJobs = 3

// TestMeasureTheExamples plays the scripts of the matrix once with programs of examples on real
// servers, and stores the results in measurements/programs, for `make programs`. Partial results
// are in reports/programs until everything is measured, so that an interrupted measurement can
// continue.
func TestMeasureTheExamples(t *testing.T) {
	if *measureExamples == "" {
		t.Skip("make programs measures")
	}
	names := strings.Split(*measureExamples, ",")
	played, parts := 0, []string{}
	for _, e := range exampleLocks {
		if slices.Contains(names, e.id) || *measureExamples == "all" {
			played++
			parts = append(parts, filepath.Join("..", "..", "reports", "programs", e.id+".jsonl"))
			t.Run(e.id, func(t *testing.T) { measureExample(t, e, parts[len(parts)-1]) })
		}
	}
	if played < len(names) {
		t.Errorf("-measure-examples %s names a program that is none of examples", *measureExamples)
	}
	if !t.Failed() {
		for _, path := range parts {
			_ = os.Remove(path) // one that was skipped has none
		}
	}
}

func measureExample(t *testing.T, e exampleLock, path string) {
	needExample(t, e.file, e.needs)
	v, err := locks.NewProgram(e.id, append(slices.Clone(e.command), example(t, e.file)), e.store)
	if err != nil {
		t.Fatal(err)
	}
	scale := exampleScale(e.store)
	o := real.Options{Backend: real.ProcessBackend, ScalePPM: scale}
	worlds := func() runner.World { return &patientWorld{t, &real.Player{Options: o}} }
	profiles := &profileWorld{World: worlds(), program: v, scale: scale, known: map[string]*history.History{}}
	version := versionOf(t, e.debian)
	code, err := os.ReadFile(example(t, e.file))
	if err != nil {
		t.Fatal(err)
	}
	work, err := campaign.NewWork(version, "programs", nil, fmt.Sprintf("%s %d %x", e.id, scale, sha256.Sum256(code)))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := campaign.Open(path, work, 0)
	if errors.Is(err, campaign.ErrOther) { // of an earlier version
		if err = os.Remove(path); err == nil {
			kept, err = campaign.Open(path, work, 0)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	t.Logf("%s: %d cells are over", e.id, kept.Len())
	m, err := matrix.Measure(t.Context(), matrix.Options{
		Kept: kept, Locks: []locks.Variant{v}, Columns: matrix.Columns(), Jobs: exampleJobs, Worlds: worlds, Backend: o.Backend, ScalePPM: scale,
		Profiles: func() runner.World { return profiles },
		Refuse:   func(p *plan.Plan, lock string) error { return real.Refuse(p, lock, o) },
	})
	if err != nil {
		t.Fatal(err)
	}
	out := &results.Library{Schema: results.Schema}
	out.Lock, out.Library, out.Program, out.ScalePPM = e.id, e.library, e.file, scale
	out.Version = version
	out.Matrix = m.Measured()
	data, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.ReplaceAll(data, []byte(strings.TrimSuffix(example(t, e.file), e.file)), []byte("examples/"))
	file := filepath.Join("..", "..", "measurements", "programs", e.id+".json.gz")
	if data, err = measurements.Pack(file, append(data, '\n')); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// versionOf is the version of the library in an installed package, without Debian's additions.
func versionOf(t *testing.T, debian string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "dpkg-query", "-W", "-f", "${Version}", debian).Output()
	if err != nil {
		t.Fatal(err)
	}
	version := string(out)
	if _, after, ok := strings.Cut(version, ":"); ok {
		version = after
	}
	version, _, _ = strings.Cut(version, "-")
	version, _, _ = strings.Cut(version, "+")
	return version
}

// patientWorld repeats a run that could not be played, as with tests on real servers. A run that
// fails twice tests nothing: a fault has hit a program before it was ready.
type patientWorld struct {
	t *testing.T
	runner.World
}

func (w *patientWorld) Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (*history.History, error) {
	h, err := w.World.Play(ctx, p, lock, seed)
	if h != nil || err == nil || ctx.Err() != nil {
		return h, err
	}
	w.t.Logf("once more: %s: %v", p.Name, err)
	if h, err = w.World.Play(ctx, p, lock, seed); h == nil && err != nil && ctx.Err() == nil {
		w.t.Logf("not played: %s: %v", p.Name, err)
		return &history.History{}, errors.New("the program was not ready, or said what fits no question")
	}
	return h, err
}

// profileWorld plays each run without a fault, from which the matrix learns the commands of a lock,
// once. Its plans lack the program.
type profileWorld struct {
	runner.World
	program locks.Variant
	scale   int64
	mu      sync.Mutex
	known   map[string]*history.History
}

func (w *profileWorld) Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (*history.History, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	scaled := p.Scaled(w.scale)
	scaled.Programs = []locks.Variant{w.program}
	if scaled.Workload.Nested > 0 { // a program is asked for one lock at a time, so it takes none twice
		return &history.History{}, nil
	}
	key := fmt.Sprint(scaled.Workload.Work, scaled.Redis.Replicas)
	if h, ok := w.known[key]; ok {
		return h, nil
	}
	h, err := w.World.Play(ctx, &scaled, lock, seed)
	if err == nil {
		w.known[key] = h
	}
	return h, err
}
