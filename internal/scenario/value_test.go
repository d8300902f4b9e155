package scenario

import (
	"strings"
	"testing"
	"time"
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
		if got, wrong := parseDuration(Duration(d)); got != d || wrong != "" {
			t.Errorf("%d is printed as %s and read as %v, %q", d, Duration(d), got, wrong)
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
faults:
  - {when: A is in its critical section, pause: A, for: 15s}
  - {when: A sends SET the 2nd time, delay: reply, by: 12s}
  - {when: B acquires every time, after: 40ms, crash: A}
  - {every: 5s, pause: the holder, until: B enters the 3rd time}
  - {at: 2s, pause: the primary, forever: true}
  - {when: A sends SET in its 2nd round after fault 1 the 3rd time, pause: A, until: B enters after fault 2}
  - {when: any client enters in its 1st round, crash: A}
`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"pause A for 15s when A is in its critical section",
		"delay reply by 12s when A sends SET the 2nd time",
		"crash A 40ms after B acquires every time",
		"pause the holder every 5s until B enters the 3rd time",
		"pause the primary forever at 2s",
		"pause A when A sends SET in its 2nd round after fault 1 the 3rd time until B enters after fault 2",
		"crash A when any client enters in its 1st round",
	} {
		if got := p.Faults[i].Text; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got, want := p.Faults[5].TextChinese, "第 3 次故障 1 之后第 2 轮里 A 发出 SET 时，让 A 停顿，直到故障 2 之后 B 进入临界区"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
