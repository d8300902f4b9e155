package sim

import "time"

// Timing varies what real servers leave to chance. A story that plays differently with another
// Timing depends on it. The zero Timing is the usual one; ProbeWait only saves time.
type Timing struct {
	// AnyOrder draws the order of requests that a partition has held back, of those that came to a
	// database while it was frozen, and of tasks that a client starts at one instant. Otherwise it
	// is the order of sending or starting, which real connections and schedulers do not keep.
	AnyOrder bool
	// FaultTime is how long a client waits at a moment at which a fault begins: to stop a real
	// server takes some milliseconds, in which messages may come.
	FaultTime time.Duration
	// StopTime is how long the tasks of a paused client go on, except the one whose moment began
	// the pause: no signal stops a whole process at once.
	StopTime time.Duration
	// TakenBack makes clusters not execute requests that their clients have given up on. gRPC sends
	// a cancellation, and when a partition or a pause releases both at once, etcd may act on
	// either.
	TakenBack bool
	// Reconnect is how much longer than a second a client library of ZooKeeper waits before it
	// tries another server.
	Reconnect time.Duration
	// ProbeWait is how long the probe tries; 0: as long as the plan says. It saves events if no
	// client can get the lock.
	ProbeWait time.Duration
}

// SetTiming sets the timing of the next runs.
func (w *World) SetTiming(t Timing) { w.timing = t }
