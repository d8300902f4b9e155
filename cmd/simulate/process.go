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
	// lazyGC lets garbage grow to four times of what is in use: a run uses little, and
	// many runs in a row are some 5 % faster.
	lazyGC = 400
	// largeHeap is from when on garbage grows to no more than what is in use: that is one
	// long run, and four times as much would be felt.
	largeHeap = 200 << 20

	// So many percent of the memory that there is are left to garbage at most, and so many
	// to the program. The rest is for what is asked for at once, such as a list that grows.
	garbagePercent = 60
	mostPercent    = 85

	memoryLook = 20 * time.Millisecond
)

// watchMemory ends the program with a sentence before the system ends it without one.
// Most of what takes memory has limits of its own; this is for what they do not foresee.
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

// limitMemory has garbage collected more often from so many bytes on, unless there is less memory or the user has set a limit.
func limitMemory(bytes int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), bytes))
	}
}

// part is that many percent of a limit; as good as all when there is none.
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

// patience is how long the program may take to end after Ctrl-C. Most of it ends with
// its context, in milliseconds. The rest computes something that looks at no context,
// such as a page, or writes what is too much for the time: it is ended from outside.
// Servers that run then are left to their reapers.
const patience = 800 * time.Millisecond

// keeping says that the result of an interrupted command is being stored. It is little,
// and takes some tenths of a second; a busy machine may take a few seconds.
var keeping atomic.Bool

// morePatience is how long that may take in addition.
const morePatience = 4 * time.Second

// atOnce lets one goroutine decide how the program ends: the one that locks it first.
var atOnce sync.Mutex

// endInTime ends the program some time after ctx, unless it has ended until then.
func endInTime(ctx context.Context) {
	context.AfterFunc(ctx, func() {
		time.Sleep(patience)
		if keeping.Load() {
			time.Sleep(morePatience)
		}
		end(exitInterrupted, "interrupted: what was under way did not end in time, and is dropped; what was stored before stays")
	})
}

// end ends the program, whatever else it is at, with nothing half-written left behind.
func end(code int, why string) {
	atOnce.Lock()
	if n := runstore.Abandon(); n > 0 {
		why += "; what was being written is removed"
	}
	fmt.Fprintln(os.Stderr, "simulate:", why)
	os.Exit(code)
}
