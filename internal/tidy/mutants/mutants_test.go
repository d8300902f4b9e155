package main

import (
	"cmp"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// Every mutation of the list has its place in the code as it is now, once.
func TestTheListApplies(t *testing.T) {
	all := must.Get(load())(t)
	if len(all) < 45 {
		t.Errorf("%d mutations: the list has become short", len(all))
	}
	seen := map[string]bool{}
	for i := range all {
		m := &all[i]
		if err := m.check(); err != nil {
			t.Error(err)
		}
		if seen[m.Name] {
			t.Errorf("two mutations are called %s", m.Name)
		}
		seen[m.Name] = true
		if _, err := m.apply("../../.."); err != nil {
			t.Error(err)
		}
	}
}

// What a mutation writes exists: a rename leaves old names in the list. All mutations of a package
// are applied together, since its types are checked as a whole; one that changes what another has
// changed waits for the next round.
func TestTheListCompiles(t *testing.T) {
	packages := map[string][]mutation{}
	for _, m := range must.Get(load())(t) {
		dir := filepath.Join("../../..", filepath.Dir(m.File))
		packages[dir] = append(packages[dir], m)
	}
	for dir, waiting := range packages {
		before := typeErrors(t, dir, nil)
		for len(waiting) > 0 {
			texts := map[string]string{} // by file
			round := waiting
			waiting = nil
			for _, m := range round {
				text, err := m.replace(cmp.Or(texts[m.File], string(must.Get(os.ReadFile(filepath.Join("../../..", m.File)))(t))))
				if err != nil {
					waiting = append(waiting, m)
					continue
				}
				texts[m.File] = text
			}
			if len(texts) == 0 {
				break // TestTheListApplies says why
			}
			for _, problem := range typeErrors(t, dir, texts) {
				if !slices.Contains(before, problem) {
					t.Errorf("a mutation of %s does not compile: %s", filepath.ToSlash(dir), problem)
				}
			}
		}
	}
}

// typeErrors are the errors of a package without positions, with these texts in place of files.
// There is no importer, so some are about imports, and what comes from other packages is not checked.
func typeErrors(t *testing.T, dir string, texts map[string]string) (problems []string) {
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range must.Get(filepath.Glob(filepath.Join(dir, "*.go")))(t) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		var source any // nil: what is in the file
		if text, mutated := texts[filepath.ToSlash(strings.TrimPrefix(path, "../../../"))]; mutated {
			source = text
		}
		f, err := parser.ParseFile(set, path, source, 0)
		if err != nil {
			t.Error(err)
			return nil
		}
		files = append(files, f)
	}
	config := types.Config{Error: func(err error) {
		var problem types.Error
		if errors.As(err, &problem) {
			problems = append(problems, problem.Msg)
		}
	}}
	pkg, _ := config.Check("", set, files, nil) // its error is the first of the problems
	return slices.DeleteFunc(problems, func(problem string) bool {
		missing := missingMember.FindStringSubmatch(problem)
		return missing != nil && token.IsExported(missing[2]) && embedsAnImport(pkg.Scope().Lookup(missing[1]))
	})
}

var missingMember = regexp.MustCompile(`type \*?(\w+) has no field or method (\w+)`)

// embedsAnImport tells whether a type is a struct with an embedded one of another package, whose
// exported members are not known here.
func embedsAnImport(declared types.Object) bool {
	if declared == nil {
		return false
	}
	fields, ok := declared.Type().Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for field := range fields.Fields() {
		if field.Embedded() && field.Type() == types.Typ[types.Invalid] {
			return true
		}
	}
	return false
}

// The parts together are the whole list, each mutation once.
func TestPartsOfTheList(t *testing.T) {
	all := []mutation{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}}
	var names []string
	for _, part := range []string{"1/3", "2/3", "3/3"} {
		some := must.Get(choose(all, "", part))(t)
		for _, m := range some {
			names = append(names, m.Name)
		}
	}
	must.Equalf(t, strings.Join(names, ""), "adbec", "the parts are")
	for _, part := range []string{"", "0/3", "4/3", "2", "x/y", "1/3x", "6/6"} {
		if some, err := choose(all, "", part); err == nil {
			t.Errorf("part %q: %d mutations and no error", part, len(some))
		}
	}
}

func TestAMutationHasItsPlaceOnce(t *testing.T) {
	m := mutation{Name: "m", File: "list.go", Old: "package main\n", New: "package other\n"}
	text, err := m.apply(".")
	if err != nil || !strings.Contains(text, "\npackage other\n\nimport") {
		t.Errorf("%v, %.80s", err, text)
	}
	for _, old := range []string{"nowhere in " + "the file", "return"} {
		m.Old = old
		if _, err := m.apply("."); err == nil {
			t.Errorf("%q is there exactly once", old)
		}
	}
}

// toy is a module with one function and a test that looks at half of it.
func toy(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module toy\n\ngo 1.26.0\n",
		"sign.go": "package toy\n\nfunc Sign(n int) int {\n\tif n < 0 {\n\t\treturn -1\n\t}\n\treturn 1\n}\n",
		"sign_test.go": "package toy\n\nimport \"testing\"\n\nfunc TestSign(t *testing.T) {\n\tif Sign(-3) != -1 {\n\t\tt.Error(\"-3\")\n\t}\n}\n\n" +
			"func TestPinnedHashes(t *testing.T) {\n\tif Sign(3) != 1 {\n\t\tt.Error(\"3\")\n\t}\n}\n",
	} {
		must.Do(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	return root
}

// A mutation is killed by a test that fails, and by nothing else; the file on the disk
// stays as it is.
func TestWhatKillsAMutation(t *testing.T) {
	root := toy(t)
	for _, tt := range []struct{ name, old, new, by, problem string }{
		{"seen", "return -1", "return 1", "TestSign", ""},
		{"not looked at, but by a pinned hash", "return 1", "return 2", "", "SURVIVES"},
		{"no program", "return -1", "return", "", "DOES NOT BUILD"},
		{"a panic in a test", "return -1", "panic(n)", "TestSign", ""},
		{"gone", "return 7", "return 8", "", "0 times"},
	} {
		m := mutation{Name: "m", Belief: "b", File: "sign.go", Old: tt.old, New: tt.new, Killers: []string{"."}}
		by, err := m.play(t.Context(), root, t.TempDir())
		if by != tt.by || (err == nil) != (tt.problem == "") || err != nil && !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%s: killed by %q, %v; want %q, %s", tt.name, by, err, tt.by, tt.problem)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(root, "sign.go")); !strings.Contains(string(text), "return -1") {
		t.Errorf("the file has become\n%s", text)
	}
}

// What fails anyway kills nothing, nor does what runs no test.
func TestKillersAreHealthy(t *testing.T) {
	root := toy(t)
	for killer, problem := range map[string]string{
		".": "", ". -run TestNobody": "runs no test", "./nowhere": "without a mutation",
	} {
		err := healthy(t.Context(), root, t.TempDir(), []mutation{{Killers: []string{killer}}})
		if (err == nil) != (problem == "") || err != nil && !strings.Contains(err.Error(), problem) {
			t.Errorf("go test %s: %v, want %q", killer, err, problem)
		}
	}
}
