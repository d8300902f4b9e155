package say

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
)

// Every template says the same in both languages: what one has, the other has, and brackets
// and words hang on arguments that can decide about them.
func TestTemplatesAreWellFormed(t *testing.T) {
	if len(templates) < 100 {
		t.Fatalf("there are %d templates", len(templates))
	}
	english := map[string]bool{}
	for _, tmpl := range templates {
		for _, mistake := range mistakes(tmpl, translated(Chinese, tmpl.english)) {
			t.Errorf("%q: %s", tmpl.english, mistake)
		}
		if english[tmpl.english] {
			t.Errorf("%q occurs twice", tmpl.english)
		}
		english[tmpl.english] = true
	}
}

// mistakes are what is wrong with a template and its Chinese.
func mistakes(t *template, chinese string) (out []string) {
	defer func() {
		if r := recover(); r != nil {
			out = append(out, fmt.Sprint(r))
		}
	}()
	wrong := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	names := namesIn(t.english)
	if len(names) != len(t.kinds) {
		wrong("%d arguments, %d kinds", len(names), len(t.kinds))
		return out
	}
	if chinese == t.english && words(t.english) {
		wrong("no Chinese")
	}
	for l, text := range []string{t.english, chinese} {
		if strings.Count(text, "[") != strings.Count(text, "]") {
			wrong("a bracket without its other half in %q", text)
		}
		in := namesIn(text)
		for _, n := range names {
			if !slices.Contains(in, n) {
				wrong("%q has no {%s}", text, n)
			}
		}
		f := parse(text, names)
		decided := map[int]bool{0: true}
		for group, flag := range f.flags {
			if flag == none {
				continue
			}
			decided[group] = true
			if _, ok := t.kinds[flag].(Flag); !ok {
				wrong("%s is no flag", names[flag])
			}
		}
		for _, p := range f.pieces {
			if p.argument == none {
				continue
			}
			decided[p.group] = true
			switch t.kinds[p.argument].(type) {
			case Flag:
				wrong("%s is a flag", names[p.argument])
			case Number, Optional, Grouped:
			default:
				if p.many != "" {
					wrong("%s is no number", names[p.argument])
				}
			}
		}
		for group := range f.flags {
			if !decided[group] {
				wrong("nothing decides whether a bracket of language %d is said", l)
			}
		}
	}
	return out
}

// words reports whether a template says anything besides its arguments.
func words(text string) bool {
	for _, tok := range tokens(text) {
		if tok.name == "" && strings.ContainsFunc(tok.text, unicode.IsLetter) {
			return true
		}
	}
	return false
}

// Each kind of mistake in a translation is found.
func TestMistakesAreFound(t *testing.T) {
	for _, c := range []struct {
		english, chinese string
		kinds            []Part
		want             string
	}{
		{"{who} waits", "等", []Part{Node{}}, "has no {who}"},
		{"waits", "{who} 等", nil, "has no {who}"},
		{"{who} waits", "{who} waits", []Part{Node{}}, "no Chinese"},
		{"{who} waits", "{who} 等", nil, "1 arguments, 0 kinds"},
		{"waits[who? long]", "等[who?很久]", []Part{Node{}}, "is no flag"},
		{"{who} waits", "{who} 等", []Part{Flag(true)}, "is a flag"},
		{"{who|one|many} waits", "{who} 等", []Part{Node{}}, "is no number"},
		{"waits[ long]", "等[很久]", nil, "nothing decides"},
		{"waits[ {who}", "等[{who}]", []Part{Verbatim("")}, "bracket"},
	} {
		got := strings.Join(mistakes(&template{english: c.english, kinds: c.kinds}, c.chinese), "; ")
		if !strings.Contains(got, c.want) {
			t.Errorf("%q: %q, want %q", c.english, got, c.want)
		}
	}
}

func TestPhrasesInBothLanguages(t *testing.T) {
	a, b, store := Client("A"), Client("B"), Store("redis-1", true)
	for _, tt := range []struct {
		give             Phrase
		english, chinese string
	}{
		{IsGranted.With(a, 0, false, 10_002_000_000, true), "A is granted the lock until 10.002 s and enters.", "A 获得锁，期限到 10.002 秒，并进入临界区。"},
		{IsGranted.With(a, 4, true, 0, false), "A is granted the lock with token 4 without expiry in the store.", "A 获得锁，令牌 4，存储里没有过期时间。"},
		{IsGranted.With(a, 0, false, 0, false), "A is granted the lock.", "A 获得锁。"},
		{Freezes.With(a, 6_000_000_000, BetweenCommands.With(Command{Name: "GET"}, Command{Name: "DEL"}), 1),
			"A freezes for 6 s between GET and DEL (fault 1).", "A 冻结 6 秒，在 GET 和 DEL 之间（故障 1）。"},
		{Freezes.With(a, 0, Phrase{}, 0), "A freezes.", "A 冻结。"},
		{LeaseEnds.With(0, true, a), "The lease ends. A is not told.", "租约结束。A 并不知情。"},
		{LeaseEndsOn.With(a, "redis-3", false), "The lease of A ends on redis-3.", "A 的租约在 redis-3 上结束。"},
		{WriteRefused.With(a, true, 1, 3), "A wakes and writes with token 1. The resource refuses: it has seen 3.", "A 醒来并写入，令牌 1。资源拒绝：它见过 3。"},
		{BecomesPrimary.With(Store("redis-2", false), 0, "redis-1", Names{"A", "B"}),
			"Store redis-2 becomes the primary, although redis-1 is still running. It has no entry of A and B.",
			"存储 redis-2 成为主节点，而 redis-1 还在运行。它没有 A 和 B 的条目。"},
		{Crashes.With(store, 1, NoReplicaHas.With(a)), "The store crashes (fault 1). No replica has A's entry.", "存储崩溃（故障 1）。任何副本都没有 A 的条目。"},
		{ArrivesLate.With(a, Command{Name: "unlock", Script: true}, Store("redis-4", false), 4_992_000_000),
			"A's unlock script reaches store redis-4 only now, 4.992 s after it was sent.",
			"A 的 unlock 脚本现在才到达存储 redis-4，发出之后过了 4.992 秒。"},
		{AttemptFails.With(b, "connection lost"), "B's attempt fails: connection lost.", "B 的尝试失败：连接断了。"},
		{AttemptFails.With(b, "ERR no."), "B's attempt fails: ERR no.", "B 的尝试失败：ERR no。"},
		{AttemptFails.With(b, ""), "B's attempt fails: its outcome is unknown.", "B 的尝试失败：结果未知。"},
		{Grants.With(store, Probe(), 1_000_000_000), "The store grants the probe the lock until 1.000 s. The probe does not know yet.", "存储把锁授予探针，期限到 1.000 秒。探针还不知道。"},
		{FaultBegins.With(2, Both{English: "slow A", Chinese: "让 A 慢"}), "Fault 2 begins: slow A.", "故障 2 开始：让 A 慢。"},
		{FaultBegins.With(2, Both{English: "slow A"}), "Fault 2 begins: slow A.", "故障 2 开始：slow A。"},
		{FaultBegins.With(2, Both{}), "Fault 2 begins.", "故障 2 开始。"},
		{Believe.With(Names{"A", "B", "probe"}), "A, B and probe each think they hold it", "A、B 和探针都以为自己持有锁"},
		{StoresHave.With(Shares{{"A", 2, 5}, {"C", 3, 5}}), "servers say A 2/5, C 3/5", "各台服务器：A 2/5、C 3/5"},
		{IsBroken.With("progress"), "progress is broken", "「能够前进」被破坏"},
		{IsBrokenFor.With("progress", Seconds(time.Second), Seconds(3*time.Second)), "progress is broken from 1.000 s to 3.000 s", "「能够前进」在 1.000 秒到 3.000 秒之间被破坏"},
		{UnknownBecause.With("custom", NoProbe.With()), "custom is unknown: no probe tried the lock in the quiet period", "custom 未知：安静期里没有探针来试这把锁"},
		{StoreHas.With("Redis", "B"), "Redis says B", "Redis 里是 B"},
		{StoreIsDown.With(""), "the store is down", "存储：宕机"},
		{Said.With(Remarks{StaleWriteAfter.With(b, a), LostUpdate.With()}), "stale write: B had the lock after A; lost update", "过期写：B 在 A 之后拿过锁；丢失更新"},
		{DidDamage.With("x", Clauses{LetInTimes.With(false, 2, 2, 4_772_000_000), AcceptedStaleWrites.With(1), LostUpdates.With(2)}, 1, ImpactDamaged.With()),
			"x let two clients in at once, 2 times (4.772 s in total), accepted 1 stale write and lost 2 updates; the fence refused 1 write: data damaged.",
			"x 2 次让两个客户端同时在里面（共 4.772 秒），接受了 1 次过期写，丢失了 2 次更新；防护拒绝了 1 次写入：数据受损。"},
		{LetIn.With(2, 30), "let two clients in at once for 0.001 ms", "让两个客户端同时在里面，持续 0.001 毫秒"},
		{LetIn.With(12, 420_000), "let 12 clients in at once for 0.42 ms", "让 12 个客户端同时在里面，持续 0.42 毫秒"},
		{Kept.With("x", 1, 0), "x kept every property over 1 acquisition.", "x 守住了所有性质，共授予 1 次。"},
		{PauseOverLease.With(15_000_000_000, 10_000_000_000, 999_600), "pause 15.000 s > lease 10.000 s - 0.001 s spent", "停顿 15.000 秒 > 租约 10.000 秒 - 已用 0.001 秒"},
		{Phrase{}, "", ""},
	} {
		if got := tt.give.In(English); got != tt.english {
			t.Errorf("got  %s\nwant %s", got, tt.english)
		}
		if got := tt.give.In(Chinese); got != tt.chinese {
			t.Errorf("got  %s\nwant %s", got, tt.chinese)
		}
	}
}

func TestPlannedTimes(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Minute: "60 s", 1500 * time.Millisecond: "1.5 s", 100 * time.Millisecond: "100 ms",
		200 * time.Microsecond: "0.2 ms", 0: "0 s", -12 * time.Second: "-12 s", -time.Millisecond: "-1 ms",
	} {
		if got := Planned(d).In(English); got != want {
			t.Errorf("%d is said as %q, want %q", d, got, want)
		}
	}
}
