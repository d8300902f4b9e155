package tidy

import (
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// A lock, a fault or a property needs one file and one scenario. These tests find a missing one.

func TestEveryLockIsDocumentedInItsFile(t *testing.T) {
	for _, v := range locks.Known() {
		d := v.Doc(say.English)
		for heading, text := range map[string]string{
			"Idea": d.Idea, "Protocol": strings.Join(d.Protocol, " "), "Guarantees": d.Guarantees,
			"Breaks when": d.BreaksWhen, "Source": d.Source,
		} {
			if len(text) < 20 {
				t.Errorf("%s (internal/locks/%s): the heading %q is missing or empty in the comment at the top", v.ID, v.File, heading)
			}
		}
		want := "libraries/" + strings.ReplaceAll(v.ID, "-", "_") + ".go"
		if v.Library != "" && v.File != want {
			t.Errorf("%s is in %s, and not in %s", v.ID, v.File, want)
		}
	}
}

// A published bug has one story: it is caught there, and its fixed form keeps just what breaks.
func TestEveryPublishedBugHasItsStory(t *testing.T) {
	stories := map[string]*plan.Plan{}
	for _, p := range scenarios(t) {
		stories[strings.TrimSuffix(filepath.Base(p.File), ".yaml")] = p
	}
	for _, v := range locks.Known() {
		if v.Library != "" && v.Bug != nil && len(verdicts(stories[v.ID], v.ID, checker.Broken)) == 0 {
			t.Errorf("%s is not caught: write scenarios/libraries/%s.yaml", v.ID, v.ID)
		}
	}
	for _, v := range locks.Bugs() {
		p := stories[v.ID]
		if p == nil || filepath.Base(filepath.Dir(p.File)) != "bugs" {
			t.Errorf("%s has no story: write scenarios/bugs/%s.yaml", v.ID, v.ID)
			continue
		}
		broken, kept := verdicts(p, v.ID, checker.Broken), verdicts(p, v.Bug.Fixed, checker.Kept)
		if len(broken) == 0 {
			t.Errorf("%s does not expect %s to break anything", p.File, v.ID)
		}
		for property := range broken {
			if !kept[property] {
				t.Errorf("%s does not expect its fixed form %s to keep %s", p.File, v.Bug.Fixed, property)
			}
		}
		if v.Bug.Library == "" || v.Bug.Has == "" || !strings.HasPrefix(v.Bug.Issue, "https://") {
			t.Errorf("%s (internal/locks/%s) does not say which library has the bug, in which version, or where it was published", v.ID, v.File)
		}
	}
}

// verdicts are the properties of which a scenario, if there is one, expects one verdict of a lock.
func verdicts(p *plan.Plan, lock string, verdict checker.Verdict) map[string]bool {
	of := map[string]bool{}
	if p != nil && slices.Contains(p.Locks, lock) {
		said, _ := p.ExpectationsFor(lock)
		for _, e := range said {
			if e.Verdict == string(verdict) {
				of[e.Property] = true
			}
		}
	}
	return of
}

// A lock that no scenario breaks is not tested: any lock with a lease breaks somehow.
func TestEverythingRegisteredHasAScenario(t *testing.T) {
	played, caught, judged, used := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, p := range scenarios(t) {
		for _, id := range p.Locks {
			played[id] = true
		}
		for _, e := range said(p) {
			judged[e.Property] = true
			caught[e.Lock] = caught[e.Lock] || e.Verdict == string(checker.Broken)
		}
		for _, f := range p.Faults {
			used[f.Verb.Name()] = true
		}
	}
	for _, v := range locks.All() {
		if !played[v.ID] {
			t.Errorf("no scenario plays the lock %s", v.ID)
		}
		if !caught[v.ID] {
			t.Errorf("no scenario shows how %s breaks", v.ID)
		}
	}
	for _, p := range checker.All() {
		if !judged[p.ID] {
			t.Errorf("no scenario expects anything of the property %s", p.ID)
		}
	}
	for _, s := range faults.All() {
		if !used[s.Name] {
			t.Errorf("no scenario uses the fault %s", s.Name)
		}
	}
}

// said returns what a scenario expects of its locks.
func said(p *plan.Plan) (all []plan.Expectation) {
	for _, lock := range p.Locks {
		of, _ := p.ExpectationsFor(lock)
		all = append(all, of...)
	}
	return all
}

func scenarios(t *testing.T) []*plan.Plan {
	t.Helper()
	var plans []*plan.Plan
	must.Do(t, filepath.WalkDir(filepath.Join(root, "scenarios"), func(p string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, ".yaml") {
			return err
		}
		loaded, err := scenario.Load(p)
		if err != nil {
			return err
		}
		plans = append(plans, loaded)
		return nil
	}))
	return plans
}

// Files and functions fit on a few screens.
func TestFilesStayReadable(t *testing.T) {
	for _, s := range sources(t) {
		if !s.test && s.lines > 400 {
			t.Errorf("%s has %d lines, more than 400: split it by what its parts are about", s.path, s.lines)
		}
		for _, d := range s.file.Decls {
			if lines := s.set.Position(d.End()).Line - s.set.Position(d.Pos()).Line + 1; !s.test && lines > 70 {
				if f, ok := d.(*ast.FuncDecl); ok {
					t.Errorf("%s: %s has %d lines, more than 70", s.at(d), f.Name.Name, lines)
				}
			}
		}
	}
}

// Addresses of machines and hosts do not belong into a repository.
func TestNothingNamesAMachine(t *testing.T) {
	home := "/" + "work/"
	must.Do(t, filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" && !d.IsDir() { // of a second work tree
			return nil
		}
		if d.IsDir() {
			if name := d.Name(); p != root && (name == ".git" || name == "bin" || name == "reports") {
				return filepath.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		if strings.Contains(string(data), home) {
			t.Errorf("%s names a directory of a developer's machine (%s...)", p, home)
		}
		return nil
	}))
}
