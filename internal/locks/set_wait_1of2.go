// Lock set-wait-1of2
//
// Idea: two replicas for availability, and WAIT 1 as before: whichever of them is
// faster has the key, and that ought to be enough.
//
// Protocol:
//  1. On a connection of its own: SET key token EX seconds NX; nil: try again later.
//  2. On the same connection: WAIT 1 3000; 1 or more: the lock is held.
//  3. Fewer, or an error: EVAL unlock, and again later.
//  4. To release, EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua; in addition, when the primary dies, at least one of the two
// replicas has the key.
//
// Breaks when: the other one is promoted. WAIT makes sure that one of them remembers, not that this
// one will be asked. A majority of all three servers would not help either as long as the next
// primary is not chosen by what it knows; and as set-wait.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 78-84, with the second replica
// that its text allows; Redis documentation of WAIT, consistency and WAIT.

package locks

import "time"

func init() {
	Register(Variant{
		ID: "set-wait-1of2", Store: StoreRedis, LeaseUnit: time.Second,
		Servers: Servers{Replicas: 2, NoCluster: bindsToServer}, New: stateless(setWait),
	})
}
