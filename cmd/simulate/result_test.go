package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// resultSchemas are the committed schema of results and, of it, that of result.json.
func resultSchemas(t *testing.T) (printed, stored *jsonschema.Schema) {
	t.Helper()
	c := jsonschema.NewCompiler()
	printed, err := c.Compile("../../schema/result.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	stored, err = c.Compile("../../schema/result.schema.json#/$defs/run")
	if err != nil {
		t.Fatal(err)
	}
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

// Every kind of result, printed and stored, is what the schema says.
func TestResultsFollowTheirSchema(t *testing.T) {
	printed, stored := resultSchemas(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"missed.yaml":              fmt.Sprintf(quick, "kept"),
		"untested.yaml":            "scenario: x\nlocks: [set-nx-lua]\nclients: [A, B]\nfaults:\n  - {when: A wakes, slow: A, by: 15s}\nexpect:\n  set-nx-lua: {mutual-exclusion: kept}\n",
		"some/no-expectation.yaml": "scenario: x\nlocks: [setnx]\n",
		"some/library.yaml":        "scenario: x\nlocks: [redsync, setnx]\n",
	} {
		writeIn(t, filepath.Join(dir, name), text)
	}
	found, err := filepath.Abs("../../scenarios/regressions/primary-storm-set-wait.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"run", "pause-past-lease"},
		{"run", "pause-past-lease", "--lock", "set-nx-lua"},
		{"run", "pause-past-lease", "crash-before-del"},
		{"run", "pause-past-lease", "--times", "3"},
		{"run", "pause-past-lease", "crash-before-del", "--times", "2"},
		{"run", "missed.yaml"}, {"run", "untested.yaml"}, {"run", "some"},
		{"run", found, "--playable"},
		{"run", "redlock-storm"},
		{"report", "reports/latest"},
	} {
		if err := printed.Validate(valueOf(t, printedBy(t, dir, args...))); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "reports/*/*/result.json"))
	if err != nil || len(files) < 12 {
		t.Fatal(len(files), "stored results,", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := stored.Validate(valueOf(t, data)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	var comparison struct {
		Runs []json.RawMessage `json:"runs"`
	}
	if err := json.Unmarshal(printedBy(t, dir, "report", filepath.Dir(files[0]), filepath.Dir(files[1])), &comparison); err != nil || len(comparison.Runs) != 2 {
		t.Fatal(len(comparison.Runs), "runs compared,", err)
	}
	for _, run := range comparison.Runs {
		if err := stored.Validate(valueOf(t, run)); err != nil {
			t.Errorf("compared: %v", err)
		}
	}
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
	if err := json.Unmarshal(good, &object); err != nil {
		t.Fatal(err)
	}
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
	if err := json.Unmarshal(printedBy(t, dir, "run", "x.yaml"), &got); err != nil {
		t.Fatal(err)
	}
	want := []expectation{{"mutual-exclusion", "kept", false}, {"progress", "kept", true}}
	if len(got.Locks) != 1 || !reflect.DeepEqual(got.Locks[0].Expectations, want) || got.Versions.Checker < 1 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
