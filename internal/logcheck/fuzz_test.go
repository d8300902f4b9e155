package logcheck

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"lockstep/internal/logcheck/logline"
	"lockstep/internal/say"
)

// No input of any form causes a panic, and each line is judged, left out and counted, or named in
// the error.
func FuzzLog(f *testing.F) {
	for _, s := range []string{
		handMade, strings.ReplaceAll(handMade, ",jobs,", `,"jo,bs",`), "time,client,lock,event,token\n1,A,l,acquired,1\n2,B,l,acquired,0\n2,A,l,write,\n1,A,,crashed,\n",
		"time,client,lock,event\n9223372036854775807,A,l,acquired\n-9223372036854775808,\x00,l,lost\n",
		`{"time":"2026-03-01T10:00:00Z","client":"A","lock":"l","event":"acquired","token":1}` + "\n" + `{"time":"2026-03-01T10:00:01Z","client":"B","lock":"l","event":"acquired","token":null,"x":{"y":[1,"\ud83d\ude00"]}}` + "\n" +
			`{"time":"2026-03-01T10:00:02Z","client":"A","lock":"l","event":"write"}` + "\n",
		`{"time":1.5,"client":"\u0000","lock":"\u001b","event":"waiting","token":"-1"}` + "\n{\"time\":1}\n", "{\n{}\n[]\n",
		"I0301 10:00:00.030000       1 leaderelection.go:260] successfully acquired lease ops/reports\n",
		"2026-03-01 10:00:00.012  INFO 1 --- [job-1] c.acme.Job  : lock acquired: jobs token=4\n2026-03-01 10:00:01,012 INFO [x] lock lost jobs\n",
		"[{\"time\": 1772359200, \"client\": \"A\", \"lock\": \"l\", \"event\": \"acquired\"},\n {\"time\": 1772359201}]",
		"@timestamp;pod;lock.name;event.action\n\"Mar 1, 2026 @ 10:01:36.100\";a;l;lock_released\n",
		"1772359200.012345 [0 10.1.2.11:51022] \"SET\" \"l\" \"v\" \"NX\" \"PX\" \"30\"\n1772359201.012345 [0 10.1.2.11:51022] \"DEL\" \"l\"\n",
	} {
		f.Add([]byte(s), true, int64(50))
	}
	f.Fuzz(func(t *testing.T, data []byte, skip bool, window int64) {
		o := Options{Skip: skip, Window: time.Duration(max(window, 0)), Format: logline.Format{Unit: []string{"", "ms"}[len(data)%2]}, Rules: Rules{ClockError: time.Millisecond, Lease: time.Second}, TempDir: t.TempDir()}
		r, err := Check(context.Background(), o, source("log", string(data)))
		if err != nil {
			var at *LineError
			if errors.As(err, &at) && (at.Line < 1 || at.Line > int64(bytes.Count(data, []byte("\n"))+1)) {
				t.Errorf("line %d of %q: %v", at.Line, data, err)
			}
			return
		}
		if r.Skipped > 0 && r.Verdict() == None || r.Events == 0 && r.Verdict() != Unknown {
			t.Errorf("%s of %+v", r.Verdict(), r)
		}
		for _, l := range []say.Language{say.English, say.Chinese} {
			for _, v := range r.Violations {
				if from, to := v.Span(); from > to || v.Words().In(l) == "" || r.Unit.At(from) == "" {
					t.Errorf("from %d to %d: %q", from, to, v.Words().In(l))
				}
			}
			if r.Words().In(l) == "" {
				t.Error("no words")
			}
		}
	})
}
