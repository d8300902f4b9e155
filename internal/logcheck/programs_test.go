package logcheck

import (
	"fmt"
	"strings"
	"testing"
)

// spoken is a log of two threads of Spring Boot: each takes a lock, the second one a second after
// the first, and gives it back two seconds later.
func spoken(first, second string) string {
	return thread(0, "w1", "Acquired lock "+first) + thread(1, "w2", "Acquired lock "+second) + thread(2, "w1", "Released lock "+first) + thread(3, "w2", "Released lock "+second)
}

// thread is a line of a thread of Spring Boot, by its second.
func thread(second int, name, message string) string {
	return fmt.Sprintf("2026-03-01 10:00:%02d.000  INFO 1 --- [%s] c.acme.J : %s\n", second, name, message)
}

// tried is a log of threads that take turns, of which the second one tries in vain before.
func tried(how string) string {
	return "a.log\n" + thread(0, "w1", "Acquired lock jobs") + thread(1, "w2", how) + thread(2, "w1", "Released lock jobs") + thread(3, "w2", "Acquired lock jobs") + thread(4, "w2", "Released lock jobs")
}

// sessions is a log of PostgreSQL, with a line for each lock and unlock of two sessions: the second
// one locks a second before the first one unlocks.
func sessions(line string) string {
	log := "a.log\n"
	for i, step := range []string{"1 lock(", "2 lock(", "1 unlock(", "2 unlock("} {
		log += fmt.Sprintf("2026-03-01 10:00:%02d.000 UTC [%s] app LOG:  %s\n", i, step[:1], strings.Replace(line, "lock(", step[2:], 1))
	}
	return log
}

// node is a line of a pod that shares its node with the others.
func node(second, pod, event string) string {
	return fmt.Sprintf(`{"@timestamp":"2026-03-01T10:00:0%s.000Z","host":{"name":"node-1"},"kubernetes":{"pod":{"name":"%s"}},"lock":{"name":"jobs"},"event":{"action":"%s"}}`+"\n", second, pod, event)
}

// keyed is a log of two clients, with times in keys of lines, of which the second one acquires
// between the two lines of the first one.
func keyed(form string) (log string) {
	for i, step := range []string{"a acquired", "b acquired", "a released", "b released"} {
		log += strings.NewReplacer("TIME", fmt.Sprintf("2026-03-01T10:00:0%d.000Z", i), "WHO", step[:1], "WHAT", step[2:], "SECOND", fmt.Sprint(i)).Replace(form) + "\n"
	}
	return "a.log\n" + log
}

// flags is how a scheduler begins its log.
var flags = strings.Repeat("I0301 09:59:00.000000       1 flags.go:64] FLAG: --x=1\n", 60)

// Mappings for them.
const (
	byFunction = `pattern: '\[(?<client>\d)\].*pg_(?:try_)?advisory_(?<event>lock|unlock)\((?<lock>\d+)'` + "\nevents: {acquired: lock, released: unlock}\n"
	byKeys     = `pattern: 'lock (?<event>\w+): (?<lock>\S+) by (?<client>\w)'` + "\n"
	byName     = `pattern: '\[(?<client>\w+)\] lock (?<event>\w+): (?<lock>\S+)'` + "\n"
)

// foreign is a log with its verdict, or an error that says why it has none.
type foreign struct {
	name, mapping string
	files         []string // the name of each, a line break, and its text
	want          Verdict
	says          string // in the error, a doubt or a remark
}

func judgeAll(t *testing.T, all []foreign) {
	t.Helper()
	if len(all) == 0 {
		t.Fatal("no logs")
	}
	for _, tt := range all {
		var sources []Source
		for _, text := range tt.files {
			name, text, _ := strings.Cut(text, "\n")
			sources = append(sources, source(name, text))
		}
		if got, said := answer(t, tt.mapping, sources...); got != tt.want || !strings.Contains(said, tt.says) {
			t.Errorf("%s: %q, want %q: %s", tt.name, got, tt.want, said)
		}
	}
}

// What is no name, no time and no event of a line is not taken for one.
func TestLinesOfPrograms(t *testing.T) {
	judgeAll(t, []foreign{
		// Two locks, of which each has one holder.
		{"names with blanks in quotation marks", "", []string{"a.log\n" + spoken("'daily report'", "'daily cleanup'")}, Unknown, "no client contended"},
		{"one of them", "", []string{"a.log\n" + spoken(`"daily report"`, "'daily report'")}, Certain, ""},
		{"names behind a dash", "", []string{"a.log\n" + spoken("- jobs", "- mail")}, Unknown, "4 lines speak of a lock or name one and were not fully understood"},
		{"names that are masked", "", []string{"a.log\n" + spoken("***", "***")}, Unknown, "4 lines speak of a lock or name one and were not fully understood"},
		// The second one tries, and does not get it.
		{"a try that failed", "", []string{tried("Failed to acquire lock jobs")}, None, ""},
		{"a try", "", []string{tried("Trying to acquire the lock 'jobs'")}, None, ""},
		{"what could not be had", "", []string{tried("Could not acquire lock jobs, giving up")}, None, ""},
		{"what was not acquired", "", []string{tried("Lock not acquired: jobs")}, None, ""},
		{"it is locked", "preset: logback\npattern: '(?<event>[Ll]ocked|unlocked): (?<lock>\\w+)'\n", []string{strings.NewReplacer("Acquired lock jobs", "Locked: jobs", "Released lock jobs", "unlocked: jobs").Replace(tried("It's locked: jobs"))}, Unknown, "first line 2"},
		// Each job takes it in one thread and gives it back in another one, and none has it beside another.
		{"jobs that move between threads", "", []string{"a.log\n" + thread(0, "w1", "Acquired lock jobs") + thread(1, "w3", "Released lock jobs") + thread(2, "w2", "Acquired lock jobs") + thread(3, "w1", "Released lock jobs")}, Possible, "line 2: a.log/w3 ends a hold of jobs that another one may have begun"},
		{"jobs that move between threads that had it", "", []string{"a.log\n" + spoken("jobs", "mail") + thread(4, "w2", "Acquired lock jobs") + thread(5, "w1", "Released lock jobs") + thread(6, "w3", "Acquired lock jobs") + thread(7, "w2", "Released lock jobs") + thread(8, "w3", "Released lock jobs")}, Possible, "line 6: a.log/w1 ends"},
		{"a thread that releases what it has lost", "", []string{"a.log\n" + thread(0, "w1", "Acquired lock jobs") + thread(1, "w1", "Lost lock jobs") + thread(2, "w2", "Acquired lock jobs") + thread(3, "w1", "Released lock jobs") + thread(4, "w2", "Released lock jobs")}, None, ""},
		{"a thread that releases what it has acquired before the log", "", []string{"a.log\n" + thread(0, "w3", "Released lock jobs") + strings.ReplaceAll(spoken("jobs", "jobs"), "10:00", "10:01")}, Certain, "does not begin in this log"},
		{"clients that are no threads", byKeys, []string{keyed("TIME lock WHAT: jobs by WHO") + "2026-03-01T10:00:10.000Z lock acquired: jobs by a\n2026-03-01T10:00:11.000Z lock released: jobs by c\n2026-03-01T10:00:12.000Z lock acquired: jobs by d\n2026-03-01T10:00:13.000Z lock released: jobs by a\n"}, Certain, "does not begin in this log"},
		// The second session asks for what the first one has.
		{"functions, as pgaudit shows them", byFunction, []string{sessions("AUDIT: SESSION,1,1,READ,SELECT,,,SELECT pg_advisory_lock(42),<not logged>")}, Unknown, "it shows what a server was asked"},
		{"functions that have returned", byFunction, []string{sessions("duration: 0.312 ms  statement: SELECT pg_advisory_lock(42)")}, Certain, ""},
		{"functions that have returned something", byFunction, []string{sessions("duration: 0.312 ms  statement: SELECT pg_try_advisory_lock(42)")}, Unknown, "it shows what a server was asked"},
		{"functions, in what an application says of them", `pattern: '\[(?<client>\d)\].*SELECT (?:un)?lock\((?<lock>\d+)\) (?<event>\w+)'`, []string{strings.NewReplacer("unlock(42)", "unlock(42) released", " lock(42)", " lock(42) acquired").Replace(sessions("SELECT lock(42)"))}, Certain, ""},
		// B acquires while A has it; none of the times below is that of the lease.
		{"a number for the time, and a date behind the event", byKeys, []string{keyed("177235920SECOND.000 lock WHAT: jobs by WHO until 2026-03-01T10:09:00.000Z")}, "", "stands behind the event"},
		{"a key with another date before that of the time", byKeys, []string{keyed("expires=2026-03-01T10:09:00.000Z lock WHAT: jobs by WHO")}, "", `the date of a key "expires"`},
		{"the time behind the event", byKeys, []string{keyed(`level=info msg="lock WHAT: jobs by WHO" time=TIME`)}, Certain, ""},
		{"the time before it, in quotation marks", byKeys, []string{keyed(`ts="TIME" msg="lock WHAT: jobs by WHO" expires=2026-03-01T10:09:00.000Z`)}, Certain, ""},
		// A has it from 10:00:00 to 10:00:05 in UTC, B from 10:00:03 on.
		{"a zone behind a blank", byName + "zone: Europe/Berlin\n", []string{"a.log\n2026-03-01 10:00:00.000 Z [A] lock acquired: jobs\n2026-03-01 10:00:05.000 Z [A] lock released: jobs\n", "b.log\n2026-03-01 11:00:03.000 [B] lock acquired: jobs\n2026-03-01 11:00:09.000 [B] lock released: jobs\n"}, Certain, ""},
		{"a zone in brackets", byName + "zone: Europe/Berlin\n", []string{"a.log\n2026-03-01 10:00:00.000 (UTC) [A] lock acquired: jobs\n"}, "", `"(UTC)" behind "2026-03-01 10:00:00.000" may be`},
		// w1 has lost it when w2 gets it.
		{"an exception with the words of an event", "", []string{"a.log\n" + thread(0, "w1", "Acquired lock jobs") + thread(1, "w2", "Waiting for lock jobs") + thread(2, "w1", "failed") + "com.acme.Gone: Lost lock jobs\n\tat com.acme.J.run(J.java:7)\n" + thread(3, "w2", "Acquired lock jobs") + thread(4, "w1", "Lost lock jobs")}, Certain, "1 line speaks of a lock or names one and was not fully understood, first line 4"},
		{"no line has a time", byKeys, []string{keyed("lock WHAT: jobs by WHO")}, "", "line 1: no time is recognized in it"},
		// Messages are missing, and with them perhaps an event.
		{"messages that rsyslog has lost", "", []string{tried("imuxsock[pid: 1, name: java]: 17 messages lost due to rate-limiting")}, Unknown, "first line 2"},
		{"messages that journald has suppressed", "", []string{tried("Suppressed 1234 messages from billing.service")}, Unknown, "first line 2"},
		{"messages that Heroku has dropped", "", []string{tried("Error L10 (output buffer overflow): 12 messages dropped since 2026-03-01T10:00:01.000000+00:00.")}, Unknown, "first line 2"},
	})
}

// Logs of programs are recognized, and their values found; or the error says what to do.
func TestFormsOfPrograms(t *testing.T) {
	judgeAll(t, []foreign{
		{"leader election behind many lines of klog", "", []string{"a.log\n" + flags + leads("0301 10:00:00", "0301 10:00:09"), "b.log\n" + flags + leads("0301 10:00:05", "0301 10:00:20")}, Certain, ""},
		{"Spring Boot in the colours of a terminal", "", []string{"a.log\n" + strings.NewReplacer("  INFO", " \x1b[32m INFO\x1b[0;39m", "[w", "\x1b[2m[w", "] c", "]\x1b[0;39m c").Replace(spoken("jobs", "jobs"))}, Certain, ""},
		{"JSON behind the name of a pod", "", []string{"a.log\n" + `[pod/a/app] {"level":"info","ts":"2026-03-01T10:00:00Z","msg":"lock acquired","lock":"jobs"}` + "\n"}, "", "has JSON behind something else"},
		{"JSON behind a stream", "", []string{"a.log\n" + `2026-03-01T10:00:00.123000+00:00 app/app/0123 {"time":"2026-03-01T10:00:00Z","lock":"jobs","event":"acquired","client":"a"}` + "\n"}, "", "has JSON behind something else"},
		{"JSON behind a tag", "", []string{"a.log\n" + `<134>1 2026-03-01T10:00:00.123Z a billing 101 - - @cee: {"lock":"jobs","event":"acquired","client":"a"}` + "\n"}, "", "has JSON behind something else"},
		{"columns of CloudWatch", "", []string{"a.csv\n@timestamp,@message,lock,event,pod\n2026-03-01 10:00:00.123,x,jobs,acquired,a\n2026-03-01 10:00:05.123,x,jobs,acquired,b\n2026-03-01 10:00:07.123,x,jobs,released,a\n"}, Certain, ""},
		{"pods of one node", "", []string{"a.json\n" + node("0", "a", "acquired") + node("1", "b", "acquired") + node("2", "a", "released") + node("3", "b", "released")}, Certain, ""},
		{"an event of something else", "", []string{"a.json\n" + `{"timestamp":"2026-03-01T10:00:00Z","worker":"a","event":"17 rows written"}` + "\n" + takeTurns("a", "b")}, None, "1 line is about something else"},
		{"an event of something else that speaks of a lock", "", []string{"a.json\n" + `{"timestamp":"2026-03-01T10:00:00Z","worker":"a","event":"took the lock of jobs"}` + "\n" + takeTurns("a", "b")}, Unknown, "first line 1"},
		{"a panic between lines of JSON", "", []string{"a.json\n" + takeTurns("a", "b") + "panic: no more rows\n\ngoroutine 1 [running]:\n"}, "", `line 5: "panic: no more rows" is no object of JSON: --ignore leaves out lines`},
		{"an unknown event of a lock", "", []string{"a.json\n" + `{"timestamp":"2026-03-01T10:00:00Z","worker":"a","event":"processing","lock":"jobs"}` + "\n"}, "", "--ignore leaves out lines that are none"},

		{"a client in a pattern beside a preset", "preset: klog\npattern: '^(?<client>\\S+) \\S+ [IWEF](?<time>\\d{4} \\S+) +\\d+ \\S+\\] (?<event>successfully acquired|failed to renew) lease (?<lock>\\S+)'\nevents: {lost: failed to renew}\n", []string{"a.log\n" + prefixed("pod-a app ", leads("0301 10:00:00", "0301 10:00:09")) + prefixed("pod-b app ", leads("0301 10:00:05", "0301 10:00:20"))}, Certain, ""},
		{"the same, without the preset's head", "preset: logback\npattern: '(?<client>w\\d) (?<event>\\w+ lock) (?<lock>\\w+)'\n", []string{"a.log\n" + strings.NewReplacer("[w1]", "[t] w1", "[w2]", "[t] w2", "c.acme.J : ", "").Replace(spoken("jobs", "jobs"))}, Certain, ""},
		{"an event that is true or false", "columns: {event: acquired}\nevents: {acquired: 'true', waiting: 'false'}\n", []string{"a.json\n" + `{"time":"2026-03-01T10:00:00Z","pod":"a","lock":"jobs","acquired":true}` + "\n" + `{"time":"2026-03-01T10:00:01Z","pod":"b","lock":"jobs","acquired":false}` + "\n"}, None, ""},
		{"a message that is null", "", []string{"a.json\n" + strings.ReplaceAll(`{"__REALTIME_TIMESTAMP":"1772359200000000","_HOSTNAME":"a","_PID":"1","MESSAGE":"Acquired lock jobs"}_{"__REALTIME_TIMESTAMP":"1772359201000000","_HOSTNAME":"b","_PID":"1","MESSAGE":"Waiting for lock jobs"}_{"__REALTIME_TIMESTAMP":"1772359202000000","_HOSTNAME":"a","_PID":"2","MESSAGE":null}`, "}_", "}\n") + "\n"}, None, "1 line is about something else"},
		{"blanks behind commas", "", []string{"a.csv\nlock, time, client, event, token, mode\n" + "jobs, 2026-03-01T10:00:00.000Z, a, acquired, 1, exclusive\njobs, 2026-03-01T10:00:01.000Z, b, acquired, 2, exclusive\njobs, 2026-03-01T10:00:02.000Z, a, released, , \n"}, Certain, ""},
		{"a date and a time apart", "", []string{"a.csv\ndate,time,client,lock,event\n2026-03-01,10:00:00.000,a,jobs,acquired\n"}, "", "--columns time=DATE+TIME joins them"},
		{"a date and a time, joined", "columns: {time: date+time}", []string{"a.csv\ndate,time,client,lock,event\n2026-03-01,10:00:00.000,a,jobs,acquired\n2026-03-01,10:00:01.000,b,jobs,acquired\n2026-03-01,10:00:02.000,a,jobs,released\n"}, Certain, ""},
	})
}

// B does not get the lock while A holds it, by whatever key of the line says so.
func TestKeysThatSayThatItFailed(t *testing.T) {
	for more, want := range map[string]Verdict{
		`"errorCode":"ConditionalCheckFailedException"`: Unknown, `"errorMessage":"timed out"`: Unknown, `"error_code":409`: Unknown, `"errMsg":"no reply"`: Unknown, `"error":{"type":"Conflict"}`: Unknown,
		`"err":{"name":"LockError","stack":"x"}`: Unknown, `"@x":"System.TimeoutException"`: Unknown, `"exceptionMessage":"no reply"`: Unknown, `"exception":{"class":"Timeout"}`: Unknown, `"statusCode":409`: Unknown, `"status_code":503`: Unknown,
		`"http_status":423`: Unknown, `"responseStatus":{"code":409}`: Unknown, `"http":{"response":{"status_code":409}}`: Unknown,
		`"gotLock":false`: Unknown, `"won":false`: Unknown, `"is_leader":false`: Unknown, `"reply":null`: Unknown,
		`"gotLock":true`: Certain, `"statusCode":200`: Certain, `"errorCode":0`: Certain, `"error_message":""`: Certain, `"error":{"type":null}`: Certain, `"responseStatus":{"code":200}`: Certain, `"errors_before":3`: Certain, `"upstream_status":409`: Certain,
	} {
		log := says("0", "a", "acquired", "") + says("1", "b", "acquired", ","+more) + says("2", "a", "released", "") + says("3", "b", "released", "")
		if want == Unknown { // so that this line alone does not begin a hold
			log = log[:strings.LastIndex(log, "{")]
		}
		log = strings.ReplaceAll(log, "T10", "T09") + takeTurns("c", "d")
		if got, said := answer(t, "", source("a.json", log)); got != want {
			t.Errorf("%s: %s, want %s: %s", more, got, want, said)
		}
	}
}
