package etcd

import (
	"strconv"

	"lockstep/internal/store"
)

// ID is what locks name to keep their entries in etcd.
const ID store.ID = "etcd"

func init() {
	store.Register(store.Store{
		ID: ID, Place: 3, Node: "etcd", Title: "etcd", About: "A cluster of etcd.",
		Topology: store.Quorum, Requests: []string{"GRANT", "KEEPALIVE", "REVOKE", "TXN", "GET", "PUT", "DELETE", "WATCH"},
		Programs:        []store.Program{{Name: "etcd", Install: "sudo apt-get install -y etcd-server", Version: []string{"--version"}}},
		Image:           &store.Image{Product: "etcd", Public: "quay.io/coreos/etcd:v3.5.21", Command: "etcd", Data: "/etcd-data"},
		CancelsRequests: true,
		EndsLate:        true, // it looks for leases that are over twice a second
		OneLane:         true, // gRPC: a stream for each request, all on one connection
		Evict:           evict,
		New:             func(s store.Setup) store.Model { return New(Config{LockKey: s.Lock.Key, Election: s.Election}) },
	})
}

// evict revokes the lease of a key, or of the first created one below it; a key without a lease is
// deleted.
func evict(ask func(store.Op) (any, error), name string) (lease string, found bool, err error) {
	for _, what := range []Op{{Kind: Get, Key: name}, {Kind: Get, Key: name + "/", Prefix: true, FirstCreated: true}} {
		got, err := store.Value[Result](ask(what))
		if err != nil {
			return "", false, err
		}
		if len(got.Responses[0].KVs) == 0 {
			continue
		}
		kv := got.Responses[0].KVs[0]
		if kv.Lease == 0 {
			_, err = ask(Op{Kind: Delete, Key: kv.Key})
			return "", true, err
		}
		_, err = ask(Revoke{Lease: kv.Lease})
		return strconv.FormatInt(kv.Lease, 16), true, err
	}
	return "", false, nil
}
