package sim

import (
	"fmt"
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store/redis"
)

// What a server does besides its data: WAIT, channels, INFO, and min-replicas-to-write.

type waiter struct {
	call   *call
	id     int64
	offset int64 // to be confirmed
	want   int64 // by how many replicas
}

type subscriber struct {
	channel string
	conn    *conn
}

// heartbeatEvery is how often a replica reports its offset (replicationCron).
const heartbeatEvery = time.Second

// errUnblocked is what a client in WAIT gets when its primary is demoted.
const errUnblocked = redis.ServerError("UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)")

// errWaitReplica is what a replica answers to WAIT.
const errWaitReplica = redis.ServerError("ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) writes to replicas are just local and are not propagated.")

// control serves the commands that are not about data; false for all others.
func (s *redisServer) control(l *call) bool {
	switch l.cmd.Name() {
	case "WAIT":
		s.wait(l)
	case "SUBSCRIBE":
		s.subscribe(l)
	case "UNSUBSCRIBE":
		s.unsubscribe(l)
	case "WATCH", "UNWATCH":
		s.watchKeys(l)
	case "INFO":
		s.finish(l, redis.Bulk(s.info()))
	default:
		return false
	}
	return true
}

func (s *redisServer) finish(l *call, reply redis.Reply) {
	l.reply = reply
	l.executedOn(&s.host)
	l.answer()
}

// wait is WAIT (waitCommand in replication.c). It is about the offset of its connection's last
// command (client.woff, set by processCommand in server.c); about none on a pooled connection.
func (s *redisServer) wait(l *call) {
	if s.store.IsReplica() {
		s.finish(l, redis.Failed(errWaitReplica))
		return
	}
	offset := int64(0)
	if l.conn != nil {
		offset = l.conn.offset
	}
	want, limit, err := redis.WaitFor(l.cmd.Arguments())
	if err != nil {
		s.finish(l, redis.Failed(err))
		return
	}
	w := waiter{call: l, id: l.id, offset: offset, want: want}
	if n := s.confirmed(offset); n >= w.want {
		s.finish(l, redis.Int(n))
		return
	}
	s.waiters = append(s.waiters, w)
	if l.socket != nil {
		l.conn.waits = true
	}
	for _, r := range s.group.servers {
		if r.upstream == s && !r.proc.Dead() {
			r.carry(replicated{getAck: true, offset: s.offset})
		}
	}
	if limit > 0 {
		d := s.proc.Clock.TrueFor(time.Duration(limit) * time.Millisecond)
		s.w.k.After(d, kernel.HandlerFunc(func() { s.giveUp(l, w.id) }), 0)
	}
}

func (s *redisServer) confirmed(offset int64) (n int64) {
	for _, r := range s.serves {
		if r.acked >= offset && s.connected(r) {
			n++
		}
	}
	return n
}

// giveUp ends a WAIT after its timeout.
func (s *redisServer) giveUp(l *call, id int64) {
	if s.proc.Frozen() && !s.proc.Dead() {
		s.heard = append(s.heard, func() { s.giveUp(l, id) })
		return
	}
	// Calls are reused: the id tells whether it is still this one.
	for _, w := range take(&s.waiters, func(w waiter) bool { return w.call == l && w.id == id && l.id == id }) {
		s.endWait(l, redis.Int(s.confirmed(w.offset)))
	}
}

// unblockAll ends all WAITs on a primary that is demoted.
func (s *redisServer) unblockAll() {
	for _, w := range take(&s.waiters, func(waiter) bool { return true }) {
		s.endWait(w.call, redis.Failed(errUnblocked))
	}
}

// acknowledge reports this replica's offset to the primary (REPLCONF ACK).
func (s *redisServer) acknowledge(offset int64) {
	up, link := s.upstream, s.link
	up.order(s.node, s.group.hop(), func() {
		if up.knows(link) {
			link.acked, link.heard = max(link.acked, offset), s.w.k.Now()
			up.serveWaiters()
		}
	})
}

func (s *redisServer) serveWaiters() {
	for _, w := range take(&s.waiters, func(w waiter) bool { return s.confirmed(w.offset) >= w.want }) {
		s.endWait(w.call, redis.Int(s.confirmed(w.offset)))
	}
}

// endWait answers a WAIT, and executes the commands that came after it on a guest's connection.
func (s *redisServer) endWait(l *call, reply redis.Reply) {
	cn := l.conn
	s.finish(l, reply)
	if cn == nil || !cn.waits {
		return
	}
	behind := cn.behind
	cn.waits, cn.behind = false, nil
	for _, l := range behind {
		s.arrive(l)
	}
}

// heartbeat makes all replicas acknowledge once per second, for min-replicas-to-write.
func (g *redisGroup) heartbeat() {
	g.w.k.After(heartbeatEvery, kernel.HandlerFunc(func() {
		for _, r := range g.servers {
			if r.upstream != nil && r.inStep && r.up() {
				r.acknowledge(r.has)
			}
		}
		g.heartbeat()
	}), 0)
}

// goodReplicas counts the replicas that have acknowledged within maxLag. A server counts once per
// second, and takes the difference of two times in whole seconds (refreshGoodSlavesCount in
// replication.c): one that has been silent for up to two seconds more still counts. Here it counts
// at each whole second.
func (s *redisServer) goodReplicas() (n int) {
	second := func(at history.Instant) int64 { return int64(at.Duration() / time.Second) }
	most := int64((s.group.maxLag + time.Second - 1) / time.Second) // Redis takes whole seconds only
	for _, r := range s.serves {
		if r.acked != none && second(s.w.k.Now())-second(r.heard) <= most {
			n++
		}
	}
	return n
}

// info is the part of INFO replication that client libraries read.
func (s *redisServer) info() string {
	role, n := "master", 0
	if s.store.IsReplica() {
		role = "slave"
	}
	for _, r := range s.serves {
		if s.connected(r) {
			n++
		}
	}
	return fmt.Sprintf("role:%s\r\nconnected_slaves:%d", role, n)
}

func (s *redisServer) subscribe(l *call) {
	if l.conn == nil {
		panic("sim: SUBSCRIBE needs a connection of its own: use Redis.Subscribe")
	}
	s.subs = append(s.subs, subscriber{l.cmd.Arg(0).String(), l.conn})
	s.finish(l, redis.Int(1))
}

func (s *redisServer) deliver(channel, text string) (receivers int64) {
	for _, sub := range s.subs {
		if sub.channel == channel {
			if sub.conn.socket != nil {
				sub.conn.push(Published{channel, text})
			} else {
				sub.conn.push(text)
			}
			receivers++
		}
	}
	return receivers
}

func (s *redisServer) hangUp(cn *conn) {
	s.subs = slices.DeleteFunc(s.subs, func(sub subscriber) bool { return sub.conn == cn })
	s.watches = slices.DeleteFunc(s.watches, func(w look) bool { return w.conn == cn })
	cn.waits, cn.behind = false, nil
	for _, w := range take(&s.waiters, func(w waiter) bool { return w.call.conn == cn && w.call.id == w.id }) {
		w.call.unref()
	}
}
