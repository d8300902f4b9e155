package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/report/export"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/scenario/scenariotest"
)

// resultSchemas are the committed schema of results and, of it, that of result.json.
func resultSchemas(t *testing.T) (printed, stored *jsonschema.Schema) {
	t.Helper()
	c := jsonschema.NewCompiler()
	printed = must.Get(c.Compile("../../schema/result.schema.json"))(t)
	stored = must.Get(c.Compile("../../schema/result.schema.json#/$defs/run"))(t)
	return printed, stored
}

func valueOf(t *testing.T, data []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return value
}

// printedBy returns the output of a command with --json. Other tests check exit codes.
func printedBy(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	out, err := simulate(t, dir, append(args, "--json")...).Output()
	if len(out) == 0 {
		t.Fatalf("%v prints nothing: %v", args, err)
	}
	return out
}

// The schema refuses a result without one of its fields, or with an unknown word.
func TestTheSchemaOfResultsRefuses(t *testing.T) {
	printed, _ := resultSchemas(t)
	good := printedBy(t, t.TempDir(), "run", "pause-past-lease", "--lock", "set-nx-lua")
	var object map[string]any
	must.Do(t, json.Unmarshal(good, &object))
	for field := range object {
		less := maps.Clone(object)
		delete(less, field)
		if printed.Validate(less) == nil {
			t.Errorf("a result without %s is accepted", field)
		}
	}
	for from, to := range map[string]string{
		`"verdict": "broken"`: `"verdict": "bent"`, `"count": 1`: `"count": "1"`, `"letter": "V`: `"letter": "W`,
		`"expectations"`: `"expected"`, `"property": "mutual-exclusion"`: `"property": 1`, `"checker": `: `"checker": 0.5`,
	} {
		bad := bytes.Replace(good, []byte(from), []byte(to), 1)
		if bytes.Equal(bad, good) || printed.Validate(valueOf(t, bad)) == nil {
			t.Errorf("%s instead of %s is accepted", to, from)
		}
	}
}

// A result has the expectations, and the version of the checkers.
func TestAResultSaysWhatWasExpected(t *testing.T) {
	type expectation struct {
		Property, Verdict string
		Met               bool
	}
	var got struct {
		Versions struct{ Checker int }
		Locks    []struct{ Expectations []expectation }
	}
	dir := t.TempDir()
	writeIn(t, filepath.Join(dir, "x.yaml"), fmt.Sprintf(quick, "kept, progress: kept"))
	must.Do(t, json.Unmarshal(printedBy(t, dir, "run", "x.yaml"), &got))
	want := []expectation{{"mutual-exclusion", "kept", false}, {"progress", "kept", true}}
	if len(got.Locks) != 1 || !reflect.DeepEqual(got.Locks[0].Expectations, want) || got.Versions.Checker < 1 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// No prefix of a run's histories is kept, and none keeps a property that the whole run breaks.
func TestNoPartOfARunIsKept(t *testing.T) {
	p := scenariotest.Load(t, "../../scenarios/lessons/pause-past-lease.yaml")
	p.Locks = []string{"set-nx-lua", "watchdog-lua"}
	r := reporttest.Play(t, p, 1)
	var stored bytes.Buffer
	must.Do(t, history.WriteJSONL(&stored, r.Histories()...))
	whole := bytes.TrimRight(stored.Bytes(), "\n")
	parts := map[checker.Verdict]int{}
	for n := range whole {
		if whole[n] != '\n' && n%97 != 0 {
			continue // the ends of all lines, and some other places
		}
		all, err := history.ReadAllJSONL(bytes.NewReader(whole[:n]))
		if err != nil {
			continue // exit 2
		}
		worst := checker.Kept
		for i, h := range all {
			c := export.CheckedOf("part", i+1, h)
			worst = checker.Worse(worst, c.Verdict)
			for id, v := range c.Verdicts {
				if v.Verdict == checker.Kept && r.Outcomes[i].Judgement.Finding(id).Verdict == checker.Broken {
					t.Errorf("of the first %d bytes: %s is kept by %s, which breaks it", n, id, h.Header.Lock)
				}
			}
		}
		if parts[worst]++; worst == checker.Kept {
			t.Errorf("the first %d bytes are kept", n)
		}
	}
	if parts[checker.Unknown] == 0 || parts[checker.Broken] == 0 {
		t.Errorf("parts by their worst verdict: %v", parts)
	}
}
