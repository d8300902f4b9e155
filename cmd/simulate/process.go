package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/internal/runstore"
)

const (
	// lazyGC lets the heap grow to five times the live data, which makes many short runs faster.
	lazyGC = 400
	// largeHeap is the size of live data from which on the heap grows only to twice that: it is one
	// long run.
	largeHeap = 200 << 20

	// The limits of the collector and of the program, in percent of the available memory. The rest
	// is for sudden allocations, such as a growing list.
	garbagePercent = 60
	mostPercent    = 85

	memoryLook = 20 * time.Millisecond
)

// room is one kind of memory: the limit for this program and its use, in bytes. A limit of 0 is
// none.
type room struct{ most, used int64 }

// watchMemory ends the program with a message before the system kills it. Most inputs have limits
// of their own; this covers the rest.
func watchMemory() {
	lazy := os.Getenv("GOGC") == ""
	if lazy {
		debug.SetGCPercent(lazyGC)
	}
	space, resident := memory()
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(min(part(space.most-space.used, garbagePercent), part(resident.most, garbagePercent)))
	}
	spaceMost, residentMost := part(space.most, mostPercent), part(resident.most, mostPercent)
	inUse := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	go func() {
		for range time.Tick(memoryLook) {
			space.used, resident.used = pagesInUse()
			switch {
			case space.used > spaceMost:
				outOfMemory(space.most, "ulimit -v")
			case resident.used > residentMost:
				outOfMemory(resident.most, "of this machine, or of its container")
			}
			if metrics.Read(inUse); lazy && inUse[0].Value.Uint64() > largeHeap {
				debug.SetGCPercent(100)
				lazy = false
			}
		}
	}()
}

// limitMemory lowers the collector's limit to so many bytes, unless the user has set one.
func limitMemory(bytes int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), bytes))
	}
}

// part is a percentage of a limit; unlimited if there is none.
func part(limit, percent int64) int64 {
	if limit <= 0 {
		return math.MaxInt64
	}
	return limit / 100 * percent
}

func outOfMemory(most int64, what string) {
	end(exitEnvironment, fmt.Sprintf("this takes more than the %d MiB of memory that there is (%s): lower clients, repeat, wait or --jobs, "+
		"play fewer locks at once, split a file of histories, or give it more memory", most>>20, what))
}

// patience is how long the program may take to end after Ctrl-C. Most work ends with its context,
// in milliseconds. The rest, such as rendering a page or writing a large file, is cut off. Running
// servers are left to their reapers.
const patience = 800 * time.Millisecond

// keeping is set while the result of an interrupted command is being stored, which may take seconds
// on a busy machine.
var keeping atomic.Bool

// morePatience is the additional time for that.
const morePatience = 4 * time.Second

// atOnce is locked by the goroutine that ends the program, so that only one does.
var atOnce sync.Mutex

// endInTime ends the program some time after ctx, if it is still running.
func endInTime(ctx context.Context) {
	context.AfterFunc(ctx, func() {
		time.Sleep(patience)
		if keeping.Load() {
			time.Sleep(morePatience)
		}
		end(exitInterrupted, "interrupted: what was under way did not end in time, and is dropped; what was stored before stays")
	})
}

// end ends the program at any point, without leaving partial files.
func end(code int, why string) {
	atOnce.Lock()
	if n := runstore.Abandon(); n > 0 {
		why += "; what was being written is removed"
	}
	fmt.Fprintln(os.Stderr, "simulate:", why)
	os.Exit(code)
}
