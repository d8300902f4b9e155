package redis

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
)

var script = &Script{Name: "renew", Source: "return 1"}

func TestCommandsReadAsTyped(t *testing.T) {
	tests := []struct {
		cmd  Cmd
		want string
		args string
	}{
		{SetNX("lock", "A"), "SETNX lock A", "[SETNX lock A]"},
		{Expire("lock", 30*time.Second), "EXPIRE lock 30", "[EXPIRE lock 30]"},
		{Set("lock", "A").EX(30 * time.Second).NX(), "SET lock A EX 30 NX", "[SET lock A EX 30 NX]"},
		{Set("lock", "t").PX(1500 * time.Millisecond).NX(), "SET lock t PX 1500 NX", "[SET lock t PX 1500 NX]"},
		{Get("lock"), "GET lock", "[GET lock]"},
		{Del("lock"), "DEL lock", "[DEL lock]"},
		{Eval(script, "lock").Text("t").Num(10000), "EVAL renew lock t 10000", "[EVAL return 1 1 lock t 10000]"},
		{Command("HINCRBY", "h", "f").Num(-1), "HINCRBY h f -1", "[HINCRBY h f -1]"},
	}
	for _, tt := range tests {
		must.Equalf(t, tt.cmd.String(), tt.want, "String")
		must.Equalf(t, fmt.Sprint(tt.cmd.Args()), tt.args, "Args")
	}
}

// Commands built from the same one share memory, but no arguments.
func TestCommandsAreIndependent(t *testing.T) {
	base := Eval(script, "lock").Text("t")
	first, second := base.Num(1), base.Num(2).Text("x")
	third := base
	for range 20 { // far beyond the room of a new command
		third = third.Text("y")
	}
	fourth := first.Text("z")
	for want, c := range map[string]Cmd{
		"EVAL renew lock t": base, "EVAL renew lock t 1": first, "EVAL renew lock t 2 x": second,
		"EVAL renew lock t" + strings.Repeat(" y", 20): third, "EVAL renew lock t 1 z": fourth,
	} {
		must.Equal(t, c.String(), want)
	}
}

func TestSame(t *testing.T) {
	base := Set("lock", "t").PX(time.Second)
	full := base.NX()
	for _, other := range []Cmd{
		base, base.Num(1), Set("lock", "t").PX(time.Second).NX(), Command("SET"), Del("lock"), Eval(script, "lock"),
	} {
		if full.Same(&other) || other.Same(&full) {
			t.Errorf("%v and %v are not the same", &full, &other)
		}
	}
	again := full
	if !full.Same(&again) {
		t.Error("a command is not the same as its copy")
	}
	ping, multi := Command("PING"), Command("MULTI")
	if ping.Same(&multi) || !ping.Same(&ping) {
		t.Error("commands without arguments are compared by name")
	}
}

func TestAFractionOfTheUnitPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("EX takes whole seconds")
		}
	}()
	Set("lock", "t").EX(1500 * time.Millisecond)
}
