package sim

import (
	"slices"

	"lockstep/internal/store/redis"
)

// What a Redis server does for guests only: transactions with WATCH, and UNSUBSCRIBE. For CLIENT
// TRACKING see guest_tracking.go.

// execForGuest executes a command on a connection of its own.
func (s *redisServer) execForGuest(nowMS int64, l *call) redis.Reply {
	if l.conn.transaction == nil {
		l.conn.transaction = &redis.Transaction{}
	}
	open := l.conn.transaction.Open()
	reply := s.store.ExecIn(l.conn.transaction, nowMS, l.client.node, &l.cmd)
	if open && !l.conn.transaction.Open() { // EXEC or DISCARD
		s.unwatch(l.conn)
	}
	return reply
}

// Published is what a server pushes to a subscriber of a channel.
type Published struct{ Channel, Text string }

func (s *redisServer) unsubscribe(l *call) {
	channel := l.cmd.Arg(0).String()
	s.subs = slices.DeleteFunc(s.subs, func(sub subscriber) bool { return sub.conn == l.conn && sub.channel == channel })
	s.finish(l, redis.OK())
}

// watchKeys is WATCH and UNWATCH (multi.c): EXEC does nothing after any change of one of the keys.
func (s *redisServer) watchKeys(l *call) {
	if l.conn.transaction == nil {
		l.conn.transaction = &redis.Transaction{}
	}
	s.dropDue(s.wallMS()) // else EXEC would take the end of an expired key for a change
	if l.cmd.Name() == "UNWATCH" {
		s.unwatch(l.conn)
		l.conn.transaction.Unwatch()
	}
	for i := range l.cmd.Len() {
		s.watches = append(s.watches, look{l.cmd.Arg(i).String(), l.conn})
	}
	s.finish(l, redis.OK())
}

func (s *redisServer) unwatch(cn *conn) {
	s.watches = slices.DeleteFunc(s.watches, func(w look) bool { return w.conn == cn })
}

// touch invalidates the transactions that watch a changed key. FLUSHALL changes those keys only
// that were there (touchAllWatchedKeysInDb in multi.c), of which the store reports an entry as
// removed.
func (s *redisServer) touch(changed []redis.Effect) {
	for _, w := range s.watches {
		if slices.ContainsFunc(changed, func(e redis.Effect) bool { return e.Key == w.key && e.Kind != redis.EffectFlush }) ||
			slices.ContainsFunc(s.store.Changes(), func(c redis.Change) bool { return c.Key == w.key }) {
			w.conn.transaction.Touch()
		}
	}
}

// look is one connection's interest in one key.
type look struct {
	key  string
	conn *conn
}
