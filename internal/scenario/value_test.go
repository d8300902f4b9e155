package scenario

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/say"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0s": 0, "10s": 10 * time.Second, "1m30s": 90 * time.Second, "1.5s": 1500 * time.Millisecond,
		"7ns": 7, "0.001us": 1, "24h": 24 * time.Hour, "250us": 250 * time.Microsecond,
	} {
		if got, wrong := parseDuration(text); got != want || wrong != "" {
			t.Errorf("%s: %v, %q", text, got, wrong)
		}
	}
	for text, want := range map[string]string{
		"10": "has no unit", "0": "has no unit", "1.5": "has no unit", "-1s": "is negative", "10 s": "write 10s",
		"25h": "too long", "9999999999999999999s": "too long", "1.5ns": "is not a duration", "1.0005s": "is not a duration",
		"": "is not a duration", "-": "is not a duration", "1e3s": "is not a duration", "10sec": "is not a duration",
	} {
		if _, wrong := parseDuration(text); !strings.Contains(wrong, want) {
			t.Errorf("%s: %q, want %q", text, wrong, want)
		}
	}
}

func TestDurationReadsBack(t *testing.T) {
	for _, d := range []time.Duration{0, 1, 999, 1500, time.Millisecond, 1500 * time.Millisecond, 90 * time.Second, time.Hour, 24 * time.Hour, 3661 * time.Second} {
		if got, wrong := parseDuration(faults.Duration(d)); got != d || wrong != "" {
			t.Errorf("%d is printed as %s and read as %v, %q", d, faults.Duration(d), got, wrong)
		}
	}
}

func TestSlug(t *testing.T) {
	for _, c := range []struct{ file, title, want string }{
		{"scenarios/lessons/pause-past-lease.yaml", "x", "pause-past-lease"},
		{"-", "A long pause: outlives / the lease!", "a-long-pause-outlives-the-lease"},
		{"", "../../etc/passwd", "etc-passwd"},
		{"stdin", "Ünïcode", "n-code"},
		{"", "!!!", "scenario"},
		{"..yaml", "", "scenario"},
		{"latest.yaml", "", "latest-scenario"},
		{"", "CON", "con-scenario"},
		{"", "Concert", "concert"},
		{"", strings.Repeat("a", 100), strings.Repeat("a", 64)},
	} {
		if got := slugOf(c.file, c.title); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.file, c.title, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"pause", "crash", "drop", "delay", "slow", "fail-over"}
	for word, want := range map[string]string{
		"puase": "pause", "Pause": "pause", "dorp": "drop", "failover": "fail-over", "partition": "", "": "", "x": "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestNumberedClients(t *testing.T) {
	names := numbered(54)
	for i, want := range map[int]string{0: "A", 4: "E", 25: "Z", 26: "AA", 27: "AB", 52: "BA"} {
		if names[i] != want {
			t.Errorf("client %d is %s, want %s", i, names[i], want)
		}
	}
}

func TestFaultText(t *testing.T) {
	p, err := Parse("x.yaml", []byte(`scenario: x
locks: [set-nx-lua]
servers: {redis: {replicas: 1}}
faults:
  - {when: A is in its critical section, pause: A, for: 15s}
  - {when: A sends SET the 2nd time, delay: reply, by: 12s}
  - {when: B acquires every time, after: 40ms, crash: A}
  - {every: 5s, pause: the holder, until: B enters the 3rd time}
  - {at: 2s, pause: the primary, forever: true}
  - {when: A sends SET in its 2nd round after fault 1 the 3rd time, pause: A, until: B enters after fault 2}
  - {when: any client enters in its 1st round, crash: A}
  - {when: A is in its critical section, after: 1s, pause: A, for: 9400ms}
  - {at: 5600ms, fail-over: operator}
  - {when: the holder is about to send its release, drop: request}
  - {when: any client has GET executed every time, pause: that client, for: 1s}
  - {when: B acquires, partition: [A, [redis-1, redis-2]], for: 12s}
`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][3]string{
		{"pause A for 15s when A is in its critical section", "A pauses for 15 s when it enters", "A 进入临界区时停顿 15 秒"},
		{"delay reply by 12s when A sends SET the 2nd time", "the reply to A's 2nd SET arrives 12 s late", "A 的第 2 个 SET 的回复迟到 12 秒"},
		{"crash A 40ms after B acquires every time", "A crashes, 40 ms after each time B gets the lock", "每次 B 拿到锁 40 毫秒后，A 崩溃"},
		{"pause the holder every 5s until B enters the 3rd time",
			"the holder pauses every 5 s until B enters (before its read) the 3rd time", "每隔 5 秒，持有者停顿，直到第 3 次 B 进入临界区（读之前）"},
		{"pause the primary forever at 2s", "the primary pauses for good at 2 s", "2 秒时，主节点停顿，不再恢复"},
		{"pause A when A sends SET in its 2nd round after fault 1 the 3rd time until B enters after fault 2",
			"A pauses when it sends SET in its 2nd round after fault 1 the 3rd time until B enters (before its read) after fault 2",
			"第 3 次故障 1 之后第 2 轮里 A 发出 SET 时停顿，直到故障 2 之后 B 进入临界区（读之前）"},
		{"crash A when any client enters in its 1st round", "A crashes when any client enters (before its read) in its 1st round", "第 1 轮里任一客户端进入临界区（读之前）时，A 崩溃"},
		{"pause A for 9400ms 1s after A is in its critical section", "A pauses for 9.4 s, 1 s after it enters", "A 进入临界区 1 秒后停顿 9.4 秒"},
		{"fail-over operator at 5600ms", "failover at 5.6 s", "5.6 秒时，故障转移"},
		{"drop request when the holder is about to send its release", "the holder's request to release is lost", "持有者的解锁命令丢失"},
		{"pause that client for 1s when any client has GET executed every time",
			"any client pauses for 1 s every time the store has executed GET for it", "每次任一客户端的 GET 已执行时停顿 1 秒"},
		{"partition A from redis-1 and redis-2 for 12s when B acquires",
			"the network splits A from redis-1 and redis-2 for 12 s when B gets the lock", "B 拿到锁时，网络隔开 A 与 redis-1 和 redis-2，持续 12 秒"},
	} {
		f := &p.Faults[i]
		if got := [3]string{f.Text, f.Sentence().English(), f.Sentence().In(say.Chinese)}; got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
