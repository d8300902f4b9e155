package libraries_test

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lockstep/internal/bubble"
	"lockstep/internal/campaign/explore"
	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/sim"
	"lockstep/measurements"
)

var (
	measure    = flag.String("measure", "", "measure this library again, and store it")
	compare    = flag.String("compare", "", "play the scripts of this library on real servers, too, and store the outcomes")
	noWalk     = flag.Bool("no-walk", false, "keep the stored walk, which takes minutes")
	times      = flag.Int("times", 1, "seeds of each cell on real servers")
	keep       = flag.String("keep", "", "keep the real runs in this file, and play none again that it holds; histories that differ go beside it")
	only       = flag.String("only", "", "compare these columns only, and store nothing: PT,SB")
	jobs       = flag.Int("jobs", 2, "real runs at once")
	variations = flag.Int("variations", 200, "random variations of each cell of the matrix")
)

// stored is the folder of the measurements.
func stored(id string) string {
	return filepath.Join("..", "..", "..", "measurements", "libraries", id+".json.gz")
}

// TestMeasure measures one library. It takes minutes, and is for `make libraries`.
func TestMeasure(t *testing.T) {
	if *measure == "" {
		t.Skip("make libraries measures")
	}
	if !bubble.Seeded() {
		t.Fatal("measure with the runtime whose choices follow the seed: make libraries does")
	}
	v, ok := locks.Lookup(*measure)
	if !ok {
		t.Fatalf("there is no library %q", *measure)
	}
	out := &results.Library{Schema: results.Schema}
	out.Lock, out.Library, out.Go = v.ID, v.Library, runtime.Version()
	out.Version = version(t, v.Library)
	if before := read(t, v.ID); before != nil {
		out.Walk, out.Worlds = before.Walk, before.Worlds
	}
	if !*noWalk {
		out.Walk = walk(t, v)
	}
	m := must.Get(matrix.Measure(t.Context(), matrix.Options{
		Locks: variants(v.ID), Columns: matrix.Columns(), Seeds: *variations, Jobs: 1, Worlds: inBubbles(t), Backend: "bubble", Refuse: refuse,
		Walk: out.Walk,
	}))(t)
	out.Matrix = m.Measured()
	store(t, out)
}

// walk plays each single fault at each moment of the plain profile.
func walk(t *testing.T, v locks.Variant) *results.Explored {
	o := explore.Options{
		Locks: []locks.Variant{v}, Faults: 1, Clients: 2, Rounds: 1, In: []string{"plain"}, Jobs: 1, Refuse: refuse,
		Worlds: func() explore.World {
			return &played{t: t, on: sim.New(), reserve: sim.MaxRecorded - explore.MostEvents}
		},
	}
	s := must.Get(explore.Walk(t.Context(), o))(t)
	x := must.Get(s.Result(&o))(t)
	for _, s := range x.Stories() { // no simulator can play it: its text is what is kept
		*s.Shown = results.Shown{Profile: s.Profile, Text: s.Text}
	}
	return x
}

// version returns the version of a package's module.
func version(t *testing.T, path string) string {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Module.Version}}", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// read returns the stored measurement of a library, nil if there is none yet.
func read(t *testing.T, id string) *results.Library {
	data, err := os.ReadFile(stored(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		data, err = measurements.Unpack(stored(id), data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return must.Get(results.ReadLibrary(data))(t)
}

// store writes a measurement to where the program reads it.
func store(t *testing.T, out *results.Library) {
	data := must.Get(json.MarshalIndent(out, "", " "))(t)
	data = must.Get(measurements.Pack(stored(out.Lock), append(data, '\n')))(t)
	must.Do(t, os.WriteFile(stored(out.Lock), data, 0o644))
}
