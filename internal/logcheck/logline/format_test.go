package logline

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A mistake in a mapping is an error with its key.
func TestMistakesOfMappings(t *testing.T) {
	for text, want := range map[string]string{
		"patern: x":                        `unknown field "patern"`,
		"pattern: '(?<client>'":            "pattern: ",
		"pattern: plain":                   "pattern: \"plain\" has no named group",
		"columns: {pod: client}":           `columns: there is no "pod"`,
		"events: {aquired: got}":           `events: there is no "aquired": there are acquired`,
		"preset: log4net":                  `preset: there is no "log4net": there are datadog`,
		"format: xml":                      `format: there is no "xml"`,
		"time-layout: yesterday":           `time-layout: "yesterday": y is not known in a layout`,
		"ignore: '('":                      "ignore: ",
		"columns: [time]":                  "columns",
		"pattern: {a: b}":                  "pattern",
		"lease: 30s\nlease: 40s":           "lease",
		strings.Repeat("[", 10_000) + "\n": "",
	} {
		f, err := Parse([]byte(text))
		if err == nil {
			_, err = f.Ready()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

// A file overrides its preset; words for events add up.
func TestAMappingGoesBeforeItsPreset(t *testing.T) {
	f, err := Parse([]byte("preset: klog\nzone: +01:00\ncolumns: {client: '=me'}\nevents: {lost: gone}\n"))
	if err != nil {
		t.Fatal(err)
	}
	ready, err := f.Ready()
	if err != nil {
		t.Fatal(err)
	}
	if ready.Zone != "+01:00" || ready.Columns["client"] != "=me" || ready.Kind != Text || len(ready.Events["lost"]) != 3 || ready.GoLayout != "0102 15:04:05.000000" {
		t.Errorf("%+v", ready)
	}
}

// A value may be joined, a constant, the file, or the first of several alternatives.
func TestColumns(t *testing.T) {
	const header = "time,pod,thread,host,lock,event"
	for expression, want := range map[string]string{
		"pod": "p", "pod+thread": "p/7", "=me": "me", "@file": "a.log", "@file+host": "a.log/h", "none|host": "", "pod|host": "p", "thread+@file": "7/a.log",
	} {
		d, _, err := Open(&Format{Columns: map[string]string{"client": expression}}, "a.log", []byte(header), []byte(header))
		if err != nil {
			if want != "" {
				t.Errorf("%s: %v", expression, err)
			}
			continue
		}
		err = d.Decode([]byte("2026-03-01T12:00:00Z,p,7,h,jobs,acquired"), 1, func(f *Fields) error {
			if string(f.Client) != want {
				t.Errorf("%s: %q, want %q", expression, f.Client, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	d, _, err := Open(&Format{Columns: map[string]string{"client": "pod|host|@file"}}, "a.log", []byte(header), []byte(header))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{"t,,7,h,jobs,acquired": "h", "t,,7,,jobs,acquired": "a.log", "t,p,7,h,jobs,acquired": "p"} {
		if err := d.Decode([]byte(line), 1, func(f *Fields) error {
			if string(f.Client) != want {
				t.Errorf("%s: %q, want %q", line, f.Client, want)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
}

// Columns and keys are guessed by their names: the best one, and none if two are equally good.
func TestNamesAreGuessed(t *testing.T) {
	for header, want := range map[string]string{
		"time,client,lock,event,token,host":                             "time client lock event token",
		"@timestamp,kubernetes.pod_name,lock.name,event.action,message": "@timestamp kubernetes.pod_name lock.name event.action -",
		"ts;hostName;lockName;msg":                                      "ts hostName lockName msg -",
		"Date\tHost\tService\tlabels.lock\tlabels.event":                "Date Host labels.lock labels.event -",
		"time,a.lock,b.lock,pod,event":                                  "a.lock and b.lock may both be the lock: choose one with --columns lock=NAME",
		"time,client,lock,event,event":                                  "the header has two columns \"event\"",
		"10:15:30.123 [main] INFO c.e.L -- Lock acquired: jobs":         "has a time without a date, and a hold past midnight would end before it begins: put the date in front",
		`[pod/a/app] 2026-03-01T10:00:00.1Z {"lock":"jobs"}`:            "has JSON behind something else: leave that out",
		`svc-1  | {"lock":"jobs"}`:                                      "has JSON behind something else", `2026-03-01T10:00:00.1+01:00 stdout F {"lock":"jobs"}`: "has JSON behind something else",
		"__CURSOR=s=1;i=7":   "begins a journal in the form of an export: write it with journalctl -o json",
		"1) 1) (integer) 14": "MONITOR shows all of them",
		"time,client,event":  `it has no column "lock" among "time, client, event"`,
	} {
		d, _, err := Open(&Format{}, "log", []byte(header), []byte(header))
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", header, err, want)
			}
			continue
		}
		got := map[string]string{}
		for _, read := range d.Reads() {
			got[read.Ours] = read.Theirs
		}
		var all []string
		for _, ours := range names[:modeField] {
			if got[ours] == "" {
				got[ours] = "-"
			}
			all = append(all, got[ours])
		}
		if text := strings.Join(all, " "); text != want {
			t.Errorf("%s: %s, want %s", header, text, want)
		}
	}
}

// A line without an event is skipped, unless it mentions a lock.
func TestLinesWithoutAnEvent(t *testing.T) {
	f, err := Format{Pattern: words{`(?<client>\w+) has (?<lock>\w+) (?<event>\w+)`}, Ignore: words{"releasenotes"}}.Ready()
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := Open(f, "log", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]error{
		"2026-03-01 12:00:00 seventeen rows": ErrOther, "\tat com.acme.Rows": ErrOther, "it Acquires it": ErrUnread, "LEASE": ErrUnread, "the releasenotes": ErrUnread,
		"2026-03-01 12:00:00 A has jobs acquired": nil,
	} {
		if err := d.Decode([]byte(line), 1, func(*Fields) error { return nil }); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", line, err, want)
		}
	}
}

// The thread is told apart from the application, the trace, the logger and the time, and is not guessed.
func TestTheThreadOfALine(t *testing.T) {
	const at, trace = "2026-11-29T10:15:30.123+01:00", "0123456789abcdef0123456789abcdef-0123456789abcdef"
	for head, want := range map[string]string{
		at + "  INFO 12 --- [   scheduling-1] c.e.L :":                          "scheduling-1",
		at + "  INFO 12 --- [orders] [scheduling-1] c.e.L :":                    "scheduling-1",
		at + "  INFO 12 --- [orders] [   scheduling-1] c.e.L :":                 "scheduling-1",
		at + "  INFO 12 --- [orders] [a-1] c.e.L :":                             "a-1",
		at + "  INFO 12 --- [orders] [nio-8080-exec-1] [" + trace + "] c.e.L :": "nio-8080-exec-1",
		at + "  INFO 12 --- [nio-8080-exec-1] [" + trace + "] c.e.L :":          "nio-8080-exec-1",
		at + "  INFO 12 --- [orders] [nio-8080-exec-1] [            ] c.e.L :":  "nio-8080-exec-1",
		at + "  INFO 12 --- [nio-8080-exec-1] [orders,0af,17] c.e.L :":          "nio-8080-exec-1",
		at + "  INFO [orders,0af,17] 12 --- [nio-8080-exec-1] c.e.L :":          "nio-8080-exec-1",
		at + "  INFO 12 --- [   scheduling-1] [request-7] c.e.L :":              "",
		at + "  INFO 12 --- [orders] [shop] [scheduling-1] c.e.L :":             "",
		"2026-11-29 10:15:30.123 [worker 7] INFO  c.e.L --":                     "worker 7",
		"2026-11-29 10:15:30.123 INFO 12 --- [w] c.e.L : [shop] is open,":       "w",
		"2026-11-29 10:15:30,123 [pool-1-thread-1] FATAL c.e.L -":               "pool-1-thread-1",
		"2026-11-29 10:15:30,123 [pool-1-thread-1] ERROR c.e.L -":               "pool-1-thread-1",
		"2026-11-29 10:15:30,123 [kafka | p-1] [INFO] c.e.L -":                  "kafka | p-1",
		"[2026-11-29 10:15:30,123] [main] INFO c.e.L":                           "main",
		"[pod/app-a/app] 2026-11-29 10:15:30.123 [worker 7] INFO  c.e.L --":     "worker 7",
		"[pod/app-a/app] " + at + "  INFO 12 --- [orders] [w] c.e.L :":          "w",
		"[2026-11-29 10:15:30,123] INFO c.e.L":                                  "",
		"2026-11-29 10:15:30,123 INFO  [org.acme.L] (executor-thread-1)":        "executor-thread-1",
	} {
		line := []byte(head + " Lock acquired: jobs")
		got := ""
		if d, _, err := Open(&Format{Columns: map[string]string{"client": "thread"}}, "app.log", line, line); err == nil {
			_ = d.Decode(line, 1, func(f *Fields) error { got = string(f.Client); return nil })
		}
		if got != want {
			t.Errorf("%s: %q, want %q", head, got, want)
		}
	}
}

// A line that says that there was no event, or does not name the lock where its name is expected, is not understood.
func TestWordsThatDeny(t *testing.T) {
	const head = "2026-03-01 12:00:00.123 INFO 1 --- [w] c.e.L : "
	for message, want := range map[string]error{
		"Not acquired lock jobs": ErrUnread, "has never acquired the lock jobs": ErrUnread, "couldn't have acquired lock jobs": ErrUnread, "Waiting until lock released: jobs": ErrUnread,
		"will run once acquired lock jobs": ErrUnread, "it has not yet been acquired lock jobs": ErrUnread, "No lock acquired: jobs": ErrUnread, "It could have acquired lock jobs": ErrUnread, "Lock acquired: jobs=false": ErrUnread,
		"Acquired lock jobs: false": ErrFailed, "Acquired lock jobs -> false": ErrFailed, "Acquired lock jobs after 20 ms = false": ErrFailed, "Acquired lock jobs failed": ErrFailed, "Acquired lock jobs by another instance": ErrFailed, "Acquired lock jobs by worker 7": nil,
		"Already acquired lock jobs": ErrUnread, "Another instance has acquired lock jobs": ErrUnread, "Someone else acquired lock jobs": ErrUnread, "mother acquired lock jobs": nil,
		"Acquired lock jobs (success=false)": ErrFailed, "Acquired lock jobs, result: 'failure'": ErrFailed, "Acquired lock jobs, fair=false, ok=true": nil, "Acquired lock jobs, status=0": nil,
		"Lock acquired by w: jobs": ErrUnread, "Lock acquired for order 17": ErrUnread, "Lock acquired successfully: jobs": ErrUnread, "Lock acquired: true": ErrUnread, "Released lock on jobs": ErrUnread,
		"Acquired lock jobs": nil, "We have acquired lock jobs: true": nil, "Waiting for lock jobs, not yet free": nil, "notably acquired lock to-do": nil, "Lock acquired: byte": nil, "Lost lock jobs: failed to renew": nil,
	} {
		line := []byte(head + message)
		d, _, err := Open(&Format{}, "app.log", line, line)
		if err == nil {
			err = d.Decode(line, 1, func(f *Fields) error { return f.Failed })
		}
		if err != want {
			t.Errorf("%s: %v, want %v", message, err, want)
		}
	}
	for message, want := range map[string]error{"[w] lock not acquired: jobs": ErrUnread, "[w] no lock acquired: jobs": ErrUnread, "[w] lock acquired: jobs": nil} {
		f, err := Format{Pattern: words{`\[(?<client>\w+)\].*(?<event>acquired): (?<lock>\w+)`}}.Ready()
		if err != nil {
			t.Fatal(err)
		}
		line := []byte("2026-03-01 12:00:00.123 " + message)
		d, _, err := Open(f, "app.log", line, line)
		if err == nil {
			err = d.Decode(line, 1, func(*Fields) error { return nil })
		}
		if err != want {
			t.Errorf("%s: %v, want %v", message, err, want)
		}
	}
}

// The texts that are searched before a pattern are part of every match.
func TestNeeded(t *testing.T) {
	for pattern, want := range map[string]string{
		`\[(?<client>\S+)\] lock (?<event>a|b)`: "[] lock ]", `(?i)lock (?<event>\w+)`: "[]", `(?:lock)?(?<event>ab)x*`: "[ab]", `(?<event>acquired)|(?<lock>b)`: "[]", `(?<event>(?:ab)+)`: "[ab]",
		`ab (?<event>lock|look) of`: "[ab   of lo]",
	} {
		if got := fmt.Sprintf("%s", needed(pattern)); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}

// Layouts of common programs.
func TestLayouts(t *testing.T) {
	for _, tt := range []struct{ layout, time string }{
		{"yyyy-MM-dd HH:mm:ss,SSS", "2026-03-01 10:02:03,456"}, {"dd.MM.yyyy'T'HH:mm:ss.SSSXXX", "01.03.2026T10:02:03.456Z"}, {"M/d/yyyy h:mm:ss.SSS a", "3/1/2026 10:02:03.456 AM"},
		{"MMM d HH:mm:ss.SSS", "Mar  1 10:02:03.456"}, {"%b %d %H:%M:%S.%L", "Mar  1 10:02:03.456"}, {"%d/%b/%Y:%H:%M:%S.%f %z", "01/Mar/2026:10:02:03.456000 +0000"},
		{"%m/%d/%Y %I:%M:%S.%L %p", "3/01/2026 10:02:03.456 AM"}, {"Jan 2, 2006 @ 15:04:05.000", "Mar 1, 2026 @ 10:02:03.456"}, {"EEE dd MMM yyyy H:mm:ss.SSS", "Sun 01 Mar 2026 10:02:03.456"},
	} {
		layout, err := layoutOf(tt.layout)
		if err != nil {
			t.Errorf("%s: %v", tt.layout, err)
			continue
		}
		at, err := time.Parse(layout, tt.time)
		if want := time.Date(2026, 3, 1, 10, 2, 3, 456e6, time.UTC); err != nil || !at.AddDate(2026-at.Year(), 0, 0).Equal(want) {
			t.Errorf("%s: %v, %v", tt.layout, at, err)
		}
	}
}

// Layouts that would misplace times.
func TestLayoutsThatAreRefused(t *testing.T) {
	for layout, want := range map[string]string{
		"yyyy-MM-dd": "has no hour", "yyyy-MM-dd hh:mm:ss": "has hours up to 12", "HH:mm:ss.SSS": "has no day and month",
		"%H:%M:%S": "has no day and month", "dd HH:mm:ss": "has no day and month", "EEE MMM HH:mm:ss": "has no day and month", "EEE dd yyyy HH:mm:ss": "has no day and month",
	} {
		if _, err := layoutOf(layout); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", layout, err, want)
		}
	}
}
