// Package conformance tests the verbs of faults in both worlds, with one table: stories in which a
// fault visibly changes something while it is on, and nothing after its end.
//
// The checks see only the history: requests and replies, entries, clocks, holders. So the simulator
// and real servers play the same cases. The stories wait for events (until: B acquires) rather than
// for times, and the checks do not depend on the load of the machine: they compare the order of
// events, or the least time that something takes.
package conformance
