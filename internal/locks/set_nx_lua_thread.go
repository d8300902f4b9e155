// Lock set-nx-lua-thread
//
// Idea: the value says which thread of which process has the lock. Nobody else has that
// value, but the thread has it each time.
//
// Protocol:
//  1. SET key uuid:threadId PX milliseconds NX, with one uuid per process; OK: the lock is held; nil: try again later.
//  2. EVAL unlock: GET key equals uuid:threadId -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua between different threads.
//
// Breaks when: as set-nx-lua; besides, a release that comes late finds the thread's next
// hold and takes it for the one that it belongs to: the key goes, and another client gets in
// beside the thread. A value that is new with each acquisition tells the two holds apart.
//
// Source: S0 "Distributed locks on Redis", lines 68-89, for the value, with the release
// of set-nx-lua, so that it is the value alone that makes the difference; Redis
// documentation, "Distributed Locks with Redis": unique across all clients and all lock
// requests.
//
// 想法：值写明锁在哪个进程的哪个线程手里。别人都没有这个值，但这个线程每次用的都是它。
//
// 协议：
//  1. SET key uuid:threadId PX milliseconds NX，每个进程一个 uuid；OK：拿到锁；nil：稍后再试。
//  2. EVAL unlock：GET key 等于 uuid:threadId -> DEL key，1；否则 0。
//
// 保证：在不同的线程之间，同 set-nx-lua。
//
// 何时被破坏：同 set-nx-lua；另外，迟到的释放碰上线程的下一次持有，把它当成自己所属的那一次：
// 键没了，另一个客户端进来和这个线程同时持有。每次拿锁都换新的值，才分得清两次持有。
//
// 来源：值出自 S0《基于redis的分布式锁》第 68-89 行，释放用的是 set-nx-lua 的，这样差别就只在值
// 上；Redis 文档，"Distributed Locks with Redis"：在所有客户端和所有拿锁请求中唯一。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "set-nx-lua-thread", File: "set_nx_lua_thread.go", Store: StoreRedis, LeaseUnit: time.Millisecond,
		New: func(d Deps) Lock { return &setNXLuaThread{Deps: d} },
	})
}

type setNXLuaThread struct {
	Deps
	thread string // "" before the first acquisition
}

func (l *setNXLuaThread) Acquire(ctx context.Context) (Lease, error) {
	if l.thread == "" {
		l.thread = newToken(l.Env) + ":1"
	}
	create := redis.Set(l.Name, l.thread).PX(l.Lease).NX()
	return spin(ctx, l.Deps, func() (Lease, error) {
		reply := l.Redis.Do(ctx, create)
		if !reply.IsOK() {
			return nil, reply.Err
		}
		return &scriptDel{Deps: &l.Deps, token: l.thread}, nil
	})
}
