// Package seeded makes a Go runtime whose choices follow a seed: an overlay for `go test -overlay`,
// generated from the sources of the installed Go. It has one thread for Go code, and within a
// bubble of testing/synctest every random choice of Go is repeatable: the case of a select, the
// order of timers that are due at the same time and of goroutines at a semaphore, math/rand, and
// the start of an iteration over a map. Goroutines are never preempted.
//
// Each edit must match exactly one place. A Go version where one does not is refused; only plain
// `go test` works with it.
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

// edits match the sources of Go 1.26.
var edits = []edit{
	// A bubble draws random numbers from a stream of its own.
	{"runtime/synctest.go", "	root    *g     // caller of synctest.Run\n", "	root    *g     // caller of synctest.Run\n	luck    uint64 // seeded choices\n"},
	{"runtime/synctest.go", "		root:    gp,\n	}\n	const synctestBaseTime", "		root:    gp,\n		luck:    BubbleSeed,\n	}\n	const synctestBaseTime"},
	// The seeds of maps, of their iterations and of the hashes of sync.Map and package unique are
	// the same in the whole run. From the stream they would be drawn at the first run of a process
	// only, where a table is made once.
	{"runtime/rand.go", "func rand() uint64 {\n", "func rand() uint64 {\n	if seededBubble() != nil {\n		return BubbleSeed * 0x9e3779b97f4a7c15\n	}\n"},
	// Numbers for programs are from the stream.
	{"math/rand/rand.go", "//go:linkname runtime_rand runtime.rand\n", "//go:linkname runtime_rand runtime.bubblerand64\n"},
	{"math/rand/v2/rand.go", "//go:linkname runtime_rand runtime.rand\n", "//go:linkname runtime_rand runtime.bubblerand64\n"},
	{"os/tempfile.go", "//go:linkname runtime_rand runtime.rand\n", "//go:linkname runtime_rand runtime.bubblerand64\n"},
	{"net/dnsclient.go", "//go:linkname runtime_rand runtime.rand\n", "//go:linkname runtime_rand runtime.bubblerand64\n"},
	{"runtime/rand.go", "uint64(uint32(rand())) * uint64(n)", "uint64(uint32(bubblerand64())) * uint64(n)"},
	{"runtime/rand.go", "func legacy_fastrand() uint32 {\n	return uint32(rand())", "func legacy_fastrand() uint32 {\n	return uint32(bubblerand64())"},
	{"runtime/rand.go", "func legacy_fastrand64() uint64 {\n	return rand()", "func legacy_fastrand64() uint64 {\n	return bubblerand64()"},
	// A new thread must not draw from the stream.
	{"runtime/rand.go", "mp.cheaprand = rand()", "mp.cheaprand = uint64(nanotime())"},
	// The first case of a select that is checked.
	{"runtime/select.go", "j := cheaprandn(uint32(norder + 1))", "j := bubblerandn(uint32(norder + 1))"},
	// The order of timers that are due at the same time.
	{"runtime/time.go", "t.rand = cheaprand()", "t.rand = bubblerand()"},
	// The order of goroutines in a semaphore's tree.
	{"runtime/sema.go", "s.ticket = cheaprand() | 1", "s.ticket = bubblerand() | 1"},
	// A goroutine that yields is queued behind the others of its bubble, and not with those of the
	// whole process.
	{"runtime/proc.go", "		runqput(pp, gp, true)\n	} else {\n", "		runqput(pp, gp, true)\n	} else if gp.bubble != nil && BubbleSeed != 0 {\n		runqput(pp, gp, false)\n	} else {\n"},
	// A mutex whose waiter has waited for a millisecond goes to that waiter. On a busy machine a
	// millisecond passes without any goroutine running, so it is one of the bubble's time.
	{"runtime/sema.go", "func internal_sync_nanotime() int64 {\n", "func internal_sync_nanotime() int64 {\n	if b := seededBubble(); b != nil {\n		return b.now\n	}\n"},
	// A goroutine that waits for a mutex waits as for a channel. Client libraries hold mutexes
	// while they read and write, and time has to go on for the holder. All that is shared with
	// goroutines outside the bubble is held for an instant.
	{"runtime/runtime2.go", "	waitReasonSleep:                 true,\n", "	waitReasonSleep:                 true,\n	waitReasonSyncMutexLock:         true,\n	waitReasonSyncRWMutexRLock:      true,\n	waitReasonSyncRWMutexLock:       true,\n"},
	// The goroutine that was made ready last runs next. One outside the bubble, such as that of
	// finalizers or of a timer, becomes ready at any moment, and must not take that place from one
	// of the bubble.
	{"runtime/proc.go", "	if !haveSysmon && next {\n", "	if next && (!haveSysmon || BubbleSeed != 0 && gp.bubble == nil) {\n"},
	// A goroutine runs until it waits. One that runs for a minute never will, and is preempted so
	// that others can report it.
	{"runtime/proc.go", "	if gp == nil || gp == mp.g0 {\n		return false\n	}\n	if readgstatus(gp)&^_Gscan == _Gsyscall {\n		// Don't bother trying to preempt",
		"	if gp == nil || gp == mp.g0 {\n		return false\n	}\n	if gp.bubble != nil && BubbleSeed != 0 && !sched.gcwaiting.Load() && nanotime()-pp.sysmontick.schedwhen < 60e9 {\n		return false\n	}\n	if readgstatus(gp)&^_Gscan == _Gsyscall {\n		// Don't bother trying to preempt"},
	// Hashes do not depend on the process.
	{"runtime/alg.go", "		key[i] = bootstrapRand()", "		key[i] = 0x9e3779b97f4a7c15 * uint64(i+1)"},
	{"runtime/alg.go", "		hashkey[i] = uintptr(bootstrapRand())", "		hashkey[i] = uintptr(0x9e3779b9 * (i + 1))"},
	// One thread, whatever the environment says: that is go test's as well, which compiles with
	// many.
	{"runtime/proc.go", `gogetenv("GOMAXPROCS")`, `"1"`},
}

// addition is a new file of the runtime. Its functions must not grow the stack: some of their
// callers cannot.
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

//go:nosplit
//go:linkname bubblerand64
func bubblerand64() uint64 {
	if b := seededBubble(); b != nil {
		return b.draw()
	}
	return rand()
}

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

// additionName is the name of the new file.
const additionName = "runtime/zz_lockstep.go"

// UnknownGo is the error when the overlay does not fit the installed Go.
type UnknownGo struct {
	Version string // by `go env GOVERSION`
	Place   string // the file of an edit
	Found   int    // the number of matches of the edit
}

func (e *UnknownGo) Error() string {
	return fmt.Sprintf("the runtime of %s cannot be seeded: what is edited in %s is there %d times, and not once; it is made for go1.26. Plain `go test` works with any Go, and says that it is statistical",
		e.Version, e.Place, e.Found)
}

// Installed returns the GOROOT and the version that the go command uses in a folder. A go.mod
// may select a version other than the one in the path.
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

// Write writes the overlay for the Go at goroot into a folder, and returns its file for -overlay.
// The error is *UnknownGo when an edit does not fit.
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
