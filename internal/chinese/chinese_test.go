package chinese_test

import (
	"context"
	"strings"
	"testing"
	"unicode"

	"lockstep/internal/chinese"
	"lockstep/internal/explain"
	"lockstep/internal/run"
	"lockstep/internal/sim"
)

func TestSentences(t *testing.T) {
	tests := []struct{ give, want string }{
		{"A is granted the lock until 10.002 s and enters.", "A 获得锁，期限到 10.002 秒，并进入临界区。"},
		{"A is granted the lock with token 4 without an end.", "A 获得锁，令牌 4，没有期限。"},
		{"A is granted the lock.", "A 获得锁。"},
		{"A freezes for 6 s between GET and DEL (fault 1).", "A 冻结 6 秒，在 GET 和 DEL 之间（故障 1）。"},
		{"A freezes.", "A 冻结。"},
		{"The lease ends. Nobody tells A.", "租约结束。没有人告诉 A。"},
		{"The lease of A ends on redis-3.", "A 的租约在 redis-3 上结束。"},
		{"A wakes and writes with token 1. The resource refuses: it has seen 3.", "A 醒来并写入，令牌 1。资源拒绝：它见过 3。"},
		{"B writes. The resource takes it.", "B 写入。资源接受了。"},
		{"Store redis-2 becomes the primary, although redis-1 is still running. It has no entry of A and B.", "存储 redis-2 成为主节点，而 redis-1 还在运行。它没有 A 和 B 的条目。"},
		{"Store redis-2 becomes the primary (fault 1).", "存储 redis-2 成为主节点（故障 1）。"},
		{"Store redis-4 becomes the primary of another shard, in place of redis-1.", "存储 redis-4 接替 redis-1，成为另一个分片的主节点。"},
		{"The store crashes (fault 1). No replica has A's entry yet.", "存储崩溃（故障 1）。还没有副本有 A 的条目。"},
		{"A's unlock script reaches store redis-4 only now, 4.992 s after it was sent.", "A 的 unlock 脚本现在才到达存储 redis-4，发出之后过了 4.992 秒。"},
		{"Fault 1 begins: partition A and the primary from B, C, replicas and sentinels for 25s.", "故障 1 开始：网络分区，隔开 A 和主节点与 B、C、副本和哨兵，持续 25 秒。"},
		{"Fault 2 begins: slow A by 500ms.", "故障 2 开始：让 A 的工作慢 500 毫秒。"},
		{"B's attempt fails: connection lost.", "B 的尝试失败：连接断了。"},
		{"A takes the lock once more, 2 deep, 8.987 s after it asked.", "A 又拿了一次锁，第 2 层，在开口 8.987 秒之后。"},
	}
	for _, tt := range tests {
		if got, ok := chinese.Sentence(tt.give); got != tt.want || !ok {
			t.Errorf("%s\n got %s (%v)\nwant %s", tt.give, got, ok, tt.want)
		}
	}
}

func TestOtherWords(t *testing.T) {
	tests := []struct {
		translate  func(string) (string, bool)
		give, want string
	}{
		{chinese.Belief, "A, B and C believe: mine", "A、B 和 C 都认为：锁是我的"},
		{chinese.Belief, "nobody believes", "没有人认为自己持有锁"},
		{chinese.Belief, "stores: A 2/5, C 3/5", "各台存储：A 2/5、C 3/5"},
		{chinese.Belief, "store: down", "存储：不在"},
		{chinese.Belief, "", ""},
		{chinese.Note, "<- stale write: C had the lock after A; lost update: what C wrote is overwritten", "<- 过期写：C 在 A 之后拿过锁；丢失更新：C 写的被覆盖了"},
		{chinese.Verdict, "set-nx-lua left the lock stuck.", "set-nx-lua 让锁卡死了。"},
		{chinese.Verdict, "setnx kept every property over 1 acquisition.", "setnx 守住了所有性质，共授予 1 次。"},
		{chinese.Verdict, "a let two clients in at once 2 times (4.772 s in all), accepted 1 stale write and lost 1 update; the fence refused 2 writes.", "a 2 次让两个客户端同时在里面（共 4.772 秒），接受了 1 次过期写，丢失了 1 次更新；防护拒绝了 2 次写入。"},
		{chinese.Assumption, "pause 15.000 s > lease 10.000 s - 0.001 s spent", "停顿 15.000 秒 > 租约 10.000 秒 - 已用 0.001 秒"},
	}
	for _, tt := range tests {
		if got, ok := tt.translate(tt.give); got != tt.want || !ok {
			t.Errorf("%s\n got %s (%v)\nwant %s", tt.give, got, ok, tt.want)
		}
	}
}

// What nobody has translated stays as it is, and says so.
func TestUnknownStaysEnglish(t *testing.T) {
	for _, translate := range []func(string) (string, bool){chinese.Sentence, chinese.Belief, chinese.Note, chinese.Assumption} {
		if got, ok := translate("The moon rises."); got != "The moon rises." || ok {
			t.Errorf("got %q, %v", got, ok)
		}
	}
	if _, ok := chinese.Sentence("B's attempt fails: the moon rises."); ok {
		t.Error("an English reason in a Chinese sentence counts as translated")
	}
}

// Everything that package explain says about any story with any of its locks has a
// translation.
func TestEverySentenceOfEveryStory(t *testing.T) {
	missing := map[string]string{}
	say := func(translate func(string) (string, bool), text, where string) {
		got, ok := translate(text)
		if text != "" && (!ok || !strings.ContainsFunc(got, func(r rune) bool { return unicode.Is(unicode.Han, r) })) {
			missing[text] = where
		}
	}
	w := sim.New()
	defer w.Close()
	plans, err := stories()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plans {
		for _, lock := range p.Locks {
			out := run.One(context.Background(), w, p, lock, 1)
			if out.Err != nil {
				t.Fatal(out.Err)
			}
			j := out.Judgement
			where := p.File + " with " + lock
			for _, s := range explain.Steps(j.History, j.Findings) {
				say(chinese.Sentence, s.Sentence, where)
				say(chinese.Belief, s.Belief, where)
				say(chinese.Belief, s.Store, where)
				say(chinese.Note, s.Note, where)
			}
			say(chinese.Verdict, explain.Verdict(j), where)
			f := explain.Assumption(j.History, j.Findings, p.Redis.Lag)
			say(chinese.Assumption, f.Assumed, where)
			say(chinese.Assumption, f.Formula, where)
		}
	}
	for text, where := range missing {
		t.Errorf("%s: no Chinese for %q", where, text)
	}
}
