package sim

import "time"

// Timing is what a plan leaves open because real servers leave it to chance: to find out whether a story
// depends on it, play the story with another one. The zero Timing is that of every other run.
type Timing struct {
	// AnyOrder draws the order in which the requests arrive that a partition held back, a database goes on
	// with those that waited while it stood still, and tasks begin that a client starts at one instant; else it
	// is that in which they were sent or started, which real connections and schedulers do not keep.
	AnyOrder bool
	// FaultTime is how long a client stands still at the moment for which a fault has waited: to stop a real
	// server takes some milliseconds, in which news of it may come.
	FaultTime time.Duration
	// StopTime is how long the tasks of a client that a pause stops go on, but for the one at whose moment it
	// begins: no signal stops all of a process at once.
	StopTime time.Duration
	// TakenBack has a cluster not execute what its client has given up on: gRPC sends a cancellation after such a
	// request, and when a partition or a pause lets both go at once, etcd does or does not.
	TakenBack bool
	// Reconnect is how much longer than a second a client library of ZooKeeper waits until it tries another server.
	Reconnect time.Duration
	// ProbeWait is how long the probe tries; 0: as long as the plan says. It saves events where it is known
	// that no client gets the lock.
	ProbeWait time.Duration
}

// SetTiming says how the runs from now on are timed.
func (w *World) SetTiming(t Timing) { w.timing = t }
