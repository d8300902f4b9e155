package scenario

import (
	"slices"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/plan"
)

// Each lock is played once for each resource. Expectations of a lock hold for those of its
// resources that have none.
func TestALockIsOneOfEachResource(t *testing.T) {
	p := must.Get(Load("testdata/good/resources.yaml"))(t)
	want := []string{"set-nx-lua@orders", "set-nx-lua@stock", "set-nx-lua@mail", "etcd-mutex@stock"}
	if !slices.Equal(p.Locks, want) {
		t.Errorf("locks %v, want %v", p.Locks, want)
	}
	for lock, property := range map[string]string{"set-nx-lua@orders": "progress", "set-nx-lua@stock": "progress", "set-nx-lua@mail": "mutual-exclusion"} {
		if said, _ := p.ExpectationsFor(lock); len(said) != 1 || said[0].Property != property {
			t.Errorf("%s: %v, want %s", lock, said, property)
		}
	}
	if said, ok := p.ExpectationsFor("etcd-mutex@stock"); len(said) > 0 || !ok {
		t.Errorf("etcd-mutex@stock: %v", said)
	}
	if v, ok := p.Lock("set-nx-lua@stock"); !ok || v.Resource != "stock" || v.ID != "set-nx-lua@stock" {
		t.Errorf("%v, %v", v, ok)
	}
	if _, ok := p.Lock("set-nx-lua@nobody"); ok {
		t.Error("a lock of a resource that no client works on")
	}
	again, err := Parse("resources.yaml", []byte(Resolved(p)))
	if err != nil || !slices.Equal(again.Locks, want) || !slices.Equal(again.Resources(), p.Resources()) {
		t.Errorf("%v: %v", again, err)
	}
	if one := plan.Default(); !slices.Equal(one.LocksPerResource([]string{"set-nx-lua"}), []string{"set-nx-lua"}) {
		t.Error("one resource, and its lock has two names")
	}
}
