package monitor

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// A server can end the connection of a monitor without dying: a sentinel that changes a server's
// role makes it disconnect all clients (CLIENT KILL TYPE normal and pubsub, in
// sentinelSendSlaveOf of sentinel.c). The monitor reconnects at once, and asks for the number
// of executions of each command, and of expired keys: if the reports account for all of them,
// it has missed nothing.

// census is a server's count of its commands at one moment.
type census struct {
	life  string           // the server's run ID
	calls map[string]int64 // executions of each command, by its name in lower case
}

// expiries is the name of expired keys among the calls of a census.
const expiries = "expired_keys"

// unreported are commands that do not concern a key and that MONITOR may omit. It may also omit
// those with a name of two words (CLIENT KILL).
var unreported = map[string]bool{
	"auth": true, "hello": true, "select": true, "ping": true, "info": true, "role": true, "command": true,
	"multi": true, "exec": true, "discard": true, "monitor": true, "wait": true, "readonly": true,
	"subscribe": true, "unsubscribe": true, "psubscribe": true, "punsubscribe": true, "publish": true,
	"replicaof": true, "slaveof": true, "replconf": true, "psync": true, "sync": true, "failover": true,
	"save": true, "bgsave": true, "bgrewriteaof": true, "lastsave": true, "shutdown": true, "debug": true,
}

// parseCensus parses the sections server, stats and commandstats of INFO:
//
//	run_id:2c1a...
//	expired_keys:1
//	cmdstat_get:calls=3,usec=12,...
func parseCensus(info string) census {
	out := census{calls: map[string]int64{}}
	for line := range strings.Lines(info) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		name, isCalls := strings.CutPrefix(key, "cmdstat_")
		switch {
		case key == "run_id":
			out.life = value
		case key == expiries:
			out.calls[expiries], _ = strconv.ParseInt(value, 10, 64) // as below
		case isCalls && !unreported[name] && !strings.Contains(name, "|"):
			calls, _, _ := strings.Cut(strings.TrimPrefix(value, "calls="), ",")
			out.calls[name], _ = strconv.ParseInt(calls, 10, 64) // 0 after an error: the reports do not match it
		}
	}
	return out
}

// resumeTime bounds the time to reconnect to a server.
const resumeTime = 2 * time.Second

// resume reconnects after the connection has ended; false when the server was restarted,
// when it executed something meanwhile, or when Close was called.
func (m *Monitor) resume() bool {
	m.mu.Lock()
	closed := m.closed
	m.mu.Unlock()
	if closed {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), resumeTime)
	defer cancel()
	before := m.latest
	now, err := m.connect(ctx)
	if err != nil {
		return false
	}
	items := m.Items()
	if now.life != before.life || !accounts(before.calls, now.calls, items[m.counted:]) {
		_ = m.conn.Close() // something was missed
		return false
	}
	m.latest, m.counted = now, len(items)
	return true
}

// accounts reports whether items account for all commands between two counts.
func accounts(before, after map[string]int64, items []Item) bool {
	listed := map[string]int64{}
	for i := range items {
		switch item := &items[i]; {
		case item.Args != nil:
			listed[strings.ToLower(item.Args[0])]++
		case item.Event == "expired":
			listed[expiries]++
		}
	}
	for name, calls := range after {
		if calls != before[name]+listed[name] {
			return false
		}
	}
	return true
}
