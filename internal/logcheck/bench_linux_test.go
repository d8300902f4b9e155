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

// BenchmarkCheck is to be compared with BenchmarkPlain, which only reads the same bytes line by
// line.
func BenchmarkCheck(b *testing.B) {
	for _, name := range forms {
		text := logText(b, name)
		for window, o := range map[string]Options{"": {}, "-window": {Window: time.Second}} {
			if name == "text" || name == "app" {
				o.Format = mapped(b, generatedFormat)
			}
			measure(b, name+window, text, func(b *testing.B) {
				r, err := Check(context.Background(), o, Source{In: bytes.NewReader(text)})
				if err != nil || r.Verdict() != None {
					b.Fatalf("%+v, %v", r, err)
				}
			})
		}
	}
}

func BenchmarkPlain(b *testing.B) {
	for _, name := range forms {
		text := logText(b, name)
		measure(b, name, text, func(b *testing.B) {
			l := newLines(bytes.NewReader(text))
			var err error
			for err == nil {
				_, err = l.next()
			}
			if err != io.EOF {
				b.Fatal(err)
			}
		})
	}
}

// forms are the forms of generated logs.
var forms = []string{"csv", "json", "json-app", "text", "app"}

const benchLines = 400_000

// measure reports the lines that a core reads per second of processor time. Compare numbers of one
// run only.
func measure(b *testing.B, name string, text []byte, read func(*testing.B)) {
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		since := busy()
		for range b.N {
			read(b)
		}
		b.ReportMetric(float64(benchLines*b.N)/(busy()-since).Seconds()/1e6, "Mlines/core-s")
	})
}

// busy returns the processor time of the test so far.
func busy() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
