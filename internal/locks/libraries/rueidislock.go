// Lock rueidislock
//
// Library: github.com/redis/rueidis/rueidislock
// Store: redis
// Lease: 1ms
//
// Idea: a lock that renews itself and tells its holder, by the end of a context, when
// it is lost; waiting clients do not poll but are told by the server (client-side
// caching) when the key changes.
//
// Protocol:
//  1. For each of three keys rueidislock:N:key: EVALSHA acquire: SET key token NX PXAT deadline, GET key (so that the server tells of its next change). The deadline is the client's own wall clock and the lease. Two keys of three make the lock; each may take 20 ms.
//  2. Else wait for an invalidation message, and try again.
//  3. Every half of the lease, and whenever a key is said to have changed, for each key: EVALSHA extend: GET key equals token -> PEXPIREAT deadline, 1; else 0. Two keys that are lost end the holder's context.
//  4. To release, for each key: EVALSHA delete: GET key equals token -> DEL key, 1; else 0. The library says nothing of the answers.
//
// Guarantees: mutual exclusion while every holder's process runs and reaches the
// server; slow work does not lose the lock; a holder whose entry is gone is told as
// soon as its process runs and the server is reached, by an invalidation or by the
// next renewal.
//
// Breaks when: the holder's process stands still for longer than its lease: the
// renewal stands still with it, and what it is told on waking may come after its
// write. A failover that forgets the entries lets a second client in. The three keys
// are on one server unless it is a Redis Cluster, so they do not help against that. A
// client whose clock is behind by more than the lease asks for keys that are over when
// they are made. A hung worker keeps the lock for ever. A client that tries while no
// primary answers waits for news of keys that a new primary may never have had: a
// failover that forgets the entries can leave it waiting beside a free lock.
//
// Source: the library's README and code at v1.0.79, rueidislock/lock.go.
//
// 想法：自己续期的锁，丢锁时用 context 的结束告诉持有者；等待的客户端不轮询，键变化时由服务器
// 通知（客户端缓存）。
//
// 协议：
//  1. 三个键 rueidislock:N:key，每个都：EVALSHA acquire：SET key token NX PXAT deadline，GET
//     key（好让服务器通知它下一次变化）。deadline 是客户端自己的墙上时钟加上租约。三个键里有两
//     个，就拿到锁；每个最多等 20 毫秒。
//  2. 否则等一条失效消息，再试。
//  3. 每半个租约，以及得知某个键变了的时候，对每个键：EVALSHA extend：GET key 等于 token ->
//     PEXPIREAT deadline，1；否则 0。丢了两个键，持有者的 context 就结束。
//  4. 释放，对每个键：EVALSHA delete：GET key 等于 token -> DEL key，1；否则 0。答复是什么，库只
//     字不提。
//
// 保证：只要每个持有者的进程在运行、又连得上服务器，就互斥；工作慢不会丢锁；条目没了的持有者，
// 只要进程在运行、连得上服务器，就会从失效通知或下一次续期得知。
//
// 何时被破坏：持有者的进程停住，比租约还久：续期也跟着停住，醒来时得到的消息可能比写入来得晚。
// 忘掉条目的故障转移会放进第二个客户端。除非是 Redis Cluster，三个键都在一台服务器上，所以对此
// 没有帮助。时钟慢得超过一个租约的客户端，要的键一创建就已过期。卡住的任务会永远占着锁。没有主
// 节点答复时来尝试的客户端，等的是新的主节点可能从没有过的键的消息：忘掉条目的故障转移可能让它
// 守着一把空着的锁一直等下去。
//
// 来源：库在 v1.0.79 的 README 和代码，rueidislock/lock.go。

package libraries

import (
	"context"
	"crypto/tls"
	"net"

	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"

	"lockstep/internal/locks"
)

func init() {
	register(Library{
		ID: "rueidislock", New: newRueidislock, Renews: "extend", OwnKeys: true,
		Scripts: map[string]string{
			"3875d208d9e377969d2022550302cc83ad17b584": "acquire",
			"852ba6ec6104340ced36643283c856d4698569e4": "extend",
			"9eb62214c9af87ae5f9a9f12bb4520281c0d2ae1": "delete",
		},
		Texts: []string{
			`local r = redis.call("SET",KEYS[1],ARGV[1],"NX","PXAT",ARGV[2]);redis.call("GET",KEYS[1]);return r`,
			`if redis.call("GET",KEYS[1]) == ARGV[1] then local r = redis.call("PEXPIREAT",KEYS[1],ARGV[2]);redis.call("GET",KEYS[1]);return r end;return 0`,
			`if redis.call("GET",KEYS[1]) == ARGV[1] then return redis.call("DEL",KEYS[1]) end;return 0`,
		},
	})
}

func newRueidislock(d Deps) (locks.Lock, error) {
	options := rueidis.ClientOption{
		InitAddress: d.Addrs, Dialer: net.Dialer{Timeout: d.Timeout}, ConnWriteTimeout: d.Timeout,
		DialCtxFn: func(ctx context.Context, addr string, _ *net.Dialer, _ *tls.Config) (net.Conn, error) {
			return d.Dial(ctx, "tcp", addr)
		},
	}
	if len(d.Sentinels) > 0 {
		options.InitAddress, options.Sentinel.MasterSet = d.Sentinels, d.Primary
	}
	locker, err := rueidislock.NewLocker(rueidislock.LockerOption{ClientOption: options, KeyValidity: d.Lease})
	if err != nil {
		return nil, err
	}
	d.closes(locker.Close)
	return &rueidisLock{d, locker}, nil
}

type rueidisLock struct {
	Deps
	locker rueidislock.Locker
}

// Acquire waits with the library's own means. Its patience is not handed on: the end
// of the context that the library is given would also be that of the lock.
func (l *rueidisLock) Acquire(ctx context.Context) (locks.Lease, error) {
	waiting, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, giveUp)
	held, release, err := l.locker.WithContext(waiting, l.Name)
	if !stop() && err == nil { // it has come too late for its caller
		release()
		err = ctx.Err()
	}
	if err != nil {
		giveUp()
		return nil, failure(ctx, err)
	}
	return &rueidisLease{held: held, release: release, end: giveUp}, nil
}

type rueidisLease struct {
	held    context.Context // ends when the library says that the lock is lost
	release context.CancelFunc
	end     context.CancelFunc // frees the context that the library was given
}

// Release returns when the library has asked the server to delete its keys. What the
// server said it keeps to itself, so a release counts as done unless the library had
// told of the loss before.
func (l *rueidisLease) Release(context.Context) error {
	lost := l.held.Err() != nil
	l.release()
	l.end()
	if lost {
		return locks.ErrNotHeld
	}
	return nil
}

func (l *rueidisLease) Lost() context.Context { return l.held }
func (l *rueidisLease) Token() int64          { return 0 }
