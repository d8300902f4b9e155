//go:build linux

package redis

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/world"
)

var (
	conformanceSeed     = flag.Uint64("conformance.seed", 1, "seed of the random commands")
	conformanceCommands = flag.Int("conformance.commands", 240_000, "how many random commands to compare")
)

// TestConformance sends the same random commands to redis-server 7 and to the
// model and demands the same replies.
func TestConformance(t *testing.T) {
	real, _ := startServer(t, "")
	version := real.do(t, world.Command("INFO", "server"))
	if !strings.Contains(version.Str, "redis_version:7.0") {
		t.Logf("compared with another version than 7.0: %.80q", version.Str)
	}
	const batch = 400
	t.Logf("seed %d", *conformanceSeed)
	g := &generator{Rand: rand.New(rand.NewPCG(*conformanceSeed, 7))}
	model, started, scripts := New(), time.Now(), 0
	for sent := 0; sent < *conformanceCommands; sent += batch {
		cmds := make([]world.Cmd, batch)
		g.nowMS = time.Now().UnixMilli()
		for i := range cmds {
			cmds[i] = g.next()
			if cmds[i].Script != nil {
				scripts++
			}
		}
		if bad, why := differ(t, real, model, cmds); bad >= 0 {
			cmds = shrink(t, real, model, cmds[:bad+1])
			_, why2 := differ(t, real, model, cmds)
			for i := range cmds {
				t.Logf("%3d %s", i, cmds[i].Args())
			}
			t.Fatalf("seed %d, command %d: %s\nafter shrinking: %s", *conformanceSeed, sent+bad, why, why2)
		}
	}
	t.Logf("%d commands, %d of them scripts, in %v", *conformanceCommands, scripts, time.Since(started).Round(time.Millisecond))
}

// differ runs commands on an empty server and an empty model and returns the
// index of the first reply that differs, -1 for none.
func differ(t *testing.T, real *realServer, model *Store, cmds []world.Cmd) (bad int, why string) {
	t.Helper()
	real.do(t, world.Command("DISCARD")) // of the last batch; an error without one
	real.do(t, world.Command("FLUSHALL"))
	real.do(t, world.Command("SCRIPT", "FLUSH"))
	model.Reset()
	want := real.pipeline(t, cmds)
	nowMS := time.Now().UnixMilli()
	var open Transaction
	var queued []*world.Cmd
	for i := range cmds {
		got := model.ExecIn(&open, nowMS, 1, &cmds[i])
		if !sameOrQueued(queued, &cmds[i], want[i], got) {
			return i, fmt.Sprintf("%v\nredis-server: %v\nmodel:        %v", cmds[i].Args(), want[i], got)
		}
		switch {
		case want[i].Str == "QUEUED":
			queued = append(queued, &cmds[i])
		case cmds[i].Name == "EXEC" || cmds[i].Name == "DISCARD":
			queued = nil
		}
	}
	return -1, ""
}

// sameOrQueued compares two replies to a command, those of EXEC one by one.
func sameOrQueued(queued []*world.Cmd, cmd *world.Cmd, want, got world.Reply) bool {
	if cmd.Name != "EXEC" || want.Kind != world.ReplyArray {
		return same(cmd, want, got)
	}
	if got.Kind != world.ReplyArray || len(want.Elements()) != len(queued) || len(got.Elements()) != len(queued) {
		return false
	}
	for i := range queued {
		if !same(queued[i], want.Elements()[i], got.Elements()[i]) {
			return false
		}
	}
	return true
}

// shrink leaves out commands as long as some reply still differs.
func shrink(t *testing.T, real *realServer, model *Store, cmds []world.Cmd) []world.Cmd {
	t.Helper()
	for i := len(cmds) - 1; i >= 0; i-- {
		fewer := append(append([]world.Cmd{}, cmds[:i]...), cmds[i+1:]...)
		if bad, _ := differ(t, real, model, fewer); bad >= 0 {
			cmds = fewer[:bad+1]
			i = min(i, len(cmds))
		}
	}
	return cmds
}

// TestConformanceOfShortExpiry lets keys really run out, on the clock of the real
// server, with margins that a busy machine keeps.
func TestConformanceOfShortExpiry(t *testing.T) {
	real, _ := startServer(t, "")
	model := New()
	start := time.Now()
	both := func(cmd world.Cmd) {
		t.Helper()
		want := real.do(t, cmd)
		got := model.Exec(time.Now().UnixMilli(), 1, &cmd)
		if cmd.Name == "PTTL" && want.Int > 0 && got.Int > 0 {
			if d := want.Int - got.Int; d < -150 || d > 150 {
				t.Errorf("%v: redis-server %v, model %v", &cmd, want, got)
			}
		} else if want.String() != got.String() {
			t.Errorf("after %v: %v: redis-server %v, model %v", time.Since(start), &cmd, want, got)
		}
	}
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	expire := func(name string, n int) world.Cmd { return world.Command(name, "e"+strconv.Itoa(n)).Num(int64(n)) }
	for _, n := range []int{200, 600, 1000} {
		both(world.Set("k"+strconv.Itoa(n), "v").NX().PX(ms(n)))
		both(world.Set("e"+strconv.Itoa(n), "v"))
		both(expire("PEXPIRE", n))
		both(world.Command("PSETEX", "p"+strconv.Itoa(n)).Num(int64(n)).Text("v"))
		both(world.Command("HSET", "h"+strconv.Itoa(n), "f", "1"))
		both(world.Command("PEXPIRE", "h"+strconv.Itoa(n)).Num(int64(n)))
	}
	unlock, counter := &lockScripts[0].Script, &lockScripts[9].Script
	for range 3 { // at 400, 800, 1200 ms: 200 ms away from any expiry
		time.Sleep(time.Until(start.Add(ms(400))))
		start = start.Add(ms(400))
		for _, n := range []int{200, 600, 1000} {
			for _, prefix := range []string{"k", "e", "p", "h"} {
				key := prefix + strconv.Itoa(n)
				both(world.Command("PTTL", key))
				both(world.Command("EXISTS", key))
				both(world.Command("TYPE", key))
			}
			both(world.Get("k" + strconv.Itoa(n)))
			both(world.Command("HINCRBY", "h"+strconv.Itoa(n), "f").Num(1))
			both(world.Eval(unlock, "p"+strconv.Itoa(n)).Text("nobody"))
			both(world.Eval(counter, "e"+strconv.Itoa(n)))
			both(world.Set("k"+strconv.Itoa(n), "w").NX())
		}
	}
}

// Scripts of a server's life draw one row of numbers, and each life draws the same.
func TestLuckIsTheServers(t *testing.T) {
	for range 2 {
		real, _ := startServer(t, "")
		model := New()
		model.luck.next()
		model.Reset() // as a restart does
		for range 5 {
			for _, cmd := range []world.Cmd{of(`return math.random(1000000)`), of(`return {tostring(math.random()), 1}`), of(`math.randomseed(3) return math.random(7)`)} {
				want, got := real.do(t, cmd), model.Exec(0, 1, &cmd)
				if !same(&cmd, want, got) {
					t.Errorf("%v: redis-server %v, model %v", cmd.Args(), want, got)
				}
			}
		}
	}
}
