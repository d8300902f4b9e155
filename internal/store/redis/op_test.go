package redis

import (
	"errors"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
)

func TestOperationsOfRedis(t *testing.T) {
	unlock, blind := &Script{Name: "unlock", Owner: 2}, &Script{Name: "unlock"}
	for _, tt := range []struct {
		give Cmd
		want history.Op
	}{
		{Get("lock"), history.Op{Name: "GET", Key: "lock", Does: history.Asks}},
		{Set("lock", "A"), history.Op{Name: "SET", Key: "lock", Owner: "A", Does: history.Makes}},
		{Set("lock", "A").NX().PX(10 * time.Second), history.Op{Name: "SET", Key: "lock", Owner: "A", Does: history.MakesNew, Lease: 10 * time.Second}},
		{Command("SET", "lock", "A", "EX", "3"), history.Op{Name: "SET", Key: "lock", Owner: "A", Does: history.Makes, Lease: 3 * time.Second}},
		{Command("SET", "lock"), history.Op{Name: "SET", Key: "lock", Does: history.Makes}},
		{SetNX("lock", "1"), history.Op{Name: "SETNX", Key: "lock", Does: history.MakesNew}},
		{Expire("lock", time.Second), history.Op{Name: "EXPIRE", Key: "lock", Does: history.Makes}},
		{Command("GETSET", "lock", "1"), history.Op{Name: "GETSET", Key: "lock", Does: history.TakesOver}},
		{Del("lock"), history.Op{Name: "DEL", Key: "lock", Does: history.Removes}},
		{Command("DEL", "a", "b"), history.Op{Name: "DEL", Key: "a b", Does: history.Removes}},
		{Command("SUBSCRIBE", "x"), history.Op{Name: "SUBSCRIBE", Does: history.Beside}},
		{Command("MULTI"), history.Op{Name: "MULTI"}},
		{Command("INCR", "fence"), history.Op{Name: "INCR", Key: "fence"}},
		{EvalKeys(unlock, "lock", "queue").Text("10").Text("A"), history.Op{Name: "unlock", Script: true, Key: "lock queue", Owner: "A", Does: history.RemovesOwn}},
		{Eval(blind, "lock"), history.Op{Name: "unlock", Script: true, Key: "lock"}},
	} {
		must.Equalf(t, tt.give.Op(), tt.want, "%s", tt.give.String())
	}
	if op := (&history.Op{Key: "a b"}); !op.About("b") || op.About("a b c") || (&history.Op{}).About("a") {
		t.Error("About is wrong for two keys or none")
	}
}

// The meanings of replies.
func TestAnswersOfRedis(t *testing.T) {
	for _, tt := range []struct {
		give Reply
		want history.Answer
	}{
		{Reply{}, history.Answer{Nil: true}}, {OK(), history.Answer{}}, {Int(0), history.Number(0)}, {Bulk("7"), history.Answer{}},
		{List([]Reply{Int(1)}), history.Number(1)}, {List([]Reply{Int(1), Int(2)}), history.Answer{}}, {List(nil), history.Answer{}},
		{Failed(ServerError("ERR no")), history.Answer{Refused: "ERR no"}},
		{Failed(Moved(7, "redis-2")), history.Answer{Refused: "MOVED 7 redis-2:6379", Redirected: true}},
		{Failed(ServerError("CLUSTERDOWN The cluster is down")), history.Answer{Refused: "CLUSTERDOWN The cluster is down", Redirected: true}},
		{Failed(errors.New("odd")), history.Answer{Refused: "odd"}},
	} {
		must.Equalf(t, tt.give.Answer(), tt.want, "%s", tt.give)
	}
}
