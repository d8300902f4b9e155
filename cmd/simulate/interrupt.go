package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/internal/runstore"
)

// patience is how long the program may take to end after Ctrl-C. Most of it ends with
// its context, in milliseconds. The rest computes something that looks at no context,
// such as a page, or writes what is too much for the time: it is ended from outside.
// Servers that run then are left to their reapers.
const patience = 800 * time.Millisecond

// keeping says that what an interrupted command has come to is being stored. It is little,
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
