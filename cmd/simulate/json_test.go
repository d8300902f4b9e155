package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lockstep/internal/must"
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
