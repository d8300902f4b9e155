// Package osproc holds what the live world asks of the operating system: child
// processes that cannot outlive the harness, freezing and killing them, one
// clock for all of them, and scratch directories that do not stay behind.
//
// A child started here dies in every case: when it is killed, when the harness
// ends, and when the harness itself is killed with SIGKILL and gets no chance
// to clean up. A run's Reaper, which outlives the harness then, removes the rest.
package osproc

import "time"

// Now is the clock of the live world: nanoseconds of the host's monotonic
// clock, the same value in every process of the machine. It goes on while a
// process is stopped, which is what makes a pause visible.
func Now() time.Duration { return monotonic() }

// Nap sleeps for a duration of a few milliseconds at most, more exactly than
// time.Sleep, at the price of a thread that is blocked meanwhile.
func Nap(d time.Duration) { nap(d) }
