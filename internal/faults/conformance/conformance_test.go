package conformance

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"lockstep/internal/faults"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/sim"
)

// each runs a test for each case and its plan.
func each(t *testing.T, do func(t *testing.T, c *Case, p *plan.Plan)) {
	for _, c := range Cases() {
		t.Run(c.Name(), func(t *testing.T) {
			p := c.Plan(t)
			if c.About(p) == 0 {
				t.Fatalf("its story has no fault %s", c.Verb)
			}
			do(t, &c, p)
		})
	}
}

func TestTheSimulatorDoesWhatVerbsSay(t *testing.T) {
	each(t, func(t *testing.T, c *Case, p *plan.Plan) {
		h := must.Get(sim.Run(p, c.Lock, 1))(t)
		for _, wrong := range c.Judge(p, h) {
			t.Error(wrong)
		}
	})
}

// A case that passes in a world in which the verb does nothing, or is not undone, proves nothing.
func TestACaseNoticesAVerbThatDoesNothing(t *testing.T) {
	each(t, func(t *testing.T, c *Case, p *plan.Plan) {
		f := &p.Faults[c.About(p)-1]
		made := f.Spec()
		seen := func(idle bool) *Seen {
			verb := made
			if verb.End = nil; idle {
				verb.Begin = func(faults.World, faults.Args, faults.Activation) {}
			}
			f.Verb = verb.Verb()
			return See(must.Get(sim.Run(p, c.Lock, 1))(t), f.Number)
		}
		if c.During(seen(true)) == "" {
			t.Error("During accepts a verb without effect")
		}
		if f.End != (faults.End{}) && c.After(seen(false)) == "" {
			t.Error("After accepts a verb whose effect lasts")
		}
	})
}

// Without a case for a verb, or for a method of the port, the worlds may not implement it.
func TestEveryVerbAndEveryMethodOfThePortHasItsCase(t *testing.T) {
	cases := map[string]bool{}
	for _, c := range Cases() {
		cases[c.Verb] = true
	}
	called := map[string]bool{}
	for _, file := range sources(t, "..") {
		verb, calls := readVerb(file)
		if verb != "" && !cases[verb] {
			continue // reported below
		}
		for _, method := range calls {
			called[method] = true
		}
	}
	for _, s := range faults.All() {
		if !cases[s.Name] {
			t.Errorf("the verb %s has no case: add one to a table in internal/faults/conformance (processes_test.go, "+
				"messages_test.go, partitions_test.go, servers_test.go, clocks_test.go) with what changes while it is on, "+
				"and what is as before when it is over", s.Name)
		}
	}
	port := reflect.TypeFor[faults.World]()
	for i := range port.NumMethod() {
		if name := port.Method(i).Name; !called[name] {
			t.Errorf("no verb with a case calls the method %s of the port faults.World: "+
				"write the verb's case in internal/faults/conformance, or remove the method", name)
		}
	}
}

// readVerb returns the name of the verb that a file registers, "" for none, and the names of the
// methods and imported functions that it calls.
func readVerb(file *ast.File) (verb string, calls []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok {
				calls = append(calls, s.Sel.Name)
			}
		case *ast.KeyValueExpr:
			key, _ := n.Key.(*ast.Ident)
			value, _ := n.Value.(*ast.BasicLit)
			if key != nil && value != nil && key.Name == "Name" && verb == "" {
				verb = strings.Trim(value.Value, `"`)
			}
		}
		return true
	})
	return verb, calls
}

// sources returns the files of a package without its tests.
func sources(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files in %s, %v", len(names), dir, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file := must.Get(parser.ParseFile(token.NewFileSet(), name, nil, 0))(t)
		files = append(files, file)
	}
	return files
}
