// Lock pg-advisory
//
// Idea: PostgreSQL keeps locks on numbers that mean whatever the application likes.
// They belong to a session. The client keeps a connection for as long as it holds
// the lock.
//
// Protocol:
//  1. On a connection of its own, SET lock_timeout, a third of the response timeout.
//  2. SELECT pg_advisory_lock(hashtext(name)): it returns when the lock is held, or
//     fails with state 55P03 after that time: try again.
//  3. SELECT pg_advisory_unlock(hashtext(name)) on the same connection; true: given
//     back; false: it was not this session's. Then the connection is closed.
//
// Guarantees: as mysql-get-lock: one holder for as long as its session lives, freed
// when the session ends, waiting clients in their order, several times over.
//
// Breaks when: the session ends and the holder does not know: a restart, an operator's
// pg_terminate_backend, idle_session_timeout while the work needs no database. Nothing
// tells the client before its next statement. A client behind a broken network, or on
// a machine that has lost power, keeps the lock until TCP keepalive ends its session,
// hours later by default. The lock is one server's, no replica knows of it. A pooler
// that hands the session to another client after each transaction breaks it without any
// fault. Two names may have the same hash.
//
// Source: PostgreSQL documentation, "Advisory Locks" and "Advisory Lock Functions".
// Not in the documents.
//
// 想法：PostgreSQL 的锁锁的是数字，数字的含义由应用决定。锁属于会话。客户端持有锁多久，就保持
// 连接多久。
//
// 协议：
//  1. 在一条专用的连接上，SET lock_timeout，为响应超时的三分之一。
//  2. SELECT pg_advisory_lock(hashtext(name))：拿到锁才返回，过了那段时间就以状态 55P03 失败：再
//     试。
//  3. 在同一条连接上 SELECT pg_advisory_unlock(hashtext(name))；true：还掉了；false：锁不在这个会
//     话手里。然后关闭连接。
//
// 保证：同 mysql-get-lock：会话活着期间只有一个持有者，会话结束就放掉，等待的客户端按次序，可
// 以拿多次。
//
// 何时被破坏：会话结束而持有者不知道：重启、运维的 pg_terminate_backend、工作不需要数据库时的
// idle_session_timeout。下一条语句之前，没有什么会告诉客户端。网络断了或机器断电的客户端会一直
// 占着锁，直到 TCP keepalive 结束它的会话，默认是几个小时之后。锁属于一台服务器，副本都不知道
// 它。每个事务之后把会话交给别人的连接池，不用任何故障就会破坏它。两个名字的哈希可能相同。
//
// 来源：PostgreSQL 文档，"Advisory Locks" 和 "Advisory Lock Functions"。五份文档里没有。

package locks

import (
	"context"
	"strconv"

	"lockstep/internal/store/sql"
	"lockstep/internal/world"
)

func init() {
	Register(Variant{
		ID: "pg-advisory", File: "pg_advisory.go", Store: StorePostgres,
		New: func(d Deps) Lock { return &pgAdvisory{sqlSessions{Deps: d}} },
	})
}

type pgAdvisory struct{ sqlSessions }

// pgLockTimeout is the state of the error after lock_timeout.
const pgLockTimeout = "55P03"

func (l *pgAdvisory) Acquire(ctx context.Context) (Lease, error) {
	// SET takes no arguments.
	limit := statement("SET lock_timeout = " + strconv.FormatInt(world.Millis(l.waitTime()), 10))
	take := statement("SELECT pg_advisory_lock(hashtext(?))", sql.Text(l.Name))
	s, err := l.hold(ctx, []sql.Stmt{limit}, func(conn sql.Session) (bool, error) {
		err := conn.Exec(ctx, take).Err
		if e, ok := err.(*sql.Error); ok && e.State == pgLockTimeout {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return nil, err
	}
	return &namedLease{lock: &l.sqlSessions, session: s, release: statement("SELECT pg_advisory_unlock(hashtext(?))", sql.Text(l.Name))}, nil
}
