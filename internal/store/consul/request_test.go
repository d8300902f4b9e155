package consul

import (
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store/storetest"
)

func TestRequests(t *testing.T) {
	request := storetest.Requests(t)
	opens, makes := history.Op{Does: history.Opens}, history.Op{Key: "lock", Does: history.MakesNew}
	request(CreateSession{TTL: 10 * time.Second, LockDelay: 1500 * time.Millisecond}, "SESSION TTL 10s LOCK-DELAY 1.5s BEHAVIOR release",
		opens)
	request(CreateSession{TTL: 10 * time.Second, DeleteKeys: true}, "SESSION TTL 10s LOCK-DELAY 0s BEHAVIOR delete", opens)
	request(RenewSession{Session: "s"}, "RENEW s", history.Op{Does: history.KeepsAlive})
	request(DestroySession{Session: "s"}, "DESTROY s", history.Op{Does: history.EndsSession})
	request(Acquire{Key: "lock", Value: "A", Session: "s"}, "ACQUIRE lock SESSION s", makes)
	request(Release{Key: "lock", Session: "s"}, "RELEASE lock SESSION s", history.Op{Key: "lock", Does: history.RemovesOwn})
	request(Get{Key: "lock"}, "GET lock", history.Op{Key: "lock", Does: history.Asks})
	request(Get{Key: "lock", After: 7, Wait: 15 * time.Second}, "GET lock INDEX 7 WAIT 15s",
		history.Op{Key: "lock", Does: history.Asks, Blocks: true})
}

func TestAnswers(t *testing.T) {
	answer := storetest.Answers(t)
	answer(CreateSession{}, "s-1", nil, "s-1", history.Answer{Session: "s-1"})
	answer(RenewSession{}, time.Second, nil, "TTL 1s", history.Answer{})
	answer(DestroySession{}, true, nil, "true", history.Number(1))
	answer(Acquire{Key: "lock"}, false, nil, "false", history.Number(0))
	answer(Release{Key: "lock"}, true, nil, "true", history.Number(1))
	answer(Get{}, KV{Index: 3}, nil, "no key, index 3", history.Answer{})
	answer(Get{}, KV{Exists: true, LockIndex: 1, ModifyIndex: 4},
		nil, "not locked, lock index 1, modify index 4", history.Answer{})
	answer(Get{}, KV{Exists: true, Session: "s", ModifyIndex: 4},
		nil, "locked by s, lock index 0, modify index 4", history.Answer{Session: "s"})
}
