package locks

import (
	"strconv"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

// This file is shared by the locks that keep their deadline as the value of the key, in
// milliseconds since 1970 on the wall clock of its writer. The server compares nothing and
// expires nothing.

// wallMillis is the time of the client's own wall clock.
func wallMillis(env ports.Env) int64 { return env.Now().UnixMilli() }

// deadlineFrom is the deadline of a lock that is taken now: one millisecond after
// the end of the lease.
func deadlineFrom(nowMS int64, lease time.Duration) int64 {
	return nowMS + ports.Millis(lease) + 1
}

// withDeadline is a command that writes the deadline of a lock that is taken now.
func withDeadline(command string, d *Deps, deadlineMS int64) redis.Cmd {
	return redis.Command(command, d.Name).Num(deadlineMS).Lasting(d.Lease)
}

// passed reports whether a reply of GET or GETSET is a deadline before nowMS. A
// value that is no number was not written by such a lock, and never expires.
func passed(reply redis.Reply, nowMS int64) bool {
	deadline, err := strconv.ParseInt(reply.Str, 10, 64)
	return err == nil && reply.Kind == redis.ReplyBulk && deadline < nowMS
}
