package locks

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const aLibrary = `// Lock a-lock
//
// Library: example.org/a/lock
// Store: redis
// Lease: 1ms
//
// Idea: something.

package libraries
`

func TestReadLibrary(t *testing.T) {
	v, ok := readLibrary("libraries/a_lock.go", aLibrary)
	want := Variant{
		ID: "a-lock", File: "libraries/a_lock.go", Library: "example.org/a/lock",
		Store: StoreRedis, LeaseUnit: time.Millisecond,
	}
	if !ok || fmt.Sprint(v) != fmt.Sprint(want) {
		t.Errorf("got %v %v, want %v", ok, v, want)
	}
	for _, source := range []string{"package libraries\n", "// Package libraries is code.\npackage libraries\n"} {
		if v, ok := readLibrary("x.go", source); ok {
			t.Errorf("%q does not describe a lock, got %v", source, v)
		}
	}
}

// Mistakes in the comment of a library panic at start.
func TestReadLibraryFindsMistakes(t *testing.T) {
	for old, bad := range map[string]string{
		"// Library: example.org/a/lock\n": "", "Store: redis": "Store: radish", "Lease: 1ms": "Lease: short", "Lease: 1ms\n": "Lease: 1ms\n// Bug: none-that-is-known\n",
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.HasPrefix(said, "locks: x.go") {
					t.Errorf("%q: %s", old, said)
				}
			}()
			readLibrary("x.go", strings.Replace(aLibrary, old, bad, 1))
		}()
	}
}

// Every list of locks is sorted, with the misprints last.
func TestMisprintsStandLast(t *testing.T) {
	for _, all := range [][]Variant{All(), Known(), Simulated()} {
		misprints := 0
		for i, v := range all {
			if Misprint(v.ID) {
				misprints++
			}
			if i > 0 && Misprint(all[i-1].ID) == Misprint(v.ID) && all[i-1].ID >= v.ID || misprints > 0 && !Misprint(v.ID) {
				t.Errorf("%s is in the wrong place", v.ID)
			}
		}
		if misprints < 12 || misprints > len(all)/2 {
			t.Errorf("%d misprints of %d locks", misprints, len(all))
		}
	}
}

func TestLibrariesAreVariantsThatNoSimulatorPlays(t *testing.T) {
	simulated := map[string]bool{}
	for _, v := range Simulated() {
		simulated[v.ID] = true
	}
	count := 0
	for _, v := range All() {
		err := v.CheckSimulated()
		if (err == nil) != simulated[v.ID] || (err == nil) != (v.New != nil) {
			t.Errorf("%s: simulated %v, has code %v, refused: %v", v.ID, simulated[v.ID], v.New != nil, err)
		}
		if err != nil {
			count++
			if text := err.Error(); !strings.Contains(text, v.Library) || !strings.Contains(text, "--backend process") {
				t.Errorf("%s: the refusal names no library or no cure: %s", v.ID, text)
			}
		}
	}
	if count < 2 {
		t.Errorf("%d libraries are registered", count)
	}
}
