package faults

import (
	"testing"

	"lockstep/internal/must"
)

// Names covers every place in which a scenario can name a node: the engine follows the holder only
// if some fault names it.
func TestNamesOfAFault(t *testing.T) {
	f := Fault{
		Trigger: Trigger{Moment: InSection, Subject: "A"},
		Target:  "B",
		Args:    Args{Sides: [][]string{{"C", "D"}, {"store"}}},
		End:     End{Until: &Trigger{Moment: Acquires, Subject: "E"}},
	}
	must.Slices(t, f.Names(), []string{"A", "B", "C", "D", "store", "E"})
	if namesHolder(&f) {
		t.Error("the fault does not name the holder")
	}
	for i, set := range []func(f *Fault, name string){
		func(f *Fault, name string) { f.Trigger.Subject = name },
		func(f *Fault, name string) { f.Target = name },
		func(f *Fault, name string) { f.Args.Sides = [][]string{{"A"}, {"B", name}} },
		func(f *Fault, name string) { f.End.Until = &Trigger{Moment: Acquires, Subject: name} },
	} {
		for _, name := range []string{TheHolder, NextHolder} {
			f := f
			if set(&f, name); !namesHolder(&f) {
				t.Errorf("place %d: %s is not seen", i+1, name)
			}
		}
	}
}
