package redis

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"lockstep/internal/history"
)

// Op implements ports.Request. A script with an Owner changes only that owner's entries; other
// scripts, and commands without an effect in the table, may change any.
func (c *Cmd) Op() history.Op {
	op := history.Op{Name: c.name, Does: commandEffects[c.name], Lease: c.lease}
	if op.Does != history.NoEntry {
		for i, key := range c.keys() {
			if i > 0 {
				op.Key += " "
			}
			op.Key += key.String() // a single key is not copied
		}
	}
	if c.Script != nil {
		op.Name, op.Script, op.Frees, op.Owner = c.Script.Name, true, c.Script.Frees(), c.Owner()
		if op.Owner != "" {
			op.Does = history.RemovesOwn
		}
		return op
	}
	args := c.Arguments()
	if c.name != "SET" || len(args) < 2 {
		return op
	}
	op.Owner = args[1].String()
	for i, a := range args[2:] {
		switch {
		case a.Text == "NX":
			op.Does = history.MakesNew
		case i+3 < len(args) && a.Text == "PX":
			op.Lease = args[i+3].times(time.Millisecond)
		case i+3 < len(args) && a.Text == "EX":
			op.Lease = args[i+3].times(time.Second)
		}
	}
	return op
}

// Frees reports whether a script only gives back an entry, or a place in a queue: its name says so,
// or it reads and removes only.
func (s *Script) Frees() bool {
	s.once.Do(func() {
		calls := scriptCall.FindAllStringSubmatch(s.Source, -1)
		is := func(words []string) func(call []string) bool {
			return func(call []string) bool { return slices.Contains(words, strings.ToUpper(call[1])) }
		}
		s.gives = slices.Contains(givingNames, s.Name) ||
			slices.ContainsFunc(calls, is(removing)) && !slices.ContainsFunc(calls, func(call []string) bool { return !is(removing)(call) && !is(reading)(call) })
	})
	return s.gives
}

var (
	scriptCall  = regexp.MustCompile(`redis\.p?call\(\s*['"]?(\w+)`)
	givingNames = []string{"unlock", "release", "delete", "cancel"} // some also count, or wake others
	removing    = []string{"DEL", "UNLINK", "HDEL", "LREM", "ZREM", "SREM"}
	reading     = []string{"GET", "MGET", "EXISTS", "HGET", "HEXISTS", "HLEN", "HGETALL", "LRANGE", "LINDEX", "LLEN", "ZRANGE", "ZSCORE", "ZCARD", "SISMEMBER", "TTL", "PTTL", "TYPE", "TIME", "PUBLISH"}
)

// commandEffects are the effects of commands by name.
var commandEffects = map[string]history.Effect{
	"GET": history.Asks, "EXISTS": history.Asks, "TTL": history.Asks, "PTTL": history.Asks, "TIME": history.Asks, "WAIT": history.Asks, "INFO": history.Asks,
	"PING": history.NoEntry, "SUBSCRIBE": history.NoEntry, "WATCH": history.NoEntry,
	"SET": history.Makes, "EXPIRE": history.Makes, "PEXPIRE": history.Makes, "SETNX": history.MakesNew, "GETSET": history.TakesOver,
	"DEL": history.Removes, "UNLINK": history.Removes,
}

// times is the argument as a duration in the given unit; 0 unless it is a number.
func (a Arg) times(unit time.Duration) time.Duration {
	n, _ := parseInt(a)
	return time.Duration(n) * unit
}
