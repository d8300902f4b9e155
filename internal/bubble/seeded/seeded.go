// Package seeded makes a Go runtime whose choices follow a seed: an overlay for `go test -overlay`,
// generated from the sources of the Go that is installed. Within a bubble of testing/synctest, with
// one thread (GOMAXPROCS=1), every random choice of Go is then repeatable: which case of a
// select is taken, the order of timers that are due at the same time and of goroutines at a
// semaphore, math/rand, where an iteration over a map begins, and when a goroutine is preempted,
// which is never.
//
// Each edit has to fit exactly one place. A Go in which one does not is refused, and plain `go test`
// is all that there is.
package seeded

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Tag is the build tag under which code may use runtime.BubbleSeed.
const Tag = "lockstepseeded"

// edit replaces one place of a file of the standard library.
type edit struct{ file, old, new string }

// edits are all of them, in the words of Go 1.26.
var edits = []edit{
	// A bubble draws random numbers from a stream of its own.
	{"runtime/synctest.go", "	root    *g     // caller of synctest.Run\n", "	root    *g     // caller of synctest.Run\n	luck    uint64 // seeded choices\n"},
	{"runtime/synctest.go", "		root:    gp,\n	}\n	const synctestBaseTime", "		root:    gp,\n		luck:    BubbleSeed,\n	}\n	const synctestBaseTime"},
	// math/rand.
	{"runtime/rand.go", "func rand() uint64 {\n", "func rand() uint64 {\n	if b := seededBubble(); b != nil {\n		return b.draw()\n	}\n"},
	// Where an iteration over a map begins: elsewhere with another seed, and not by the stream, of which
	// a map that is made once in a process would take from the first run only.
	{"runtime/rand.go", "func maps_rand() uint64 {\n", "func maps_rand() uint64 {\n	if seededBubble() != nil {\n		return BubbleSeed * 0x9e3779b97f4a7c15\n	}\n"},
	// The same is so of what sync.Map and package unique hash by.
	{"internal/sync/hashtriemap.go", "//go:linkname runtime_rand runtime.rand\n", "//go:linkname runtime_rand runtime.seededshape\n"},
	{"unique/canonmap.go", "//go:linkname runtime_rand runtime.rand\n", "//go:linkname runtime_rand runtime.seededshape\n"},
	// A thread that is made meanwhile takes nothing from the stream.
	{"runtime/rand.go", "mp.cheaprand = rand()", "mp.cheaprand = uint64(nanotime())"},
	// Which case of a select is looked at first.
	{"runtime/select.go", "j := cheaprandn(uint32(norder + 1))", "j := bubblerandn(uint32(norder + 1))"},
	// Which of the timers that are due at the same time fires first.
	{"runtime/time.go", "t.rand = cheaprand()", "t.rand = bubblerand()"},
	// Who waits where in a semaphore's tree.
	{"runtime/sema.go", "s.ticket = cheaprand() | 1", "s.ticket = bubblerand() | 1"},
	// A goroutine runs until it waits. Who still runs after a minute never will: others have to say so.
	{"runtime/proc.go", "	if gp == nil || gp == mp.g0 {\n		return false\n	}\n	if readgstatus(gp)&^_Gscan == _Gsyscall {\n		// Don't bother trying to preempt",
		"	if gp == nil || gp == mp.g0 {\n		return false\n	}\n	if gp.bubble != nil && BubbleSeed != 0 && !sched.gcwaiting.Load() && nanotime()-pp.sysmontick.schedwhen < 60e9 {\n		return false\n	}\n	if readgstatus(gp)&^_Gscan == _Gsyscall {\n		// Don't bother trying to preempt"},
	// Hashes do not depend on the process.
	{"runtime/alg.go", "		key[i] = bootstrapRand()", "		key[i] = 0x9e3779b97f4a7c15 * uint64(i+1)"},
	{"runtime/alg.go", "		hashkey[i] = uintptr(bootstrapRand())", "		hashkey[i] = uintptr(0x9e3779b9 * (i + 1))"},
}

// addition is the file that is new. Its functions must not grow the stack: some of their callers
// have none to grow.
const addition = `package runtime

import _ "unsafe" // for go:linkname

// BubbleSeed seeds the choices in bubbles that are made from now on; 0 leaves them to Go.
var BubbleSeed uint64

// seededBubble is the bubble of the running goroutine; nil outside of one, and where nothing is seeded.
//
//go:nosplit
func seededBubble() *synctestBubble {
	if gp := getg().m.curg; gp != nil && gp.bubble != nil && BubbleSeed != 0 {
		return gp.bubble
	}
	return nil
}

// draw is SplitMix64.
//
//go:nosplit
func (b *synctestBubble) draw() uint64 {
	b.luck += 0x9e3779b97f4a7c15
	z := b.luck
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// seededshape is what tables hash by that are made once in a process.
//
//go:linkname seededshape
func seededshape() uint64 { return maps_rand() }

//go:nosplit
func bubblerand() uint32 {
	if b := seededBubble(); b != nil {
		return uint32(b.draw() >> 32)
	}
	return cheaprand()
}

//go:nosplit
func bubblerandn(n uint32) uint32 {
	return uint32((uint64(bubblerand()) * uint64(n)) >> 32)
}
`

// additionName is what the new file is called.
const additionName = "runtime/zz_lockstep.go"

// UnknownGo says that the overlay does not fit the Go that is installed.
type UnknownGo struct {
	Version string // as `go env GOVERSION` says
	Place   string // that an edit was for
	Found   int    // how many times it is there
}

func (e *UnknownGo) Error() string {
	return fmt.Sprintf("the runtime of %s cannot be seeded: what is edited in %s is there %d times, and not once; it is made for go1.26. Plain `go test` works with any Go, and says that it is statistical",
		e.Version, e.Place, e.Found)
}

// Installed returns where the Go is that the go command of a folder uses, and its version. A go.mod
// may ask for another one than that which is first in the path.
func Installed(ctx context.Context, dir string) (goroot, version string, err error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVERSION")
	cmd.Dir = dir
	out, err := cmd.Output()
	goroot, version, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil {
		return "", "", fmt.Errorf("the go command is needed to run tests: %w: install Go, or put it into the path", err)
	}
	return goroot, version, nil
}

// Write writes the overlay of the Go at goroot into a folder, and returns its file for -overlay. The
// error is UnknownGo when an edit does not fit.
func Write(goroot, version, dir string) (string, error) {
	from := filepath.Join(goroot, "src")
	texts := map[string]string{}
	for _, e := range edits {
		text, read := texts[e.file]
		if !read {
			data, err := os.ReadFile(filepath.Join(from, e.file))
			if err != nil {
				return "", fmt.Errorf("the sources of Go's runtime are needed to seed it: %w", err)
			}
			text = string(data)
		}
		if n := strings.Count(text, e.old); n != 1 {
			return "", &UnknownGo{Version: version, Place: e.file, Found: n}
		}
		texts[e.file] = strings.Replace(text, e.old, e.new, 1)
	}
	texts[additionName] = addition
	replace := map[string]string{}
	for name, text := range texts { // order: each file on its own
		to := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			return "", err
		}
		replace[filepath.Join(from, name)] = to
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, data, 0o644)
}
