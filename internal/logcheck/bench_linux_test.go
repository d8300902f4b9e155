package logcheck

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// generated is a log that is made while it is read: clients take turns at some locks. It has no end
// of its own.
type generated struct {
	lines   int64 // how many there are to be, besides the header
	json    bool
	locks   int64
	at      int64 // of the next line
	n       int64
	pending []byte
	text    []byte
}

func (g *generated) Read(p []byte) (int, error) {
	for len(g.pending) < len(p) && g.n < g.lines {
		g.line()
	}
	if len(g.pending) == 0 {
		return 0, io.EOF
	}
	n := copy(p, g.pending)
	g.pending = append(g.pending[:0], g.pending[n:]...)
	return n, nil
}

// line makes one more: of each lock, a client acquires, writes, and releases, while the next one waits.
func (g *generated) line() {
	if g.n == 0 && !g.json {
		g.pending = append(g.pending, "time,client,lock,event,token\n"...)
	}
	lock, step := g.n%g.locks, g.n/g.locks
	turn := step / 4
	client, event, token := turn, "", ""
	switch step % 4 {
	case 0:
		event, token = "acquired", strconv.FormatInt(turn+1, 10)
	case 1:
		client, event = turn+1, "waiting"
	case 2:
		event, token = "write", strconv.FormatInt(turn+1, 10)
	case 3:
		event = "released"
	}
	at := time.Unix(1772359200, 0).UTC().Add(time.Duration(g.n) * time.Millisecond)
	format := "%s,pod-%d,jobs-%d,%s,%s\n"
	if g.json {
		format = `{"time":"%s","client":"pod-%d","lock":"jobs-%d","event":"%s","token":"%s"}` + "\n"
	}
	g.pending = fmt.Appendf(g.pending, format, at.Format("2006-01-02T15:04:05.000Z"), client%50, lock, event, token)
	g.n++
}

// logText is a generated log in memory.
func logText(b testing.TB, json bool) []byte {
	text, err := io.ReadAll(&generated{lines: benchLines, json: json, locks: 20})
	if err != nil {
		b.Fatal(err)
	}
	return text
}

// BenchmarkCheck is to be read beside BenchmarkPlain: the same bytes, read line by line and nothing done
// with them.
func BenchmarkCheck(b *testing.B) {
	for name, json := range map[string]bool{"csv": false, "json": true} {
		text := logText(b, json)
		for window, o := range map[string]Options{"": {}, "-window": {Window: time.Second}} {
			b.Run(name+window, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				since := busy()
				for range b.N {
					r, err := Check(context.Background(), bytes.NewReader(text), nil, o)
					if err != nil || r.Verdict() != None {
						b.Fatalf("%+v, %v", r, err)
					}
				}
				perCore(b, since)
			})
		}
	}
}

func BenchmarkPlain(b *testing.B) {
	for name, json := range map[string]bool{"csv": false, "json": true} {
		text := logText(b, json)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			since := busy()
			for range b.N {
				l := newLines(bytes.NewReader(text))
				for {
					if _, err := l.next(); err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
			perCore(b, since)
		})
	}
}

const benchLines = 400_000

// perCore reports how many lines a core reads in a second, whatever else the machine does meanwhile.
// Whoever compares it with anything has both numbers from one run.
func perCore(b *testing.B, since time.Duration) {
	b.ReportMetric(float64(benchLines*b.N)/(busy()-since).Seconds()/1e6, "Mlines/core-s")
}

// busy is the processor time that the test has taken.
func busy() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
