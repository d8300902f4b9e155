package tidy

// What the tests of the price add.

const meltingLock = `// Lock melting
//
// Idea: compare and delete in one command of the server.
//
// Protocol:
//  1. SET key token PX milliseconds NX; OK: the lock is held; nil: try again later.
//  2. DELEX key IFEQ token.
//
// Guarantees: a release removes the client's own entry or none.
//
// Breaks when: a holder overruns its lease, by slow work or a pause.
//
// Source: Redis documentation of DELEX, a command of Redis 8.4.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "melting", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Servers: Servers{Redis84: true}, New: stateless(melting),
	})
}

func melting(ctx context.Context, d *Deps) (Lease, error) {
	return setNXPX(ctx, d, func(token string, _ time.Duration) Lease {
		return ReleaseFunc(func(ctx context.Context) error {
			return removed(d.Redis.Do(ctx, redis.Command("DELEX", d.Name, "IFEQ", token)))
		})
	})
}
`

const meltingChinese = `想法：比较和删除是服务器的同一条命令。

协议：
 1. SET key token PX milliseconds NX；OK：拿到锁；nil：稍后再试。
 2. DELEX key IFEQ token。

保证：释放删掉的是客户端自己的条目，或者什么也不删。

何时被破坏：持有者超过租约，因为工作慢或停顿。

来源：Redis 文档里的 DELEX，Redis 8.4 的命令。
`

// translated is what a change adds to the catalogue.
func translated(entries string) [2]string {
	const head = `"Content-Transfer-Encoding: 8bit\n"` + "\n"
	return [2]string{head, head + entries}
}

const meltVerbChinese = `
msgid "Stops a process for a while."
msgstr "让一个进程停一会儿。"

msgid "{who} melts"
msgstr "{who} 融化"
`

const meltPropertyChinese = `
msgid "No client freezes twice."
msgstr "没有客户端停住两次。"

msgid "no client froze at all"
msgstr "没有客户端停住过"

msgid "nobody-melts"
msgstr "没有人融化"
`

const meltingWire = `# Redis documentation of DELEX
A SET lock <token> PX 10000 NX -> OK
A DELEX lock IFEQ <token> -> (integer) 1
B SET lock <token> PX 10000 NX -> (nil)
B SET lock <token> PX 10000 NX -> OK
B DELEX lock IFEQ <token> -> (integer) 1
`

const meltingRefused = `package real_test

import (
	"strings"
	"testing"

	"lockstep/internal/real"
)

func TestMeltingIsRefused(t *testing.T) {
	err := real.Refuse(quick(t, "melting"), "melting", real.Options{})
	if err == nil || !strings.Contains(err.Error(), "it needs Redis 8.4 or later") {
		t.Errorf("got %v", err)
	}
}
`

const meltingStory = `scenario: Melting
level: 2
story: A is away for longer than its lease.
question: Who holds the lock when A is back?
locks: [melting]
lease: 10s
clients: [A, B]
workload: {repeat: once, wait: up to 60s, work: 2s..3s}
faults:
  - when: A is in its critical section
    FAULT
expect:
  every lock: {mutual-exclusion: broken}
lesson: A lease is over when it is over.
zh:
  scenario: 熔化
  story: A 离开得比租约还久。
  question: A 回来时，锁归谁？
  lesson: 租约结束就是结束了。
`

const meltVerb = `package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:     "melt",
		Summary:  "Stops a process for a while.",
		Example:  "- when: A is in its critical section\n  melt: A\n  for: 15s",
		Value:    Param{Kind: ParamNode, Required: true, Doc: "which process"},
		Ends:     true,
		Acts:     SpanOfFault,
		Describe: func(t Description) say.Phrase { return textMelt.With(t.who) },
		Begin:    func(w World, _ Args, at Activation) { w.Melt(at.Fault, at.Target) },
		End:      func(w World, at Activation) { w.Thaw(at.Fault, at.Target) },
	})
}

var textMelt = say.New1[actor]("{who} melts")
`

const meltCase = `var processes = []Case{
	{
		Verb: "melt", What: "a client", Lock: "set-nx-lua", Story: "when: A is in its critical section, melt: A, until: B sends SET the 20th time",
		During: func(s *Seen) string {
			thawed := s.next(one{kind: history.Thawed, node: "A"}, s.ended)
			return unless(thawed >= 0 && s.doings("A", s.began, thawed) == 0, "A did something, or does not go on")
		},
		After: goesOn("A"),
	},
`

const meltProperty = `package checker

import (
	"lockstep/internal/history"
	"lockstep/internal/say"
)

func init() {
	Register(Property{ID: "nobody-melts", Summary: "No client freezes twice.", Source: "this test", Check: checkNobodyMelts})
}

// checkNobodyMelts is unknown when no client has frozen.
func checkNobodyMelts(h *history.History) Finding {
	f, seen := Finding{Property: "nobody-melts", Verdict: Kept}, map[history.NodeID]bool{}
	for i, e := range h.Events {
		if e.Kind == history.Froze {
			if seen[e.Node] {
				f.Verdict = Broken
				f.add(Violation{From: e.At, To: e.At, Clients: []history.NodeID{e.Node}, Events: []int32{int32(i)}})
			}
			seen[e.Node] = true
		}
	}
	if len(seen) == 0 {
		return Finding{Property: "nobody-melts", Verdict: Unknown, Reason: nobodyFroze.With()}
	}
	return f
}

var nobodyFroze = say.New0("no client froze at all")
`

const meltTried = `package checker

import "lockstep/internal/history"

func init() {
	tables["nobody-melts"] = []row{
		{"nobody froze", "0 A acquired", "unknown"},
		{"once", "0 A froze; 1 A thawed; 2 B froze", "kept"},
		{"twice", "0 A froze; 1 A thawed; 2 A froze", "broken 1: 2 A #2"},
	}
	mutations["nobody-melts"] = []string{"anybody's second is one"}
	oracles["nobody-melts"] = func(h *history.History, bug string) Finding {
		f, froze := Finding{Property: "nobody-melts", Verdict: Kept}, false
		for i, e := range h.Events {
			if e.Kind != history.Froze {
				continue
			}
			froze = true
			for _, before := range h.Events[:i] {
				if before.Kind == history.Froze && (before.Node == e.Node || bug != "") {
					f.Verdict = Broken
					f.add(Violation{From: e.At, To: e.At, Clients: []history.NodeID{e.Node}, Events: []int32{int32(i)}})
					break
				}
			}
		}
		if !froze {
			return Finding{Property: "nobody-melts", Verdict: Unknown, Reason: nobodyFroze.With()}
		}
		return f
	}
}
`

const meltAsked = `package run

import (
	"slices"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

func TestWhoAsksForMelting(t *testing.T) {
	w := sim.New()
	defer w.Close()
	for file, asks := range map[string]bool{"melting": true, "pause-past-lease": false} {
		p := scenariotest.Load(t, "../../scenarios/lessons/"+file+".yaml")
		out := One(t.Context(), w, p, p.Locks[0], 1)
		judged := slices.ContainsFunc(out.Judgement.Findings, func(f checker.Finding) bool { return f.Property == "nobody-melts" })
		if judged != asks || !out.Status().Good() {
			t.Errorf("%s: judged %t, status %d", file, judged, out.Status())
		}
		if v := out.Judgement.Finding("nobody-melts").Verdict; v != checker.Kept {
			t.Errorf("%s: who asks later is told %s", file, v)
		}
	}
}
`
