package logpage

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"lockstep/internal/logcheck"
	"lockstep/internal/must"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

// text has a violation of each sort: an overlap, a client that died, one within the error of the
// clocks, a stale write.
const text = `time,client,lock,event,token
2026-03-01T10:00:00.000Z,A,jobs,acquired,1
2026-03-01T10:00:01.000Z,B,jobs,waiting,
2026-03-01T10:00:02.000Z,B,jobs,acquired,2
2026-03-01T10:00:03.000Z,A,jobs,write,1
2026-03-01T10:00:04.000Z,A,jobs,released,
2026-03-01T10:00:05.000Z,B,jobs,released,
2026-03-01T10:00:05.02Z,C,jobs,acquired,3
2026-03-01T10:00:20.000Z,A,jobs,acquired,4
2026-03-01T10:00:21.000Z,A,jobs,released,
`

func aLog(t *testing.T, name, text string, l say.Language) *Log {
	t.Helper()
	rules := logcheck.Rules{ClockError: 50 * time.Millisecond}
	r := must.Get(logcheck.Check(context.Background(), logcheck.Options{Rules: rules}, logcheck.Source{In: strings.NewReader(text)}))(t)
	return &Log{Language: l, Name: name, Again: "simulate check log.csv --clock-error 50ms", Rules: rules, Result: r}
}

func TestLogPageGolden(t *testing.T) {
	page := must.Get(HTML(aLog(t, "log.csv", text, say.English)))(t)
	reporttest.Golden(t, "log.html", page)
}

// Names come from logs, which are foreign.
func TestLogPageIsSafeFromNames(t *testing.T) {
	const evil = `</title><script>alert(1)</script>` + "\x1b[31m"
	page := must.Get(HTML(aLog(t, evil, strings.NewReplacer("A", evil, "jobs", evil+"2").Replace(text), say.English)))(t)
	if bytes.Contains(page, []byte("<script")) || bytes.ContainsRune(page, '\x1b') || !bytes.Contains(page, []byte(`\x1b[31m`)) {
		t.Errorf("a name became a script or a control character:\n%s", page)
	}
}

func TestNoEnglishIsLeftOnAChineseLogPage(t *testing.T) {
	page, err := HTML(aLog(t, "log.csv", strings.ReplaceAll(text, "jobs", "任务"), say.Chinese))
	reporttest.NoEnglish(t, page, err)
}

// The largest page stays small.
func TestLogPageHasABound(t *testing.T) {
	long := strings.Repeat("名", 85)
	lines := []string{"time,client,lock,event"}
	for i := range 2000 {
		at := time.Date(2026, 3, 1, 10, 0, i, 0, time.UTC).Format(time.RFC3339)
		lock := long[:240] + time.Duration(i%300).String()
		lines = append(lines, at+","+long+string(rune('a'+i%7))+","+lock+",acquired", at+","+long+string(rune('a'+(i+3)%7))+","+lock+",acquired")
	}
	page := must.Get(HTML(aLog(t, "log.csv", strings.Join(lines, "\n")+"\n", say.English)))(t)
	if len(page) > 500_000 {
		t.Errorf("the page has %d bytes", len(page))
	}
}
