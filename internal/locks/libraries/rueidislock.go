// Lock rueidislock
//
// Library: github.com/redis/rueidis/rueidislock
// Store: redis
// Lease: 1ms
//
// Idea: a lock that renews itself and tells its holder, by the end of a context, when
// it is lost; waiting clients do not poll but are told by the server (client-side
// caching) when the key changes. It is used as its README says for one Redis: with one
// key (KeyMajority 1), and without word of the client's own changes (NoLoopTracking).
//
// Protocol:
//  1. EVALSHA acquire: SET rueidislock:0:key token NX PXAT deadline -> OK, and GET key, so that the server tells of its next change. The deadline is the client's own wall clock and the lease. Without an answer after 20 ms (TryNextAfter): EVALSHA delete.
//  2. Else wait for an invalidation message, and try again.
//  3. Every half of the lease, and whenever another client is said to have changed the key: EVALSHA extend: GET key equals token -> PEXPIREAT key deadline, GET key, 1; else 0. A key that is lost ends the holder's context.
//  4. To release: EVALSHA delete: GET key equals token -> DEL key, 1; else 0. The library says nothing of the answer.
//
// Guarantees: mutual exclusion while every holder's process runs and reaches the
// server; slow work does not lose the lock; a holder whose entry is gone is told as
// soon as its process runs and the server is reached, by an invalidation or by the
// next renewal.
//
// Breaks when: the holder's process stands still for longer than its lease: the
// renewal stands still with it, and what it is told on waking may come after its
// write. A failover that forgets the entry lets a second client in; the three keys
// that are its default would be on the same server, so they do not help. A
// client whose clock is behind by more than the lease asks for a key that is over when
// it is made. A hung worker keeps the lock for ever. A client that tries while no
// primary answers waits for news of a key that a new primary may never have had. An
// answer later than TryNextAfter has a client delete its key, of which NOLOOP tells it
// nothing, and then wait beside a free lock for ever (seen on a real server through a
// 24 ms link). That is the D of most columns: a variation may take 20 ms each way, and in
// 600 runs with 9 ms at most nobody was stuck. Without NoLoopTracking, which is the
// default, each renewal brings word of itself and so the next one: one held lock costs a
// redis-server ten thousand renewals a second (47,264 EVALSHA in 5 s; 2 as it is used here).
//
// Source: the library's README and code at v1.0.79, rueidislock/lock.go.
//
// 想法：自己续期的锁，丢锁时用 context 的结束告诉持有者；等待的客户端不轮询，键变化时由服务器
// 通知（客户端缓存）。用法照 README 里只有一台 Redis 时的写法：一个键（KeyMajority 为 1），不通
// 知客户端自己的改动（NoLoopTracking）。
//
// 协议：
//  1. EVALSHA acquire：SET rueidislock:0:key token NX PXAT deadline -> OK，并 GET key，好让服务器
//     通知它下一次变化。deadline 是客户端自己的墙上时钟加上租约。20 毫秒（TryNextAfter）之后还没
//     有答复：EVALSHA delete。
//  2. 否则等一条失效消息，再试。
//  3. 每半个租约，以及得知别人改了这个键的时候：EVALSHA extend：GET key 等于 token -> PEXPIREAT
//     key deadline，GET key，1；否则 0。丢了键，持有者的 context 就结束。
//  4. 释放：EVALSHA delete：GET key 等于 token -> DEL key，1；否则 0。答复是什么，库只字不提。
//
// 保证：只要每个持有者的进程在运行、又连得上服务器，就互斥；工作慢不会丢锁；条目没了的持有者，
// 只要进程在运行、连得上服务器，就会从失效通知或下一次续期得知。
//
// 何时被破坏：持有者的进程停住，比租约还久：续期也跟着停住，醒来时得到的消息可能比写入来得晚。
// 忘掉条目的故障转移会放进第二个客户端；默认的三个键也在同一台服务器上，所以没有帮助。时钟慢得
// 超过一个租约的客户端，要的键一创建就已过期。卡住的任务会永远占着锁。没有主节点答复时来尝试的
// 客户端，等的是新的主节点可能从没有过的键的消息。答复晚于 TryNextAfter，客户端就会删掉自己的
// 键，而 NOLOOP 不会告诉它这件事，于是守着一把空着的锁一直等下去（在真实服务器上，经过延迟 24 毫
// 秒的链路看到过）。多数列里的 D 就是这么来的：变体的单程延迟可达 20 毫秒；最多 9 毫秒时，600 次
// 运行里没有人卡住。不开 NoLoopTracking（默认不开），每次续期都会带来关于它自己的通知，于是又续期
// 一次：一把被持有的锁，让 Redis 服务器每秒承受一万次续期（5 秒里 47,264 次 EVALSHA；这里的用法
// 是 2 次）。
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
	locker, err := rueidislock.NewLocker(rueidislock.LockerOption{
		ClientOption: options, KeyValidity: d.Lease,
		KeyMajority:    1,    // for one Redis, says the README: three keys on one server are no majority of anything
		NoLoopTracking: true, // else each renewal is followed by the next one at once
	})
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
