package docs

import (
	"testing"

	"lockstep/internal/campaign/results"
	"lockstep/internal/must"
	"lockstep/internal/report/reporttest"
)

const aProgram = `{"schema": 1, "lock": "redis-py", "library": "redis.lock.Lock", "version": "4.3.4", "program": "python/redis_py_lock.py", "scale_ppm": 100000,
	"matrix": {"schema": 1, "backend": "process", "seeds": 0, "cells": [
	{"lock": "redis-py", "fault": "N0", "letter": "S", "runs": 2, "note": "2 scripts and 0 variations; at most 100 % of such runs break"},
	{"lock": "redis-py", "fault": "GP", "letter": "V", "runs": 3, "note": "A freezes | in its section", "damage": true, "damaged_by": "A writes late"}]}}`

const aLibrary = `{"schema": 1, "lock": "redsync", "library": "example.org/redsync", "version": "v4.1.0", "go": "go1.30", "seeded": true,
	"matrix": {"schema": 1, "backend": "bubble", "seeds": 20, "cells": [{"lock": "redsync", "fault": "GP", "letter": "V", "runs": 22, "note": "A freezes"}]}}`

// Programs are rows beside the Go libraries, with their world; a section has the runs behind each
// letter.
func TestProgramsAreRowsOfTheTableOfLibraries(t *testing.T) {
	in := input()
	for data, into := range map[string]*[]*results.Library{aLibrary: &in.Libraries, aProgram: &in.Programs} {
		one := must.Get(results.ReadLibrary([]byte(data)))(t)
		*into = append(*into, one)
	}
	got := pageOf(t, in, "libraries.md")
	reporttest.Has(t, got,
		"| library | version | played | `N0` | `GP` |\n",
		"| [redsync](locks/redsync.md) | v4.1.0 | in virtual time |  | V |\n",
		"| [redis-py](libraries.md#redis-py) | 4.3.4 | on real servers | S | V* |\n",
		"| [redis-py](libraries.md#redis-py) | `redis.lock.Lock` | Python | each script once, by [redis_py_lock.py](../examples/python/redis_py_lock.py), the durations times 0.1 | 0 |\n",
		"### redis-py\n",
		"by [examples/python/redis_py_lock.py](../examples/python/redis_py_lock.py): 5 runs that tested something.",
		"| `N0` no fault | **S** safe | 2 |  |\n",
		"| `GP` pause | **V** two holders; *damaged* | 3 | A freezes \\| in its section; the resource is damaged when A writes late |\n",
	)
}

// Where the worlds differ, the page says how often each had which result.
func TestALibraryThatRacesIsCounted(t *testing.T) {
	runs := []results.WorldRun{
		{Simulated: "V", Real: "V"}, {Simulated: "L", Real: "V"}, {Simulated: "V", Real: "S"}, {Simulated: "V", Real: "?"},
	}
	l := &results.Library{Worlds: &results.Worlds{Cells: []results.WorldCell{
		{Fault: "FO", Agreement: "differs", Agreeing: 1, Runs: runs},
		{Fault: "GP", Agreement: "agrees", Agreeing: 4, Runs: runs},
	}}}
	want := "of 2 cells 1 agrees, 1 differs, 0 were inconclusive and 0 were not played; `FO` with 1 of 4 seeds: here 1 L, 3 V, there 1 ?, 1 S, 2 V"
	if got := onRealServers(l); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}
