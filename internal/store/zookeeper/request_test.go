package zookeeper

import (
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/store/storetest"
)

func TestRequests(t *testing.T) {
	request := storetest.Requests(t)
	lock := func(does history.Effect) history.Op { return history.Op{Key: "/lock", Does: does} }
	request(Connect{Timeout: 10 * time.Second}, "CONNECT 10000", history.Op{Does: history.Opens})
	request(Connect{Timeout: time.Second, Session: 31}, "CONNECT 1000 SESSION 0x1f", history.Op{Does: history.Opens})
	request(Ping{}, "PING", history.Op{Does: history.KeepsAlive})
	request(Create{Path: "/lock", Data: "A"}, "CREATE /lock", lock(history.MakesNew))
	request(Create{Path: "/lock", Mode: Ephemeral}, "CREATE /lock EPHEMERAL", lock(history.MakesNew))
	request(Create{Path: "/lock/a-", Mode: EphemeralSequential}, "CREATE /lock/a- EPHEMERAL SEQUENTIAL",
		history.Op{Key: "/lock/a-", Does: history.Queues})
	request(Delete{Path: "/lock", Version: -1}, "DELETE /lock -1", lock(history.Removes))
	request(Delete{Path: "/lock/a-1", Version: 0}, "DELETE /lock/a-1 0",
		history.Op{Key: "/lock/a-1", Does: history.RemovesOwn, Checks: true})
	request(Exists{Path: "/lock"}, "EXISTS /lock", lock(history.Asks))
	request(Exists{Path: "/lock", Watch: true}, "EXISTS /lock WATCH",
		history.Op{Key: "/lock", Does: history.Asks, Watches: true})
	request(Children{Path: "/lock"}, "CHILDREN /lock", lock(history.Asks))
	request(SetWatches{Since: 7, Data: []string{"/a"}, Exist: []string{"/b"}}, "SETWATCHES SINCE 7 /a /b",
		history.Op{Does: history.Beside})
	request(Close{}, "CLOSE", history.Op{Does: history.EndsSession})
}

func TestAnswers(t *testing.T) {
	answer := storetest.Answers(t)
	answer(Connect{}, ConnectReply{31, time.Second}, nil, "session 0x1f, timeout 1000", history.Answer{Session: "0x1f"})
	answer(Create{}, Created{Path: "/lock"}, nil, "/lock", history.Answer{})
	answer(Create{}, nil, ErrNodeExists, "(error) zk: node already exists", history.Answer{Refused: "zk: node already exists"})
	answer(Delete{}, nil, nil, "OK", history.Answer{})
	answer(Exists{}, Found{}, nil, "no node", history.Answer{})
	answer(Exists{}, Found{Stat: &Stat{Czxid: 4}}, nil, "czxid 4, version 0", history.Answer{})
	answer(Exists{}, Found{Stat: &Stat{Czxid: 7, Version: 1, EphemeralOwner: 31}},
		nil, "czxid 7, version 1, session 0x1f", history.Answer{Session: "0x1f"})
	answer(Children{}, []string{"a", "b"}, nil, "[a b]", history.Answer{})
	answer(Close{}, nil, nil, "OK", history.Answer{})
}

func TestTickFollowsAShortLease(t *testing.T) {
	for lease, want := range map[time.Duration]time.Duration{
		10 * time.Second: 2 * time.Second, 30 * time.Second: 2 * time.Second,
		time.Second: 200 * time.Millisecond, 7 * time.Millisecond: time.Millisecond, 1: time.Millisecond,
	} {
		must.Equalf(t, TickFor(lease), want, "lease %v: tick", lease)
	}
}
