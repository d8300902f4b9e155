package redis

import (
	"time"

	"lockstep/internal/history"
)

// Op implements world.Request. A script may change entries with the word that it compares, or anything. Most
// commands may do anything.
func (c *Cmd) Op() history.Op {
	op := history.Op{Name: c.name, Does: commandEffects[c.name]}
	if op.Does != history.Beside {
		for i, key := range c.keys() {
			if i > 0 {
				op.Key += " "
			}
			op.Key += key.String() // of one key, as of most commands, no copy
		}
	}
	if c.Script != nil {
		op.Name, op.Script, op.Owner = c.Script.Name, true, c.Owner()
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

// commandEffects are those of commands by their names.
var commandEffects = map[string]history.Effect{
	"GET": history.Asks, "EXISTS": history.Asks, "TTL": history.Asks, "PTTL": history.Asks, "TIME": history.Asks, "WAIT": history.Asks, "INFO": history.Asks,
	"PING": history.Beside, "SUBSCRIBE": history.Beside, "WATCH": history.Beside,
	"SET": history.Makes, "EXPIRE": history.Makes, "PEXPIRE": history.Makes, "SETNX": history.MakesNew, "GETSET": history.TakesOver,
	"DEL": history.Removes, "UNLINK": history.Removes,
}

// times is the argument as a duration, in a unit; 0 when it is no number.
func (a Arg) times(unit time.Duration) time.Duration {
	n, _ := parseInt(a)
	return time.Duration(n) * unit
}
