// Mutants seeds bugs and checks that the tests notice, since a test that checks nothing passes,
// too. Each mutation of the list changes a few words, after which a user would believe something
// wrong: a dropped reply arrives, a lease is one millisecond longer, an unknown verdict looks
// kept. It is compiled in place of the file that it changes (go test -overlay), so the work tree
// stays unchanged. Its old text has to occur exactly once, which make unit checks.
//
// Tools that generate mutations find thousands, because they change every operator; most are
// harmless or equivalent, and are never read. Here each one is chosen for a reason. Only a failed
// assertion kills: a mutation that does not build, or hangs, does not show what is wrong.
package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
)

// mutation is one seeded bug.
type mutation struct {
	Name    string   `yaml:"name"`
	Belief  string   `yaml:"belief"` // what a user would wrongly believe
	File    string   `yaml:"file"`   // from the root of the repository
	Old     string   `yaml:"old"`    // occurs in the file exactly once
	New     string   `yaml:"new"`
	Killers []string `yaml:"killed by"` // arguments of go test, the fastest first
}

//go:embed list/*.yaml
var lists embed.FS

// load reads all mutations, in the order of files and lines.
func load() ([]mutation, error) {
	files, err := fs.Glob(lists, "list/*.yaml")
	if err != nil {
		return nil, err
	}
	var all []mutation
	for _, name := range files {
		text, err := lists.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var some []mutation
		if err := yaml.UnmarshalWithOptions(text, &some, yaml.Strict()); err != nil {
			return nil, fmt.Errorf("internal/tidy/mutants/%s: %w", name, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// choose returns the mutations whose name or file matches the pattern, and of every n of them only
// the k-th for the part "k/n". The pattern "" matches all.
func choose(all []mutation, pattern, part string) ([]mutation, error) {
	var k, n int
	if _, err := fmt.Sscanf(part+" .", "%d/%d .", &k, &n); err != nil || k < 1 || k > n {
		return nil, fmt.Errorf("PART: %q is not K/N with 1 <= K <= N, for instance 2/4", part)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("MUTANTS: %w", err)
	}
	var some []mutation
	for _, m := range all {
		if re.MatchString(m.Name) || re.MatchString(m.File) {
			some = append(some, m)
		}
	}
	if len(some) == 0 {
		return nil, fmt.Errorf("MUTANTS: no mutation has a name or a file that matches %q", pattern)
	}
	var chosen []mutation
	for i := k - 1; i < len(some); i += n {
		chosen = append(chosen, some[i])
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("PART: %d mutations match %q, so there is no part %s", len(some), pattern, part)
	}
	return chosen, nil
}

// apply returns the text of the mutated file.
func (m *mutation) apply(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
	if err != nil {
		return "", fmt.Errorf("%s: %w", m.Name, err)
	}
	return m.replace(string(text))
}

// replace mutates the text of the file. An old text that does not occur exactly once is an error:
// the code has changed, and the mutation has to change, too.
func (m *mutation) replace(text string) (string, error) {
	old, replaced := strings.TrimSuffix(m.Old, "\n"), strings.TrimSuffix(m.New, "\n")
	if n := strings.Count(text, old); n != 1 {
		return "", fmt.Errorf("%s: its old text is in %s %d times, want once: let it follow the code, in internal/tidy/mutants/list", m.Name, m.File, n)
	}
	return strings.Replace(text, old, replaced, 1), nil
}

// check validates a mutation of the list.
func (m *mutation) check() error {
	switch {
	case m.Name == "" || m.Belief == "" || m.Old == "" || len(m.Killers) == 0:
		return fmt.Errorf("%s: it needs a name, a belief, an old text and who kills it", m.Name)
	case m.Old == m.New:
		return fmt.Errorf("%s: it changes nothing", m.Name)
	case path.Ext(m.File) != ".go" || strings.HasSuffix(m.File, "_test.go"):
		return fmt.Errorf("%s: %s is no code that is tested", m.Name, m.File)
	}
	return nil
}
