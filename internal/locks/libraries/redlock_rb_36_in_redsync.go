// Lock redlock-rb-36-in-redsync
//
// Library: github.com/go-redsync/redsync/v4
// Store: redis-nodes
// Lease: 1ms
// Bug: redlock-rb-36
//
// Idea: redsync with its option WithSetNXOnExtend: an extension that finds no key sets it again. What was a
// bug of another library is an option of this one, for servers that restart without their keys.
//
// Protocol:
//  1. As redsync: SET NX PX on all nodes at once, a majority, the validity.
//  2. Extend, every third of the lease: GET key equals token -> PEXPIRE, 1; else SET key token PX milliseconds NX -> 1; else 0. A majority of 1: extended. Else the lock is lost, and its holder is told.
//  3. Unlock on all nodes: GET key equals token -> DEL key, 1; else 0 or -1.
//
// Guarantees: as redlock-extend; besides, a node that has forgotten the lock learns of it again.
//
// Breaks when: as redlock-extend; and the lock has run out, another client has had it and given it back:
// the first one is told that its lock was extended.
//
// Source: https://github.com/go-redsync/redsync/pull/149; the library's code at v4.18.1, scripts.go and mutex.go.
//
// 想法：用选项 WithSetNXOnExtend 的 redsync：延长时没看到键，就再设一个。在另一个库里是缺陷
// 的，在这个库里是选项，给重启后会丢键的服务器用。
//
// 协议：
//  1. 同 redsync：同时在所有节点上 SET NX PX，多数，有效时间。
//  2. 延长，每三分之一个租约：GET key 等于 token -> PEXPIRE，1；否则 SET key token PX
//     milliseconds NX -> 1；再否则 0。多数答复 1：延长了。否则锁丢了，告诉持有者。
//  3. 在所有节点上释放：GET key 等于 token -> DEL key，1；否则 0 或 -1。
//
// 保证：同 redlock-extend；另外，忘掉锁的节点会重新得知它。
//
// 何时被破坏：同 redlock-extend；另外，锁到期之后别的客户端拿过又归还：前一个被告知锁延长了。
//
// 来源：https://github.com/go-redsync/redsync/pull/149；库在 v4.18.1 的代码，scripts.go 和
// mutex.go。

package libraries

import (
	"context"
	"time"

	"github.com/go-redsync/redsync/v4"

	"lockstep/internal/locks"
)

func init() {
	register(Library{
		ID: "redlock-rb-36-in-redsync", New: newRedsyncSetsAgain, Renews: "extend",
		Scripts: map[string]string{"e950836ed1e694540c503ef9972b8de518044d3b": "unlock", "b6b55c439e02c6f52ffb8be7ec8c0d0ac816ea79": "extend"},
		Owners:  map[string]int{"unlock": 1, "extend": 1},
		Texts: []string{redsyncUnlock, `
	if redis.call("GET", KEYS[1]) == ARGV[1] then
		return redis.call("PEXPIRE", KEYS[1], ARGV[2])
	elseif redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2], "NX") then
		return 1
	else
		return 0
	end
`},
	})
}

func newRedsyncSetsAgain(d Deps) (locks.Lock, error) {
	lock, err := newRedsync(d)
	if err != nil {
		return nil, err
	}
	l := lock.(*redsyncLock)
	l.options = []redsync.Option{redsync.WithSetNXOnExtend()}
	return &redsyncSetsAgain{l}, nil
}

type redsyncSetsAgain struct{ *redsyncLock }

func (l *redsyncSetsAgain) Acquire(ctx context.Context) (locks.Lease, error) {
	got, err := l.redsyncLock.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	lease := &extendedRedsyncLease{redsyncLease: got.(*redsyncLease), every: l.Lease / 3}
	lease.lost, lease.tellLost = context.WithCancel(context.Background())
	extending, stop := context.WithCancel(context.Background())
	lease.stop = stop
	go lease.extend(extending)
	return lease, nil
}

// extendedRedsyncLease is a lock that the application extends until it gives it back.
type extendedRedsyncLease struct {
	*redsyncLease
	every    time.Duration
	lost     context.Context
	tellLost context.CancelFunc
	stop     context.CancelFunc
}

func (l *extendedRedsyncLease) Lost() context.Context { return l.lost }

func (l *extendedRedsyncLease) extend(ctx context.Context) {
	ticks := time.NewTicker(l.every)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if ok, _ := l.mutex.ExtendContext(ctx); !ok && ctx.Err() == nil {
			l.tellLost()
			return
		}
	}
}

func (l *extendedRedsyncLease) Release(ctx context.Context) error {
	l.stop()
	return l.redsyncLease.Release(ctx)
}
