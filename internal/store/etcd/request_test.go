package etcd

import (
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store/storetest"
)

func TestRequests(t *testing.T) {
	request := storetest.Requests(t)
	const lease = 0x1f
	op := func(key string, does history.Effect) history.Op { return history.Op{Key: key, Does: does} }
	request(Grant{TTL: 10 * time.Second}, "GRANT 10", history.Op{Does: history.Opens})
	request(KeepAlive{Lease: lease}, "KEEPALIVE 1f", history.Op{Does: history.KeepsAlive})
	request(Revoke{Lease: lease}, "REVOKE 1f", history.Op{Does: history.RevokesLease})
	request(Watch{Key: "lock"}, "WATCH lock", history.Op{Key: "lock", Does: history.Beside, Watches: true})
	request(Watch{Key: "lock/", From: 7, Prefix: true}, "WATCH lock/ PREFIX FROM 7",
		history.Op{Key: "lock/", Does: history.Beside, Watches: true})

	get, put, del := Op{Key: "lock"}, Op{Kind: Put, Key: "lock", Value: "A", Lease: lease}, Op{Kind: Delete, Key: "lock"}
	place, leaves := Op{Kind: Put, Key: "lock/7"}, Op{Kind: Delete, Key: "lock/7"}
	request(get, "GET lock", op("lock", history.Asks))
	request(Op{Key: "lock/", Prefix: true}, "GET lock/ PREFIX", op("lock/", history.Asks))
	request(Op{Key: "lock/", Prefix: true, FirstCreated: true}, "GET lock/ PREFIX FIRST CREATED", op("lock/", history.Asks))
	request(Op{Key: "lock/", Prefix: true, MaxCreateRevision: 6}, "GET lock/ PREFIX LAST CREATED UP TO 6", op("lock/",
		history.Asks))
	request(put, "PUT lock A LEASE 1f", op("lock", history.TakesOver))
	request(place, "PUT lock/7", op("lock/7", history.Queues))
	request(del, "DELETE lock", op("lock", history.Removes))
	request(leaves, "DELETE lock/7", op("lock/7", history.RemovesOwn))
	request(Op{Kind: Delete, Key: "lock/", Prefix: true, FirstCreated: true}, "DELETE lock/ PREFIX", op("lock/",
		history.Removes))

	txn := func(key string, does history.Effect) history.Op {
		return history.Op{Key: key, Does: does, Checks: true}
	}
	absent, seen := []Compare{{Key: "lock"}}, []Compare{{Key: "lock", Mod: true, Revision: 9}}
	request(Txn{If: absent, Then: []Op{put}, Else: []Op{get}}, "TXN IF create(lock) = 0 THEN PUT lock A LEASE 1f ELSE GET lock", txn("lock",
		history.MakesNew))
	request(Txn{If: seen, Then: []Op{put}}, "TXN IF mod(lock) = 9 THEN PUT lock A LEASE 1f", txn("lock", history.Makes))
	request(Txn{If: absent, Then: []Op{place, get}}, "TXN IF create(lock) = 0 THEN PUT lock/7, GET lock", txn("lock/7",
		history.Queues))
	request(Txn{If: append(absent, seen...), Then: []Op{leaves}}, "TXN IF create(lock) = 0 AND mod(lock) = 9 THEN DELETE lock/7", txn("lock/7",
		history.RemovesOwn))
	request(Txn{If: []Compare{{Key: "lock", ByValue: true, Value: "A"}}, Then: []Op{del}}, "TXN IF value(lock) = A THEN DELETE lock", txn("lock",
		history.Removes))
	request(Txn{Then: []Op{put, del}}, "TXN THEN PUT lock A LEASE 1f, DELETE lock", op("lock lock", history.Anything))
	request(Txn{Then: []Op{get}}, "TXN THEN GET lock", history.Op{Does: history.Asks})
	request(Txn{}, "TXN", history.Op{Does: history.Asks})
}

func TestAnswers(t *testing.T) {
	answer := storetest.Answers(t)
	found := Result{Revision: 7, Succeeded: true, Responses: []Response{{Deleted: 2}, {KVs: []KV{{Key: "lock", CreateRevision: 3}}}}}
	answer(Grant{}, Lease{ID: 31, TTL: 10 * time.Second}, nil, "lease 1f, TTL 10", history.Answer{Session: "1f"})
	answer(KeepAlive{}, 10*time.Second, nil, "TTL 10", history.Answer{})
	answer(KeepAlive{}, nil, ErrLeaseNotFound, "etcdserver: requested lease not found",
		history.Answer{Refused: ErrLeaseNotFound.Error()})
	answer(Revoke{}, nil, nil, "OK", history.Answer{})
	answer(Watch{}, int64(7), nil, "OK", history.Answer{})
	answer(Op{}, found, nil, "revision 7, deleted 2, lock created 3", history.Answer{Revision: 7})
	answer(Txn{}, found, nil, "succeeded, revision 7, deleted 2, lock created 3", history.Answer{Revision: 7})
	answer(Txn{}, Result{Revision: 1}, nil, "failed, revision 1", history.Answer{Revision: 1})
}
