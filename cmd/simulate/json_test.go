package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/report/export"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/scenario/scenariotest"
)

// sources is the folder of lockstep, which a program built with -trimpath does not know.
var sources, _ = filepath.Abs("../..")

// jsonRuns are run with --json, in this order, in one folder.
var jsonRuns = []struct {
	args []string
	exit int
}{
	{[]string{"run", "pause-past-lease"}, exitMet},
	{[]string{"run", "pause-past-lease", "crash-before-del"}, exitMet},
	{[]string{"run", "pause-past-lease", "--times", "3"}, exitMet},
	{[]string{"run", "pause-past-lease", "crash-before-del", "--times", "2", "--quiet"}, exitMet},
	{[]string{"run", "pause-past-lease", "--lock", "set-nx-lua"}, exitMet},
	{[]string{"run", "untested.yaml"}, exitInconclusive},
	{[]string{"run", "some"}, exitMet},
	{[]string{"run", filepath.Join(sources, "scenarios/regressions/primary-storm-set-wait.yaml"), "--playable"}, exitMet},
	{[]string{"run", "redlock-storm"}, exitMet},
	{[]string{"run", "missed.yaml"}, exitMissed},
	{[]string{"run", "--dry-run", "missed.yaml", "pause-past-lease"}, exitMet},
	{[]string{"run", "--dry-run", "bad.yaml"}, exitUsage},
	{[]string{"list", "locks"}, exitMet},
	{[]string{"list", "bugs"}, exitMet},
	{[]string{"list", "faults"}, exitMet},
	{[]string{"list", "moments"}, exitMet},
	{[]string{"list", "properties"}, exitMet},
	{[]string{"list", "scenarios"}, exitMet},
	{[]string{"list", "runs"}, exitMet},
	{[]string{"list", "runs", "--out", "nowhere"}, exitMet},
	{[]string{"list", "runs", "--prune-to", "0"}, exitMet},
	{[]string{"explain", "reports/latest"}, exitMet},
	{[]string{"explain", "pause-past-lease"}, exitMet},
	{[]string{"report", "reports/latest"}, exitMissed},
	{[]string{"report", "--replay", "reports/latest"}, exitMet},
	{[]string{"check", "reports/latest/history.jsonl"}, exitMissed},
	{[]string{"check", "overlap.csv", "--clock-error", "1ms"}, exitMissed},
	{[]string{"check", "alone.csv", "reports/latest/history.jsonl"}, exitMissed},
	{[]string{"check", "alone.csv"}, exitInconclusive},
	{[]string{"matrix", "--lock", "setnx", "--fault", "CC", "--seeds", "1"}, exitMet},
	{[]string{"matrix", "--scripts", "--lock", "setnx", "--fault", "CC"}, exitMet},
	{[]string{"dev", "claims", "--claim", "18"}, exitMet},
	{[]string{"dev", "claims", "--claim", "18", "--shard", "1/1", "--part", "part.json"}, exitMet},
	{[]string{"dev", "merge", "part.json"}, exitMet},
	{[]string{"search", "redlock-storm", "--seeds", "1"}, exitMissed},
	{[]string{"sweep", "pause-against-lease", "--seeds", "1"}, exitMet},
	{[]string{"explore", "set-nx-lua", "--only", "evict"}, exitMet},
	{[]string{"advise"}, exitMet},
	{[]string{"advise", "--expect", "pause"}, exitMet},
	{[]string{"advise", "--have", "kubernetes", "--if-two", "damage", "--tokens", "yes"}, exitMet},
	{[]string{"tour", "1"}, exitMet},
	{[]string{"new", "scenario", "my-story"}, exitMet},
	{[]string{"new", "adapter", "my-adapter", "--source", sources}, exitMet},
	{[]string{"new", "adapter", "my-program", "--in", "python"}, exitMet},
	{[]string{"dev", "schema"}, exitMet},
	{[]string{"doctor"}, exitMet},
}

// noJSON are the commands without output for programs.
var noJSON = []string{"simulate", "completion", "bash", "zsh", "fish", "powershell", "help", "dev", "docs", "test", "work"}

// Every command with --json prints exactly one JSON value, and every kind of result, printed and
// stored, follows the schema. (docs needs the sources: see its script.)
func TestJSONIsOneValue(t *testing.T) {
	printed, stored := resultSchemas(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"missed.yaml": fmt.Sprintf(quick, "kept"),
		"untested.yaml": "scenario: x\nlocks: [set-nx-lua]\nclients: [A, B]\n" +
			"faults: [{when: A wakes, slow: A, by: 15s}]\nexpect: {set-nx-lua: {mutual-exclusion: kept}}\n",
		"some/no.yaml":  "scenario: x\nlocks: [setnx]\n",
		"some/lib.yaml": "scenario: x\nlocks: [redsync, setnx]\n",
		"bad.yaml":      "scenario: x\nlocks: [nothing]\n",
		"alone.csv":     "time,client,lock,event\n2026-03-01T10:00:00Z,A,jobs,acquired\n2026-03-01T10:00:05Z,A,jobs,released\n",
		"overlap.csv":   "time,client,lock,event\n2026-03-01T10:00:00Z,A,jobs,acquired\n2026-03-01T10:00:03Z,B,jobs,acquired\n2026-03-01T10:00:05Z,A,jobs,released\n",
	} {
		writeIn(t, filepath.Join(dir, name), text)
	}
	// serve does not end by itself, and compare-worlds needs real servers: they have their own
	// tests.
	asked := append(slices.Clone(noJSON), "serve", "compare-worlds")
	for _, tt := range jsonRuns {
		asked = append(asked, tt.args[0])
		if tt.args[0] == "dev" {
			asked = append(asked, tt.args[1])
		}
		cmd := simulate(t, dir, append(tt.args, "--json")...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if code(err) != tt.exit || stderr.Len() > 0 {
			t.Errorf("%v: %v, want exit code %d; stderr: %s", tt.args, err, tt.exit, stderr.String())
		}
		d := json.NewDecoder(bytes.NewReader(out))
		var value any
		if err := d.Decode(&value); err != nil {
			t.Errorf("%v: %v:\n%s", tt.args, err, out)
			continue
		}
		if _, err := d.Token(); err != io.EOF {
			t.Errorf("%v: the JSON is followed by something: %v", tt.args, err)
		}
		judged := tt.args[0] == "run" && tt.args[1] != "--dry-run" ||
			tt.args[0] == "report" && tt.args[1] != "--replay"
		if judged {
			if err := printed.Validate(valueOf(t, out)); err != nil {
				t.Errorf("%v: %v", tt.args, err)
			}
		}
		if object, ok := value.(map[string]any); ok && object["schema"] == nil && object["$schema"] == nil {
			t.Errorf("%v: the object has no version", tt.args)
		}
	}
	for _, cmd := range everyCommand() {
		if !slices.Contains(asked, cmd.Name()) {
			t.Errorf("no test runs %s with --json", cmd.CommandPath())
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "reports/*/*/result.json"))
	if err != nil || len(files) < 12 {
		t.Fatal(len(files), "stored results,", err)
	}
	for _, file := range files {
		data := must.Get(os.ReadFile(file))(t)
		if err := stored.Validate(valueOf(t, data)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	var comparison struct {
		Runs []any `json:"runs"`
	}
	out := printedBy(t, dir, "report", filepath.Dir(files[0]), filepath.Dir(files[1]))
	if err := json.Unmarshal(out, &comparison); err != nil || len(comparison.Runs) != 2 {
		t.Fatal(len(comparison.Runs), "runs compared,", err)
	}
	for _, run := range comparison.Runs {
		if err := stored.Validate(run); err != nil {
			t.Errorf("compared: %v", err)
		}
	}
}

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
	t.Parallel()
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
