package logline

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
)

func ready(text string) (*Format, error) {
	f, err := Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	return f.Ready()
}

// decoded returns the last event of lines in a.log, whose first line may be a header.
func decoded(f *Format, first string, lines ...string) (last Fields, err error) {
	d, _, err := Open(f, "a.log", []byte(first), []byte(first))
	for _, line := range lines {
		if err == nil {
			err = d.Decode([]byte(line), 1, func(f *Fields) error { last = *f; return f.Failed })
		}
	}
	return last, err
}

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
		if _, err := ready(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

// A file overrides its preset; words for events add up.
func TestAMappingGoesBeforeItsPreset(t *testing.T) {
	f := must.Get(ready("preset: klog\nzone: +01:00\ncolumns: {client: '=me'}\nevents: {lost: gone}\n"))(t)
	if f.Zone != "+01:00" || f.Columns["client"] != "=me" || f.Kind != Text || len(f.Events["lost"]) != 3 || f.GoLayout != "0102 15:04:05.000000" {
		t.Errorf("%+v", f)
	}
}

// A value may be joined, a constant, the file, or the first of several alternatives.
func TestColumns(t *testing.T) {
	for _, tt := range []struct{ expression, values, want string }{
		{"pod", "p,7,h", "p"}, {"pod+thread", "p,7,h", "p/7"}, {"=me", "p,7,h", "me"}, {"@file", "p,7,h", "a.log"}, {"@file+host", "p,7,h", "a.log/h"},
		{"pod|host", "p,7,h", "p"}, {"thread+@file", "p,7,h", "7/a.log"},
		{"pod|host|@file", "p,7,h", "p"}, {"pod|host|@file", ",7,h", "h"}, {"pod|host|@file", ",7,", "a.log"},
	} {
		f := &Format{Columns: map[string]string{"client": tt.expression}}
		got := must.Get(decoded(f, "time,pod,thread,host,lock,event", "t,"+tt.values+",jobs,acquired"))(t)
		must.Equalf(t, string(got.Client), tt.want, "%s of %s", tt.expression, tt.values)
	}
	if _, err := decoded(&Format{Columns: map[string]string{"client": "none|host"}}, "time,host,lock,event"); err == nil {
		t.Error("a column that is not there is no error")
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
		`svc-1  | {"lock":"jobs"}`:                                      "has JSON behind something else", `web 2026-03-01T10:00:00.1+01:00 stdout F {"lock":"jobs"}`: "has JSON behind something else",
		`2026-03-01T10:00:00.1Z [INFO]  core: acquired lock`: "no header of a CSV file",
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
	f := must.Get(ready("pattern: (?<client>\\w+) has (?<lock>\\w+) (?<event>\\w+)\nignore: releasenotes"))(t)
	for line, want := range map[string]error{
		"2026-03-01 12:00:00 seventeen rows": ErrOther, "\tat com.acme.Rows": ErrOther, "it Acquires it": ErrUnread, "LEASE": ErrUnread, "\u9501 42": ErrUnread, `{"a":"\u9501 42"}`: ErrUnread, "the releasenotes": ErrUnread,
		"2026-03-01 12:00:00 A has jobs acquired": nil,
	} {
		if _, err := decoded(f, "", line); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", line, err, want)
		}
	}
}

// The thread is told apart from the application, the trace, the logger and the time, and is not
// guessed.
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
		line := head + " Lock acquired: jobs"
		got, _ := decoded(&Format{Columns: map[string]string{"client": "thread"}}, line, line)
		must.Equalf(t, string(got.Client), want, "%s", head)
	}
}

// A line that says that there was no event, or does not name the lock where its name is expected,
// is not understood.
func TestWordsThatDeny(t *testing.T) {
	const head = "2026-03-01 12:00:00.123 INFO 1 --- [w] c.e.L : "
	for message, want := range map[string]error{
		"Not acquired lock jobs": ErrUnread, "has never acquired the lock jobs": ErrUnread, "couldn't have acquired lock jobs": ErrUnread, "Waiting until lock released: jobs": ErrUnread,
		"will run once acquired lock jobs": ErrUnread, "it has not yet been acquired lock jobs": ErrUnread, "No lock acquired: jobs": ErrUnread, "It could have acquired lock jobs": ErrUnread, "Lock acquired: jobs=false": ErrUnread,
		"Acquired lock jobs: false": ErrFailed, "Acquired lock jobs -> false": ErrFailed, "Acquired lock jobs after 20 ms = false": ErrFailed, "Acquired lock jobs failed": ErrFailed, "Acquired lock jobs by another instance": ErrFailed, "Acquired lock jobs by worker 7": ErrBy, "Extended lock jobs by 30s": nil, "Renewed lock jobs by another 1.5 minutes": nil, "Extended lock jobs by 3 s by worker 7": ErrBy, "Acquired lock jobs by 30ab-c": ErrBy, "Released lock jobs (token 4) by worker 7": ErrBy,
		"Already acquired lock jobs": ErrUnread, "Another instance has acquired lock jobs": ErrUnread, "Someone else acquired lock jobs": ErrUnread, "mother acquired lock jobs": nil,
		"Acquired lock jobs (success=false)": ErrFailed, "Acquired lock jobs, result: 'failure'": ErrFailed, "Acquired lock jobs, fair=false, ok=true": nil, "Acquired lock jobs, status=0": nil,
		"Acquired lock jobs FAILED: timeout": ErrFailed, "Acquired lock jobs rejected": ErrFailed, "Acquired lock jobs -> null": ErrFailed, "Acquired lock jobs => 0": ErrFailed, "Acquired lock jobs, result=busy": ErrFailed, "Acquired lock jobs, status=LOCK_BUSY": ErrFailed,
		"Acquired lock jobs failed: timeout": ErrFailed, "Acquired lock jobs too late, giving up": ErrGoesOn, "Acquired lock jobs but its validity is over": ErrGoesOn, "Acquired lock jobs only partially (1/3 nodes)": ErrGoesOn, "Acquired lock jobs elsewhere": ErrGoesOn, "Acquired lock jobs = 0": ErrGoesOn, "Acquired lock jobs: no": ErrGoesOn,
		"Acquired lock jobs in 12 ms": nil, "Acquired lock jobs exclusively": nil, "Acquired lock jobs now": nil, "Acquired lock jobs expires at 10:05": nil, "Acquired lock jobs, starting": nil, "Acquired lock jobs (attempt 2)": nil, "Acquired lock jobs ttl=30s": nil, "Acquired lock jobs 12ms": nil,
		"worker-7 acquired lock jobs": ErrBy, "w2 has acquired lock jobs": ErrBy, "w acquired lock jobs": nil,
		"on lock released: jobs stop": ErrUnread, "pod-7 will have acquired lock jobs": ErrUnread, "Nobody acquired lock jobs": ErrUnread,
		"Lock acquired by w: jobs": ErrUnread, "Lock acquired for order 17": ErrUnread, "Lock acquired successfully: jobs": ErrUnread, "Lock acquired: true": ErrUnread, "Released lock on jobs": ErrUnread,
		"Acquired lock jobs": nil, "We have acquired lock jobs: true": nil, "Waiting for lock jobs, not yet free": nil, "notably acquired lock to-do": nil, "Lock acquired: byte": nil, "Lost lock jobs: failed to renew": nil,
	} {
		_, err := decoded(&Format{}, head+message, head+message)
		must.Equalf(t, err, want, "%s", message)
	}
	f := must.Get(ready(`pattern: '\[(?<client>\w+)\].*(?<event>acquired): (?<lock>\w+)'`))(t)
	for message, want := range map[string]error{"[w] lock not acquired: jobs": ErrUnread, "[w] no lock acquired: jobs": ErrUnread, "[w] lock acquired: jobs": nil} {
		_, err := decoded(f, "", "2026-03-01 12:00:00.123 "+message)
		must.Equalf(t, err, want, "%s", message)
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
		at, err := time.Parse(must.Get(layoutOf(tt.layout))(t), tt.time)
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
