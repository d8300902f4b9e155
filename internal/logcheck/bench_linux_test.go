package logcheck

import (
	"bytes"
	"context"
	"io"
	"syscall"
	"testing"
	"time"
)

// logText is a generated log in memory.
func logText(b testing.TB, form string) []byte {
	text, err := io.ReadAll(&generated{lines: benchLines, form: form, locks: 20})
	if err != nil {
		b.Fatal(err)
	}
	return text
}

// BenchmarkCheck is to be read beside BenchmarkPlain: the same bytes, read line by line and nothing done
// with them.
func BenchmarkCheck(b *testing.B) {
	for _, name := range forms {
		text := logText(b, name)
		for window, o := range map[string]Options{"": {}, "-window": {Window: time.Second}} {
			if name == "text" || name == "app" {
				o.Format = mapped(b, generatedFormat)
			}
			b.Run(name+window, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				since := busy()
				for range b.N {
					r, err := Check(context.Background(), o, Source{In: bytes.NewReader(text)})
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
	for _, name := range forms {
		text := logText(b, name)
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

// forms are those of generated.
var forms = []string{"csv", "json", "text", "app"}

const benchLines = 400_000

// perCore reports how many lines a core reads in a second, whatever else the machine does meanwhile.
// To compare them, both numbers are from one run.
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
