package redis

import (
	"slices"
	"time"

	"lockstep/internal/history"
)

// Op implements ports.Request. A script with an Owner changes only that owner's entries; other
// scripts, and commands without an effect in the table, may change any.
func (c *Cmd) Op() history.Op {
	op := history.Op{Name: c.name, Does: commandEffects[c.name], Lease: c.lease}
	if op.Does != history.Beside {
		for i, key := range c.keys() {
			if i > 0 {
				op.Key += " "
			}
			op.Key += key.String() // a single key is not copied
		}
	}
	if c.Script != nil {
		op.Name, op.Script, op.Frees, op.Owner = c.Script.Name, true, Frees(c.Script.Name), c.Owner()
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

// Frees reports whether a script of that name only gives back an entry, or a place in a queue.
func Frees(script string) bool {
	return slices.Contains([]string{"unlock", "release", "delete", "cancel"}, script)
}

// commandEffects are the effects of commands by name.
var commandEffects = map[string]history.Effect{
	"GET": history.Asks, "EXISTS": history.Asks, "TTL": history.Asks, "PTTL": history.Asks, "TIME": history.Asks, "WAIT": history.Asks, "INFO": history.Asks,
	"PING": history.Beside, "SUBSCRIBE": history.Beside, "WATCH": history.Beside,
	"SET": history.Makes, "EXPIRE": history.Makes, "PEXPIRE": history.Makes, "SETNX": history.MakesNew, "GETSET": history.TakesOver,
	"DEL": history.Removes, "UNLINK": history.Removes,
}

// times is the argument as a duration in the given unit; 0 unless it is a number.
func (a Arg) times(unit time.Duration) time.Duration {
	n, _ := parseInt(a)
	return time.Duration(n) * unit
}
