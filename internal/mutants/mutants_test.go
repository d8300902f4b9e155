package main

import (
	"strings"
	"testing"
)

// Every mutation of the list has its place in the code as it is now, once.
func TestTheListApplies(t *testing.T) {
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
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
		if _, err := m.apply("../.."); err != nil {
			t.Error(err)
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
