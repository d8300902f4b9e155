package osproc

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Wall is a wall clock that can be set, for the processes of one server. It shows the
// host's time, an offset, and what a drift has added since a certain instant. The
// monotonic clock of such a process stays right, and so does every wait: only readings
// are wrong.
//
// Programs read the clock by functions that the kernel maps into each process, the
// vDSO; C programs, Java and Go do. A process that is started with a Wall has other
// functions in their place, which read what the clock is to show from a page that it
// shares with this process. Its forks have the same; a program that it starts has the
// host's clock again.
//
// A Wall outlives its processes, as the clock of a machine does. Close has to be called.
type Wall struct {
	mu     sync.Mutex
	memory *os.File // the page, a file in memory that has no name
	page   []byte   // the same
	now    setting
}

// setting is what a clock is to show.
type setting struct {
	offset time.Duration
	since  time.Time // from when the drift counts
	ppm    int64
}

// at returns by how much the clock is ahead of the host's at an instant.
func (s *setting) at(now time.Time) time.Duration {
	const million = 1_000_000
	past := now.Sub(s.since)
	return s.offset + past/million*time.Duration(s.ppm) + past%million*time.Duration(s.ppm)/million
}

// The page: first the functions (see wall_linux_amd64.s), then the number of the setting that counts, then room
// for two settings. Writers write the one that does not count, and then make it count,
// so that a reader has all of a setting or none of it.
const (
	pageSize      = 4096
	numberAt      = 2048
	settingsAt    = 2112
	betweenCopies = 64
)

// ErrNoWall is why there is no Wall for the processes of this machine; nil where there
// is one.
var ErrNoWall = errNoWall

// In reports whether a process has the clock: not when what was started has started
// another program in its place, as a script does.
func (w *Wall) In(pid int) bool {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	return err == nil && strings.Contains(string(maps), wallName)
}

// wallName is what the page is called in the list of a process's mappings.
const wallName = "lockstep-clock"

// Set steps the clock, and makes it run faster by so many millionths than the host's
// from now on.
func (w *Wall) Set(step time.Duration, ppm int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.page == nil {
		return errors.New("the clock of a server that was stopped cannot be set")
	}
	now := time.Now().Round(0) // the functions know the host's wall clock only
	w.now = setting{offset: w.now.at(now) + step, since: now, ppm: ppm}
	w.publish()
	return nil
}

// publish makes the setting count.
func (w *Wall) publish() {
	number := atomic.LoadUint64(w.word(numberAt)) + 1
	at := settingsAt + int(number&1)*betweenCopies
	atomic.StoreUint64(w.word(at), uint64(w.now.offset))
	atomic.StoreUint64(w.word(at+8), uint64(w.now.since.UnixNano()))
	atomic.StoreUint64(w.word(at+16), uint64(w.now.ppm))
	atomic.StoreUint64(w.word(numberAt), number)
}

// word is eight bytes of the page.
func (w *Wall) word(at int) *uint64 { return (*uint64)(unsafe.Pointer(&w.page[at])) }
