package schema_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/faults"
	"lockstep/internal/must"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/scenario"
	"lockstep/internal/schema"
)

const root = "../.."

// committed is where the schema is kept for editors.
const committed = "schema/scenario.schema.json"

func TestTheCommittedSchemasAreUpToDate(t *testing.T) {
	for _, d := range schema.Documents() {
		want := must.Get(schema.JSON(d.Schema()))(t)
		path := "schema/" + d.Name + ".schema.json"
		got, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Error(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is stale: run go run ./cmd/simulate dev schema %s > %s", path, d.Name, path)
		}
	}
}

// scenarioFiles are all scenarios of the repository.
func scenarioFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(filepath.Join(root, "scenarios"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".yaml") {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 50 {
		t.Fatal(len(files), "scenarios", err)
	}
	return files
}

// TestAcceptsEveryScenario validates each file as it is and with every default filled in, and
// checks the first line, by which an editor finds the schema.
func TestAcceptsEveryScenario(t *testing.T) {
	v := newValidator(t)
	for _, file := range scenarioFiles(t) {
		data := must.Get(os.ReadFile(file))(t)
		first, _, _ := strings.Cut(string(data), "\n")
		path, ok := strings.CutPrefix(first, "# yaml-language-server: $schema=")
		if !ok || filepath.Join(filepath.Dir(file), path) != filepath.Join(root, committed) {
			t.Errorf("%s has to begin with # yaml-language-server: $schema= and the path of %s", file, committed)
		}
		for _, problem := range v.problems(t, data) {
			t.Errorf("%s: %s", file, problem)
		}
		p, err := scenario.Parse(file, data)
		if err != nil {
			t.Error(err)
			continue
		}
		resolved := scenario.Resolved(p)
		for _, problem := range v.problems(t, []byte(resolved)) {
			t.Errorf("%s, resolved: %s\n%s", file, problem, resolved)
		}
	}
}

// TestRefusesBadFiles compares the problems of each bad file with its golden, and with the places
// in the head of the file.
func TestRefusesBadFiles(t *testing.T) {
	v := newValidator(t)
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) < 30 {
		t.Fatal(len(files), "bad files", err)
	}
	for _, file := range files {
		data := must.Get(os.ReadFile(file))(t)
		got := v.problems(t, data)
		checkPlaces(t, file, string(data), got)
		if _, err := scenario.Parse(file, data); err == nil {
			t.Errorf("%s: simulate run --dry-run accepts what the schema is to refuse", file)
		}
		golden := "bad/" + strings.TrimSuffix(filepath.Base(file), ".yaml") + ".txt"
		reporttest.Golden(t, golden, []byte(strings.Join(got, "\n")+"\n"))
	}
}

// checkPlaces compares the places of problems with the lines "# at /place".
func checkPlaces(t *testing.T, file, data string, problems []string) {
	t.Helper()
	want := map[string]bool{}
	for line := range strings.Lines(data) {
		if place, ok := strings.CutPrefix(strings.TrimSpace(line), "# at "); ok {
			want[place] = false
		}
	}
	if len(want) == 0 {
		t.Errorf("%s has no \"# at\" line", file)
	}
	for _, p := range problems {
		place, _, _ := strings.Cut(p, "  ")
		if _, ok := want[place]; !ok {
			t.Errorf("%s: a problem at another place: %s", file, p)
		}
		want[place] = true
	}
	for place, seen := range want {
		if !seen {
			t.Errorf("%s: nothing is refused at %s", file, place)
		}
	}
}

// TestVerbsExplainThemselves: the schema has a valid example of every verb.
func TestVerbsExplainThemselves(t *testing.T) {
	v := newValidator(t)
	data := must.Get(schema.JSON(schema.Scenario()))(t)
	for _, spec := range faults.All() {
		if !strings.Contains(string(data), `"label": "`+spec.Name+`"`) {
			t.Errorf("the schema offers no example of %s: is it one fault in YAML?\n%s", spec.Name, spec.Example)
		}
		file := "scenario: x\nfaults:\n" + spec.Example + "\n"
		for _, problem := range v.problems(t, []byte(file)) {
			t.Errorf("the example of %s: %s", spec.Name, problem)
		}
	}
}
