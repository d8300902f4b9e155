package etcd

import (
	"strconv"

	"lockstep/internal/world"
)

// The requests. Each says what the value of its answer is.
type (
	Grant     = world.EtcdGrant
	KeepAlive = world.EtcdKeepAlive
	Revoke    = world.EtcdRevoke
	// Do runs one operation by itself; answered by a world.EtcdResult.
	Do struct{ world.EtcdOp }
	// Txn runs a transaction; answered by a world.EtcdResult.
	Txn   struct{ world.EtcdTxn }
	Watch = world.EtcdWatchOf
)

// Event is what a watch brings: a change, and of a key that was put what it is then.
type Event struct {
	world.EtcdEvent
	Put world.EtcdKV
}

// eventText is the text of a pushed message.
func eventText(e world.EtcdEvent) string {
	verb := "PUT "
	if e.Deleted {
		verb = "DELETE "
	}
	return verb + e.Key + ", revision " + strconv.FormatInt(e.Revision, 10)
}
