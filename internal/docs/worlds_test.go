package docs

import (
	"strings"
	"testing"

	"lockstep/internal/campaign/results"
	"lockstep/internal/must"
	"lockstep/internal/report/reporttest"
)

const aComparison = `{"schema": 1, "backend": "process", "scale_ppm": 100000, "times": 2, "cells": [
	{"lock": "set-nx-lua", "fault": "N0", "agreement": "agrees", "script": "nothing", "agreeing": 2,
	 "runs": [{"seed": 1, "simulated": "S", "real": "L"}, {"seed": 2, "simulated": "S", "real": "S"}]},
	{"lock": "set-nx-lua", "fault": "GP", "agreement": "differs", "script": "a | pause", "agreeing": 1, "why": "<late>",
	 "runs": [{"seed": 1, "simulated": "S", "real": "L", "agreement": "agrees"}, {"seed": 2, "simulated": "V", "real": "S", "agreement": "differs"}]},
	{"lock": "redlock", "fault": "N0", "agreement": "untested", "script": "nothing", "agreeing": 0,
	 "runs": [{"seed": 1, "simulated": "S", "real": "?", "agreement": "untested"}]},
	{"lock": "redlock", "fault": "GP", "agreement": "not played", "why": "no servers"},
	{"lock": "setnx", "fault": "GP", "agreement": "not played", "why": "no servers"}]}`

func compared(t *testing.T) Input {
	t.Helper()
	in := input()
	in.Worlds = must.Get(results.ReadWorlds([]byte(aComparison)))(t)
	return in
}

func TestWorldsPage(t *testing.T) {
	got := pageOf(t, compared(t), "worlds.md")
	reporttest.Has(t, got,
		"all durations times 0.1): of 5 cells 1 agrees, 1 differs, 1 was inconclusive and 2 were not played.",
		"That is 5 real runs.\n",
		"| lock | N0 | GP |\n",
		"| [set-nx-lua](locks/set-nx-lua.md) | S | V/S |\n",
		"| [redlock](locks/redlock.md) | S/? | \\- |\n",
		"| [setnx](locks/setnx.md) |  | \\- |\n",
		"| [set-nx-lua](locks/set-nx-lua.md) | `GP` a \\| pause | V/S | 1 of 2 | \\<late> |\n",
		"| 2 | no servers |\n",
		"simulate dev compare-worlds --backend process --scale 0.1 --times 2 --json > measurements/worlds.json\n",
	)
	reporttest.Lacks(t, got, "etcd-mutex") // which was not compared
}

// What was played at full length stands below the table, and what was left out does not.
func TestWorldsInFull(t *testing.T) {
	in := compared(t)
	in.InFull = must.Get(results.ReadWorlds([]byte(`{"schema": 1, "backend": "process", "scale_ppm": 1000000, "times": 1, "cells": [
		{"lock": "redisson", "fault": "SB", "agreement": "agrees", "script": "a long cut", "agreeing": 1,
		 "runs": [{"seed": 1, "simulated": "V", "real": "V", "agreement": "agrees"}]},
		{"lock": "set-nx-lua", "fault": "N0", "agreement": "agrees", "script": "the same as ever", "agreeing": 1,
		 "runs": [{"seed": 1, "simulated": "S", "real": "S", "agreement": "agrees"}]},
		{"lock": "redlock", "fault": "SB", "agreement": "not played", "why": "left out"}]}`)))(t)
	got := pageOf(t, in, "worlds.md")
	reporttest.Has(t, got, "## What a short scale hides\n", "at a scale of 1:\n", "| [redisson](locks/redisson.md) | `SB` | V | 1 of 1 | a long cut |\n",
		"compare-worlds --lock redisson,set-nx-lua --backend process --scale 1 --times 1 --fault N0,SB --letter")
	reporttest.Lacks(t, got, "left out", "the same as ever")
	reporttest.Lacks(t, pageOf(t, compared(t), "worlds.md"), "short scale")
}

// The stories of the search have a section of their own: a row for each lock, the stories that
// differ, and why others were not played.
func TestStoriesInBothWorlds(t *testing.T) {
	in := compared(t)
	in.Stories = must.Get(results.ReadWorlds([]byte(`{"schema": 1, "backend": "process", "scale_ppm": 100000, "times": 5, "cells": [
		{"lock": "redlock", "fault": "pause", "story": "redlock/pause", "agreement": "agrees", "script": "a pause", "agreeing": 5, "scale_ppm": 200000,
		 "runs": [{"seed": 1, "simulated": "overlap+damage", "real": "overlap+damage", "agreement": "agrees"}, {}, {}, {}, {}]},
		{"lock": "redlock", "fault": "crash+lag", "story": "redlock/crash+lag", "agreement": "differs", "script": "a | crash", "agreeing": 1, "why": "<late>",
		 "runs": [{"seed": 1, "simulated": "no-progress", "real": "no-progress", "agreement": "agrees"}, {"seed": 2, "simulated": "no-progress", "real": "none", "agreement": "differs"}]},
		{"lock": "setnx", "fault": "evict", "story": "setnx/evict", "agreement": "not played", "script": "an eviction", "why": "no servers"}]}`)))(t)
	got := pageOf(t, in, "worlds.md")
	reporttest.Has(t, got,
		"## The stories of the search\n",
		"in both: of 3 stories 1 agrees, 1 differs, 0 were inconclusive and 1 was not played.",
		"That is 7 real runs. 1 stories, those with sentinels, nodes of Redlock or a replica that has to be behind, were played slower",
		"1 stories were played with 5 seeds or more; in 1 of these every real run had the outcome of its simulated run.",
		"| [redlock](locks/redlock.md) | 1 | 1 | 0 | 0 |\n",
		"| [setnx](locks/setnx.md) | 0 | 0 | 0 | 1 |\n",
		"| [redlock](locks/redlock.md) | a \\| crash: `redlock/crash+lag` | no-progress/none | 1 of 2 | \\<late> |\n",
		"| stories | why |\n",
		"--times 5 --stories --keep stories.jsonl --json > measurements/stories.json\n",
	)
	reporttest.Lacks(t, got, "`redlock/pause`") // which agrees
	reporttest.Lacks(t, pageOf(t, compared(t), "worlds.md"), "stories of the search")
}

// Cells with many seeds are counted, and so are those of them in which all seeds agree.
func TestEvidenceOfManyRuns(t *testing.T) {
	runs := make([]results.WorldRun, 20)
	c := comparison{&results.Worlds{Cells: []results.WorldCell{{Agreement: "agrees", Runs: runs}, {Agreement: "differs", Runs: runs}, {Agreement: "agrees", Runs: runs[1:]}}}}
	want := "That is 59 real runs. 2 cells were played with 20 seeds or more; in 1 of these every real run had the letter of its simulated run."
	if got := c.Evidence(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := c.Again(); strings.Count(got, " --keep runs.jsonl") != 2 || !strings.Contains(got, "--letter V,F,VF,D --times 20") {
		t.Errorf("the runs are not kept: %q", got)
	}
}

func TestALockShowsItsRealRow(t *testing.T) {
	got := pageOf(t, compared(t), "locks/set-nx-lua.md")
	reporttest.Has(t, got,
		"## On real servers\n",
		"| `N0` no fault | S | 2 of 2 | nothing |  |\n| `GP` pause | V/S | 1 of 2 | a \\| pause | \\<late> |\n",
		"simulate dev compare-worlds --lock set-nx-lua --backend process --scale 0.1 --times 2\n",
	)
	for _, in := range []Input{input(), compared(t)} {
		reporttest.Lacks(t, pageOf(t, in, "locks/etcd-mutex.md"), "On real servers")
	}
}
