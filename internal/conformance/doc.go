// Package conformance holds one table for both worlds: for each verb of the faults, stories in
// which something is observably different while the fault is on and as before when it is over.
//
// What is observed is the history, and nothing inside of a world: requests and replies, entries,
// clocks, who holds. So the same case is played in the simulator and on real servers. It waits for
// what happens (until: B acquires) and not for times, and compares only what a busy machine leaves
// as it is: an order, or a time that something takes at least.
package conformance
