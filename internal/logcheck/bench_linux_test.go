package logcheck

import (
	"bytes"
	"context"
	"io"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/must"
)

// logText is a generated log in memory.
func logText(b testing.TB, form string) []byte {
	return must.Get(io.ReadAll(&generated{lines: benchLines, form: form, locks: 20}))(b)
}

// BenchmarkCheck is to be compared with BenchmarkPlain, which only reads the same bytes line by line.
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

// forms are the forms of generated logs.
var forms = []string{"csv", "json", "text", "app"}

const benchLines = 400_000

// perCore reports the lines that a core reads per second of processor time. Compare numbers of one run only.
func perCore(b *testing.B, since time.Duration) {
	b.ReportMetric(float64(benchLines*b.N)/(busy()-since).Seconds()/1e6, "Mlines/core-s")
}

// busy returns the processor time of the test so far.
func busy() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
