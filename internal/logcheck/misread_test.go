package logcheck

import (
	"fmt"
	"strings"
	"testing"
)

// turns is an array of a log in which A and B take turns, but for its closing bracket.
const turns = `[{"time":"2026-03-01T10:00:00.000Z","client":"A","lock":"jobs","event":"acquired"},
{"time":"2026-03-01T10:00:01.000Z","client":"B","lock":"jobs","event":"waiting"},
{"time":"2026-03-01T10:00:02.000Z","client":"A","lock":"jobs","event":"released"},
{"time":"2026-03-01T10:00:03.000Z","client":"B","lock":"jobs","event":"acquired"},
{"time":"2026-03-01T10:00:04.000Z","client":"B","lock":"jobs","event":"released"},
`

// extended is a log in which A is silent after an extension, with the lease of its grant and that
// of the extension.
const extended = `time,client,lock,event,lease
2026-03-01T10:00:00.000Z,A,jobs,acquired,%s
2026-03-01T10:00:10.000Z,A,jobs,extended,%s
2026-03-01T10:00:20.000Z,B,jobs,waiting,
2026-03-01T10:01:00.000Z,B,jobs,acquired,
2026-03-01T10:01:10.000Z,B,jobs,released,
`

// twoEvents is a log of two threads that take turns once, and then overlap; the acquisition that
// does has to be filled in.
const twoEvents = `2026-03-01 09:00:00.000 INFO 1 --- [w1] c.acme.J : Acquired lock jobs
2026-03-01 09:00:01.000 INFO 1 --- [w2] c.acme.J : Waiting for lock jobs
2026-03-01 09:00:10.000 INFO 1 --- [w1] c.acme.J : Released lock jobs
2026-03-01 09:00:11.000 INFO 1 --- [w2] c.acme.J : Acquired lock jobs
2026-03-01 09:00:12.000 INFO 1 --- [w2] c.acme.J : Released lock jobs
2026-03-01 10:00:00.000 INFO 1 --- [w1] c.acme.J : Acquired lock jobs
2026-03-01 10:00:05.000 INFO 1 --- [w2] c.acme.J : |
2026-03-01 10:00:08.000 INFO 1 --- [w2] c.acme.J : Released lock jobs
2026-03-01 10:00:10.000 INFO 1 --- [w1] c.acme.J : Released lock jobs
`

// leads is a hold in a log of client-go.
func leads(from, to string) string {
	const line = "I%s.000000 1 leaderelection.go:271] %s lease n/l\n"
	return fmt.Sprintf(line, from, "successfully acquired") + fmt.Sprintf(line, to, "failed to renew")
}

// holds is a hold of a thread, in the log of its process.
func holds(from, to string) string {
	const line = "2026-03-01 10:00:%s.000 INFO 1 --- [w1] c.acme.J : %s lock jobs\n"
	return fmt.Sprintf(line, from, "Acquired") + fmt.Sprintf(line, to, "Released")
}

// takeTurns is a log of two clients that take turns.
func takeTurns(one, other string) string {
	return says("0", one, "acquired", "") + says("1", one, "released", "") + says("2", other, "acquired", "") + says("3", other, "released", "")
}

// manyTurns is a log of more clients than are remembered of a file, in an hour.
func manyTurns(client string, hour int) (log string) {
	for i := range maxSpan + 100 {
		log += fmt.Sprintf("2026-03-01T%02d:%02d:%02d.000 [%[4]s%[5]d] lock acquired: jobs\n2026-03-01T%02[1]d:%02[2]d:%02[3]d.500 [%[4]s%[5]d] lock released: jobs\n", hour, i/60, i%60, client, i)
	}
	return log
}

// prefixed is a log with something before each line.
func prefixed(with, log string) string {
	return with + strings.ReplaceAll(strings.TrimSuffix(log, "\n"), "\n", "\n"+with) + "\n"
}

// stamped is what kubectl writes before the time of a line.
const stamped = "2026-03-01T10:00:00.000000000Z "

// quietly is the file of a process that says something else at a time.
func quietly(at, what string) string {
	return "a.log\n2026-03-01 " + at + ".000 INFO 1 --- [w1] c.acme.J : " + what + "\n"
}

// zoned is a log of two holds whose times have two zones, one of which is an hour to the east of
// the other.
func zoned(east, west string) string {
	return strings.NewReplacer("E", east, "W", west).Replace("2026-03-01 10:00:00.000E INFO [A] lock acquired: jobs\n2026-03-01 09:00:05.000W INFO [B] lock acquired: jobs\n" +
		"2026-03-01 10:00:10.000E INFO [A] lock released: jobs\n2026-03-01 09:00:20.000W INFO [B] lock released: jobs\n")
}

// autumn is a log of the night in which clocks are put back, with a minute, a client and an event
// in each line.
func autumn(lines ...string) (log string) {
	for _, line := range lines {
		var minute, client, event string
		fmt.Sscan(line, &minute, &client, &event)
		log += fmt.Sprintf("2026-10-25 02:%s:00.000 [%s] lock %s: jobs\n", minute, client, event)
	}
	return log
}

// says is a line of JSON, with more of its keys.
func says(second, pod, message, more string) string {
	return fmt.Sprintf(`{"time":"2026-03-01T10:00:0%s.000Z","pod":"%s","lock":"jobs","msg":"%s"%s}`+"\n", second, pod, message, more)
}

// cut is a line of a text, by its number.
func cut(text string, line int) string { return strings.SplitAfter(text, "\n")[line-1] }

// Logs whose lines may be misread: each has its verdict, or an error that says why not.
func TestMisreadLogs(t *testing.T) {
	judgeAll(t, []foreign{
		// A holds from 0 to 10 s, and B from 5 to 7 s.
		{"milliseconds, and one client's seconds", "", []string{"a.csv\ntime,client,lock,event\n1772359200000,A,jobs,acquired\n" +
			"1772359201000,C,jobs,waiting\n1772359205,B,jobs,acquired\n1772359207,B,jobs,released\n1772359210000,A,jobs,released\n"}, Certain, ""},
		{"seconds, and one client's nanoseconds", "", []string{"a.csv\ntime,client,lock,event\n1772359200,A,jobs,acquired\n" +
			"1772359205000000000,B,jobs,acquired\n1772359207000000000,B,jobs,released\n1772359210,A,jobs,released\n"}, Certain, ""},
		{"milliseconds, and those of another clock", "", []string{"a.csv\ntime,client,lock,event\n1772359200000,A,jobs,acquired\n" +
			"105000,B,jobs,acquired\n107000,B,jobs,released\n1772359210000,A,jobs,released\n"}, "", `line 3: the time "105000" is a number: say what it counts`},
		{"milliseconds, and a date", "", []string{"a.csv\ntime,client,lock,event\n1772359200000,A,jobs,acquired\n" +
			"2026-03-01T10:00:05.000Z,B,jobs,acquired\n"}, "", `"2026-03-01T10:00:05.000Z" is no number, as the times before it are`},
		{"an array without its end", "", []string{"a.json\n" + turns}, Unknown, "the file breaks off after line 5: the log is cut"},
		{"an array, and one without its end", "", []string{"a.json\n" + turns + "]\n[\n"}, Unknown, "the file breaks off"},
		{"an array with its end, and a bracket in a text", "", []string{"a.json\n" + turns + `{"note":"]["}` + "\n]\n"}, None, ""},
		{"an array, and a word in it", "", []string{"a.json\n" + strings.Replace(turns, "\n", "\npanic: no more rows,\n", 1) + "]\n"}, "", "'p' stands in line 2, where an object of JSON is expected"},
		{"objects of several lines", "", []string{"a.json\n\xef\xbb\xbf" + strings.NewReplacer("[", "", "},", "}", ",", ",\n ", "{", "{\n ", "}", "\n}").Replace(turns)}, None, ""},
		{"the last of them is cut", "", []string{"a.json\n" + strings.TrimRight(strings.NewReplacer("[", "", "},", "}", "{", "{\n ").Replace(turns), "}\n")}, Unknown, "the log is cut"},
		{"a file of zstd", "", []string{"a.zst\n\x28\xb5\x2f\xfd\x04\x00"}, "", "it is compressed by zstd: decompress it, or with gzip"},
		// Extended at 10 s, A may hold until 5:10 or until 40 s; B comes at 60 s.
		{"an extension of a grant longer than usual", "lease: 30s", []string{"a.csv\n" + fmt.Sprintf(extended, "5m", "")}, Possible, ""},
		{"an extension of a grant shorter than usual", "lease: 5m", []string{"a.csv\n" + fmt.Sprintf(extended, "30s", "")}, None, ""},
		{"an extension of a grant, where no lease is usual", "", []string{"a.csv\n" + fmt.Sprintf(extended, "30s", "")}, None, ""},
		{"an extension that says for how long", "lease: 30s", []string{"a.csv\n" + fmt.Sprintf(extended, "30s", "5m")}, Possible, ""},
		// w2 acquires while w1 holds, in the line with two events; it had held before, so its
		// release is no surprise.
		{"two events of two patterns", "", []string{"app.log\n" + strings.ReplaceAll(twoEvents, "|", "Acquired lock jobs after waiting for lock jobs 3 s")}, Unknown, "1 line speaks of a lock or names one and was not fully understood, first line 7"},
		{"the second event first", "", []string{"app.log\n" + strings.ReplaceAll(twoEvents, "|", "waiting for lock jobs is over. Acquired lock jobs")}, Unknown, "was not fully understood, first line 7"},
		{"one event of them", "", []string{"app.log\n" + strings.ReplaceAll(twoEvents, "|", "Acquired lock jobs after 3 s")}, Certain, ""},
		{"a second lock behind the first", "", []string{"app.log\n" + strings.ReplaceAll(twoEvents, "|", "Acquired lock mail, jobs")}, Unknown, "was not fully understood, first line 7"},
		{"a key whose value has the name of another lock", "", []string{"app.log\n" + strings.NewReplacer("|", "Acquired lock mail queue=jobs", "08.000 INFO 1 --- [w2] c.acme.J : Released lock jobs", "08.000 INFO 1 --- [w2] c.acme.J : Released lock mail").Replace(twoEvents)}, None, ""},
		// A took it from 0 to 10 s, in words of its own, and B has it from 5 to 8 s.
		{"a lock in its column, and sentences that are not known", "", []string{"a.csv\ntime,pod,mutex,message\n2026-03-01T10:00:00.000Z,a,jobs,took it\n2026-03-01T10:00:10.000Z,a,jobs,gave it back\n",
			"b.csv\ntime,pod,mutex,message\n2026-03-01T10:00:05.000Z,b,jobs,lock acquired\n2026-03-01T10:00:06.000Z,c,jobs,waiting for lock\n" +
				"2026-03-01T10:00:08.000Z,b,jobs,lock released\n2026-03-01T10:00:15.000Z,c,jobs,lock acquired\n"}, Unknown, "2 lines speak of a lock or name one and were not fully understood, first line 2 of a.csv"},
		{"one lock for all lines, and other sentences", "columns: {lock: =jobs}\n", []string{"b.csv\ntime,pod,message\n2026-03-01T10:00:00.000Z,b,17 rows\n2026-03-01T10:00:05.000Z,b,lock acquired\n" +
			"2026-03-01T10:00:06.000Z,c,waiting for lock\n2026-03-01T10:00:08.000Z,b,lock released\n2026-03-01T10:00:15.000Z,c,lock acquired\n"}, None, "1 line is about something else"},
		// The same thread of two pods holds from 0 to 10 s, and from 5 to 20 s.
		{"threads of two pods, as kubectl prints them", "zone: UTC", []string{"app.log\n" + prefixed("[pod/a/app] ", holds("00", "10")) + prefixed("[pod/b/app] ", holds("05", "20"))}, Certain, ""},
		{"leaders of two pods, with the times of kubectl", "zone: UTC", []string{"app.log\n" + prefixed("[pod/a/app] "+stamped, leads("0301 10:00:00", "0301 10:00:10")) + prefixed("[pod/b/app] "+stamped, leads("0301 10:00:05", "0301 10:00:20"))}, Certain, ""},
		// A holds from 10 s before the new year to 10 s after it, and B comes after 5 s.
		{"a new year, which one file begins before and one after", "zone: UTC", []string{"a.log\n" + leads("1231 23:59:50", "0101 00:00:10"), "b.log\n" + leads("0101 00:00:05", "0101 00:00:20")}, Certain, ""},
		{"the same, the other way round", "zone: UTC", []string{"b.log\n" + leads("0101 00:00:05", "0101 00:00:20"), "a.log\n" + leads("1231 23:59:50", "0101 00:00:10")}, Certain, ""},
		// A holds on the last day of February, and B on the day after.
		{"a leap day after a new year", "zone: UTC", []string{"a.log\n" + leads("1230 10:00:00", "1230 11:00:00") + leads("0229 10:00:00", "0229 11:00:00") +
			strings.ReplaceAll(leads("0301 10:30:00", "0301 10:40:00"), "I03", "[pod/b/c] I03")}, None, ""},
		// A is silent from 10 s before March on, and B comes 15 s later: in most years within A's
		// lease.
		{"the end of February", "zone: UTC\nlease: 30s", []string{"a.log\n" + cut(leads("0228 23:59:50", ""), 1) +
			strings.ReplaceAll(leads("0301 00:00:05", "0301 00:00:20"), "I03", "[pod/b/c] I03")}, Unknown, "which leases were over is a guess"},
		{"the end of February, and no lease", "zone: UTC", []string{"a.log\n" + leads("0228 23:59:50", "0228 23:59:59"), "b.log\n" + leads("0301 00:00:05", "0301 00:00:20")}, None, ""},
		{"files far apart", "", []string{"a.log\n" + leads("0101 10:00:00", "0101 11:00:00"), "b.log\n" + leads("0501 10:00:00", "0501 10:40:00") + leads("0901 10:00:00", "0901 10:40:00")}, Unknown, "their years are a guess"},
		{"a zone whose clocks change, and no year", "zone: Europe/Berlin", []string{"a.log\n" + leads("0327 10:00:00", "0327 11:00:00")}, "", "line 1: zone: times without a year do not say when clocks in Europe/Berlin change: give its offset"},
		{"years, and none", "zone: UTC", []string{"a.log\n" + leads("0101 10:00:00", "0101 11:00:00"), "b.csv\ntime,client,lock,event\n2026-01-01 10:30:00,B,n/l,acquired\n"}, "", "line 2: some times of the log have a year and others have none"},
		// A pod holds from 0 to 10 s, and another one from 5 to 20 s.
		{"files of one name in two folders", "reentrant: true", []string{"a/app.log\n" + holds("00", "10"), "b/app.log\n" + holds("05", "20")}, Certain, ""},
		{"the same, and a third one", "reentrant: true", []string{"c/other.log\n" + holds("30", "31"), "a/app.log\n" + holds("00", "10"), "b/app.log\n" + holds("05", "20")}, Certain, ""},
		{"zones by folders", "zones: {'a/*': UTC, 'b/*': +01:00, other.log: UTC}", []string{"a/app.log\n" + holds("00", "10"), "b/app.log\n" + holds("05", "20"), "other.log\n" + holds("30", "31")}, None, ""},
		// A holds from 9:00:00 to 9:00:10, and B from 9:00:05 to 9:00:20, both in UTC.
		{"offsets of two digits", proseFormat, []string{"a.log\n" + zoned("+01", "+00")}, Certain, ""},
		{"Greenwich, and an offset", proseFormat, []string{"a.log\n" + zoned("+01:00", " GMT")}, Certain, ""},
		{"zones by their names", proseFormat, []string{"a.log\n" + zoned(" CET", " GMT")}, "", `line 1: "2026-03-01 10:00:00.000 CET" has a zone by a name, which says no offset: say with --zone`},
		{"zones by their names, stated", proseFormat + "zone: Europe/Berlin\n", []string{"a.log\n" + zoned(" CET", " GMT")}, Certain, ""},
		{"a zone by its name, and another one", proseFormat + "zone: Europe/Berlin\n", []string{"a.log\n" + zoned(" CET", " IST")}, "", `line 2: "2026-03-01 09:00:05.000 IST" names a zone that --zone Europe/Berlin does not have then`},
		{"a zone by its name in winter, and its name in summer", proseFormat + "zone: Europe/Berlin\n", []string{"a.log\n" + zoned(" CEST", " CEST")}, "", "does not have then"},
		{"two names for one offset", proseFormat + "zone: +01:00\n", []string{"a.log\n" + zoned(" CET", " CET"), "b.log\n" + zoned(" IST", " IST")}, "", "line 1: \"2026-03-01 10:00:00.000 IST\" names a zone that --zone +01:00 does not have then"},
		{"one name for an offset", proseFormat + "zone: +01:00\n", []string{"a.log\n" + zoned(" CET", " GMT")}, Certain, ""},
		{"an offset from Greenwich", proseFormat, []string{"a.log\n" + zoned(" GMT+01:00", " UTC+0000")}, Certain, ""},
		{"hours up to 12", proseFormat, []string{"a.log\n" + zoned(" PM", " AM")}, "", `line 1: "2026-03-01 10:00:00.000 PM" is no time such as`},
		{"zones by their regions", proseFormat, []string{"a.log\n" + zoned(" Europe/Berlin", " Europe/London")}, "", `line 1: "2026-03-01 10:00:00.000 Europe/Berlin" is no time such as`},
		{"an export, and a pattern for its messages", "pattern: 'lock (?<event>\\w+): (?<lock>\\S+)'\n", []string{"a.csv\ntime,host,message\n"}, "", "(?<client>...), and there is no --columns client=GROUP, =TEXT or @file; if the log is CSV, --columns message=NAME says"},
		// Clocks show 2:30 twice: in CEST, and an hour later in CET.
		{"clocks are put back, and names say which hour it is", proseFormat + "zone: Europe/Berlin\n", []string{"a.log\n" +
			strings.NewReplacer("03-01 10:00", "10-25 02:30", "03-01 09:00", "10-25 02:30").Replace(zoned(" CEST", " CET"))}, None, ""},
		// A has it from 2:30 in summer to 2:10 in winter, and then B.
		{"clocks are put back in the first lines", proseFormat, []string{"a.log\n" + autumn("30 A acquired", "10 A released", "20 B acquired", "40 B released")}, "", "line 2: its time goes against the order of the lines"},
		{"clocks are put back between the lines of two clients", proseFormat, []string{"a.log\n" + autumn("50 A acquired", "58 A released", "51 B acquired", "59 B released")}, "", "line 3: its time goes against the order of the lines"},
		{"the same, newest first", proseFormat, []string{"a.log\n" + autumn("59 B released", "51 B acquired", "58 A released", "50 A acquired")}, "", "line 2: its time goes against the order of the lines"},
		{"clocks are put back in the first lines, newest first", proseFormat, []string{"a.log\n" + autumn("40 B released", "20 B acquired", "10 A released", "30 A acquired")}, "", "its time goes against the order of the lines"},
		{"minutes between the lines, newest first", proseFormat, []string{"a.log\n" + autumn("50 B released", "30 B acquired", "25 A released", "05 A acquired")}, None, ""},
		{"an offset behind a blank", proseFormat, []string{"a.log\n" + zoned(" +02", " +01")}, "", `"+02" behind "2026-03-01 10:00:00.000" may be an offset of its zone`},
		{"an offset in brackets", "", []string{"a.log\n" + zoned(" [+02:00]", " [+01:00]")}, "", `"[+02:00]" behind "2026-03-01 10:00:00.000" may be an offset of its zone`},
		{"a number behind the time", proseFormat, []string{"a.log\n" + strings.ReplaceAll(zoned("", "")[:strings.Index(zoned("", ""), "\n")+1], " INFO", "-42 INFO")}, Unknown, "its times have no zone"},
		{"the holder is named beside the client", "reentrant: true", []string{"a.json\n" + `{"time":"2026-03-01T10:00:00.000Z","pod":"a","lock":"jobs","event":"acquired"}` + "\n" +
			`{"time":"2026-03-01T10:00:03.000Z","pod":"b","owner":"a","lock":"jobs","event":"acquired"}` + "\n"}, "", `line 2: the client would be its "owner", and was the "pod" of the lines before: choose one with --columns client=NAME`},
		{"the same, chosen", "columns: {client: pod}", []string{"a.json\n" + `{"time":"2026-03-01T10:00:00.000Z","pod":"a","lock":"jobs","event":"acquired"}` + "\n" +
			`{"time":"2026-03-01T10:00:03.000Z","pod":"b","owner":"a","lock":"jobs","event":"acquired"}` + "\n" + `{"time":"2026-03-01T10:00:09.000Z","pod":"a","lock":"jobs","event":"released"}` + "\n"}, Certain, ""},
		{"another lock is named beside the lock", "", []string{"a.json\n" + strings.ReplaceAll(says("0", "a", "acquired", ""), `"lock"`, `"lockName"`) + strings.ReplaceAll(says("1", "b", "acquired", `,"db":{"mutex":"rows"}`), `"lock"`, `"lockId"`)}, "", `line 2: the lock would be its "lockId", and was the "lockName" of the lines before`},
		{"another time is named beside the time", "", []string{"a.json\n" + strings.ReplaceAll(says("0", "a", "acquired", ""), `"time"`, `"ts"`) + strings.ReplaceAll(says("1", "b", "acquired", `,"time":"2026-03-01T09:00:00.000Z"`), `"time":"2026-03-01T10`, `"ts":"2026-03-01T10`)}, "", `line 2: the time would be its "time", and was the "ts" of the lines before`},
		{"a line about something else has an owner", "", []string{"a.json\n" + turns[1:strings.Index(turns, ",\n")] + "\n" + `{"time":"2026-03-01T10:00:03.000Z","owner":"b","message":"17 rows"}` + "\n"}, Unknown, "1 line is about something else"},
		{"it is locked by another one", "", []string{"a.json\n" + says("0", "a", "Lock acquired", "") + says("1", "b", "the lock is locked", "") + says("2", "a", "Lock released", "") + says("3", "b", "Locked", "") + says("4", "b", "Unlocked", "")}, Unknown, "not fully understood, first line 2"},
		{"the same in one word", "", []string{"a.json\n" + says("0", "a", "acquired", "") + says("1", "b", "lock_is_locked", "")}, Unknown, "not fully understood, first line 2"},
		{"a number that is cut off, of no unit", "", []string{"a.json\n" + `{"time":1.7723592e+09,"pod":"a","lock":"jobs","event":"acquired"}` + "\n"}, "", "has an exponent, which cuts digits off"},
		{"a number that is cut off", "time-unit: s", []string{"a.json\n" + `{"time":1.7723592e+09,"pod":"a","lock":"jobs","event":"acquired"}` + "\n"}, "", "the time \"1.7723592e+09\" has an exponent, which cuts digits off"},
		// b did not get it at 1 s.
		{"an acquisition that failed", "", []string{"a.json\n" + says("0", "a", "acquired", `,"ok":true`) + says("1", "b", "acquired", `,"Success":false`) + says("2", "a", "released", `,"db":{"ok":false}`) + says("3", "b", "acquired", "") + says("4", "b", "released", "")},
			Unknown, "not fully understood, first line 2"},
		{"one that failed, in a column", "", []string{"a.csv\ntime,client,lock,event,ok\n2026-03-01T10:00:00.000Z,a,jobs,acquired,t\n2026-03-01T10:00:01.000Z,b,jobs,acquired,False\n" +
			"2026-03-01T10:00:02.000Z,a,jobs,released,t\n2026-03-01T10:00:03.000Z,b,jobs,acquired,t\n"}, Unknown, "not fully understood, first line 3"},
		{"one that failed, as ECS says it", "", []string{"a.json\n" + says("0", "a", "acquired", `,"event":{"outcome":"success"},"error":null`) + says("1", "b", "acquired", `,"event":{"outcome":"failure"}`) + says("2", "a", "released", "")},
			Unknown, "first line 2: \"{\\\"time\\\":\\\"2026-03-01T10:00:01.000Z\\\",\\\"pod\\\":\\\"b\\\",\\\"lock\\\":\\\"jobs\\\",\\\"msg\\\":\\\"acquired\\\",\\\"event\\\":{\\\"outcome\\\":\\\"failure\\\"}}\"; it says that this did not succeed"},
		{"one that failed with an error", "", []string{"a.json\n" + says("0", "a", "acquired", `,"err":"<nil>"`) + says("1", "b", "acquired", `,"error":"timed out"`) + says("2", "a", "released", "")}, Unknown, "this did not succeed"},
		{"one that does not say whether it succeeded", "", []string{"a.json\n" + says("0", "a", "acquired", `,"error":null`) + says("1", "a", "released", "") + says("2", "b", "acquired", `,"succeeded":null`) + says("3", "c", "acquired", "") + says("4", "c", "released", "")},
			Unknown, "this did not succeed, or null for it"},
		{"the same, in a column", "", []string{"a.csv\ntime,client,lock,event,ok\n2026-03-01T10:00:00.000Z,a,jobs,acquired,\n2026-03-01T10:00:01.000Z,a,jobs,released,\n" +
			"2026-03-01T10:00:02.000Z,b,jobs,acquired,None\n2026-03-01T10:00:03.000Z,c,jobs,acquired,\n2026-03-01T10:00:04.000Z,c,jobs,released,\n"}, Unknown, "first line 4"},
		{"one that failed, as its context says", "", []string{"a.json\n" + says("0", "a", "acquired", "") + says("1", "c", "waiting", "") + says("2", "b", "acquired", `,"context":{"success":false}`) + says("3", "b", "acquired", `,"result":"rejected"`) + says("4", "a", "released", "") + says("5", "c", "acquired", "") + says("6", "c", "released", "")}, Unknown, "it says that this did not succeed"},
		{"one that failed, and said that it waits", "", []string{"a.json\n" + says("0", "a", "acquired", "") + says("1", "b", "waiting", `,"success":false`) + says("2", "a", "released", "") + says("3", "b", "acquired", "") + says("4", "b", "released", "")}, None, ""},
		{"keys that are not known", "", []string{"a.json\n" + `{"@t":"2026-03-01T10:00:00.000Z","@mt":"{Event} lock {Lock}","Event":"Acquired","Lock":"jobs","MachineName":"a"}` + "\n"}, Unknown,
			`}"; which of the keys "@mt, @t, Event, Lock, MachineName" has the client is not known: --columns client=NAME says it`},
		{"a lock that only the message names", "", []string{"a.json\n" + `{"time":"2026-03-01T10:00:00.000Z","client":"a","msg":"Acquired lock jobs"}` + "\n"}, Unknown,
			`}"; which of the keys "client, msg, time" has the lock is not known: --columns lock=NAME says it, or --pattern where a message does`},
		{"a message that is not known", `pattern: '(?<event>\w+) lock (?<lock>\w+)'`, []string{"a.json\n" + `{"time":"2026-03-01T10:00:00.000Z","client":"a","line":"Acquired lock jobs"}` + "\n"}, Unknown,
			`}"; which of the keys "client, line, time" has the message is not known: --columns message=NAME says it`},
		// A line is in pod a from 0 to 10 s, and in b from 5 to 20 s, whenever it arrived.
		{"threads of two pods, with the times of kubectl", "zone: UTC", []string{"app.log\n" + prefixed("[pod/a/app] "+stamped, holds("00", "10")) + prefixed("[pod/b/app] "+stamped, holds("05", "20"))}, Certain, ""},
		{"lines that syslog counts", "pattern: '(?<client>w\\d).* (?<event>\\w+ lock) (?<lock>\\w+)'", []string{"a.log\n" + holds("00", "01") + "2026-03-01 10:00:03.000 w2: message repeated 2 times: [ Acquired lock jobs]\n" + "2026-03-01 10:00:05.000 w2: Released lock jobs\n"},
			Unknown, "first line 3"},
		{"lines that syslog counts, and that may be any", "pattern: '(?<client>w\\d).* (?<event>\\w+ lock) (?<lock>\\w+)'", []string{"a.log\n" + holds("00", "01") + "2026-03-01 10:00:03.000 last message repeated 2 times\n" + strings.ReplaceAll(holds("04", "05"), "w1", "w2")},
			Unknown, "first line 3"},
		{"requests that were refused", `pattern: '^\S+ \S+ (?<client>\S+) "POST /(?<lock>\w+)/(?<event>\w+)'`, []string{"a.log\n" + `2026-03-01 10:00:00.000 a "POST /jobs/acquired HTTP/1.1" 200 1` + "\n" + `2026-03-01 10:00:01.000 b "POST /jobs/acquired HTTP/1.1" 423 1` + "\n" +
			`2026-03-01 10:00:02.000 a "POST /jobs/released HTTP/1.1" 200 1` + "\n"}, Unknown, "this did not succeed"},
		// The lock is held from 0 to 25 s, and from 20 s on.
		{"a time with a lease behind it", `pattern: '(?<client>[ab]): (?<event>\w+ lock) (?<lock>\w+)'`, []string{"a.log\n" + "2026-03-01T10:00:00.000Z 2026-03-01T10:00:30.000Z a: Acquired lock jobs\n" +
			"2026-03-01T10:00:20.000Z 2026-03-01T10:00:50.000Z b: Acquired lock jobs\n2026-03-01T10:00:25.000Z a: Released lock jobs\n"}, Certain, ""},
		// No reply is in these lines: PostgreSQL and MySQL write them before the client has to
		// wait.
		{"statements of PostgreSQL", `pattern: '\[(?<client>\d+)\].*(?<event>pg_advisory_\w+)\((?<lock>\d+)'` + "\nevents: {acquired: pg_advisory_lock, released: pg_advisory_unlock}", []string{"a.log\n" +
			"2026-03-01 10:00:00.000 UTC [7] LOG:  statement: SELECT pg_advisory_lock(42)\n2026-03-01 10:00:01.000 UTC [8] LOG:  execute S_1: SELECT pg_advisory_lock(42)\n" +
			"2026-03-01 10:00:02.000 UTC [7] LOG:  duration: 0.1 ms  statement: SELECT pg_advisory_unlock(42)\n"}, Unknown, "; it shows what a server was asked, and not its reply"},
		{"the general log of MySQL", `pattern: '\t +(?<client>\d+) Query\tSELECT (?<event>\w+_LOCK)\(.(?<lock>\w+)'` + "\nevents: {acquired: GET_LOCK, released: RELEASE_LOCK}", []string{"a.log\n" +
			"2026-03-01T10:00:00.000000Z\t    7 Query\tSELECT GET_LOCK('jobs', 9)\n2026-03-01T10:00:01.000000Z\t    8 Query\tSELECT GET_LOCK('jobs', 9)\n" +
			"2026-03-01T10:00:02.000000Z\t    7 Query\tSELECT RELEASE_LOCK('jobs')\n"}, Unknown, "; it shows what a server was asked, and not its reply"},
		// The lock is held from 0 to 25 s, and until 50 s from 20 s on.
		{"a time in another form before the first date", `pattern: '(?<client>host-\w) .*(?<event>Acquired lock|Released lock) (?<lock>\w+)'`, []string{"a.log\n" +
			"Mar  1 10:00:00 host-a app: Acquired lock jobs until 2026-03-01T10:00:30Z\n"}, "", `"10:00:00" stands before "2026-03-01T10:00:30Z", so which is its time? say with a group (?<time>...)`},
		{"a lock in the colours of a terminal, and without", `pattern: ' (?<client>\w) (?<event>\w+ lock) (?<lock>\S+)'`, []string{"a.log\n" +
			"2026-03-01T10:00:00.000Z a acquired lock \x1b[1;36mjobs\x1b[0m\n2026-03-01T10:00:01.000Z b acquired lock jobs\n2026-03-01T10:00:02.000Z a released lock \x1b[36mjobs\x1b[0m\n"}, Certain, ""},
		{"a message with colours, as journald writes it", "", []string{"a.json\n" + `{"__REALTIME_TIMESTAMP":"1772359200000000","_HOSTNAME":"a","_PID":"1","MESSAGE":[27,91,51,50,109]}` + "\n"}, "", "line 1: MESSAGE is an array, as journald writes a message with colours"},
		{"names with blanks and colours around them", "", []string{"a.json\n" + strings.ReplaceAll(says("0", "a", "LockAcquired", ""), "jobs", ` \u001b[36mjobs\u001b[0m`) + says("1", "b", "lockAcquired", "") +
			strings.ReplaceAll(says("2", "a ", "released", ""), "jobs", "jobs\u00a0") + says("3", "b", "released", "")}, Certain, ""},
		{"a name that is encoded in another way", "", []string{"a.json\n" + strings.ReplaceAll(takeTurns("a", "b"), "jobs", "café"),
			"b.json\n" + strings.ReplaceAll(takeTurns("c", "d"), "jobs", "caf\u200be\u0301")}, Unknown, "count as two locks"},
		{"a name with another mark", "", []string{"a.json\n" + strings.ReplaceAll(takeTurns("a", "b"), "jobs", "a-b") + strings.ReplaceAll(takeTurns("c", "d"), "jobs", "a/b")}, Unknown, "count as two locks"},
		{"behind the time at which it arrived", "", []string{"a.log\n" + prefixed("2026-03-01T10:00:00.000000000Z stdout F ", holds("00", "10")), "b.log\n" + prefixed(stamped, holds("05", "20"))}, Certain, ""},
		{"JSON behind the time at which it arrived", "", []string{"a.json\n" + prefixed("2026-03-01T10:00:00.0+01:00 stdout F ", says("0", "a", "acquired", "")+says("5", "b", "acquired", "")+says("9", "a", "released", ""))}, Certain, ""},
		{"leader election behind the time at which it arrived", "", []string{"a.log\n" + prefixed("2026-03-01T10:00:00.000000000Z stderr F ", leads("0301 10:00:00", "0301 10:00:09")), "b.log\n" + leads("0301 10:00:05", "0301 10:00:20")}, Certain, ""},
		{"leader election at -v=4", "", []string{"a.log\n" + leads("0301 10:00:00", "0301 10:00:09"), "b.log\nI0301 10:00:02.000000 1 leaderelection.go:352] lock is held by a and has not yet expired\n" +
			"I0301 10:00:02.000001 1 leaderelection.go:253] failed to acquire lease n/l\nI0301 10:00:04.000001 1 leaderelection.go:253] \"Failed to acquire lease\" lock=\"n/l\"\n" + leads("0301 10:00:15", "0301 10:00:20")}, None, ""},
		// Readers share.
		{"a lock for readers", "zone: UTC", []string{"a.log\n" + strings.ReplaceAll(holds("00", "10"), "Acquired lock", "Read lock acquired:"), "b.log\n" + strings.ReplaceAll(holds("05", "20"), "Acquired lock", "Read lock acquired:")}, Unknown, "no client contended"},
		{"a lock that is shared, behind its event", "zone: UTC", []string{"a.log\n" + strings.ReplaceAll(holds("00", "10"), "jobs", "jobs in shared mode"), "b.log\n" + strings.ReplaceAll(holds("05", "20"), "jobs", "jobs mode=READ")}, Unknown, "it says that others share the lock"},
		{"a key that says that a lock is shared", "", []string{"a.json\n" + says("0", "a", "acquired", `,"lock_type":"read"`) + says("1", "b", "acquired", `,"exclusive":false`) + says("2", "c", "acquired", `,"is_shared":true`) + says("3", "a", "released", "")}, Unknown, "3 lines speak of a lock or name one and were not fully understood, first line 1: "},
		{"a key that says so, and a mode", "columns: {mode: lock_type}", []string{"a.json\n" + says("0", "a", "acquired", `,"lock_type":"read","shared":true`) + says("1", "b", "acquired", `,"lock_type":"write"`) + says("2", "a", "released", "")}, Certain, ""},
		{"an error beside the event", "pattern: 'msg=\"(?<event>[^\"]+)\" lock=(?<lock>\\S+) client=(?<client>\\S+)'", []string{"a.log\n" + `2026-03-01T10:00:00.000Z msg="lock acquired" lock=jobs client=a err=<nil>` + "\n" + `2026-03-01T10:00:01.000Z err="no reply" msg="lock acquired" lock=jobs client=b` + "\n" +
			`2026-03-01T10:00:02.000Z msg="lock released" lock=jobs client=a` + "\n"}, Unknown, "; it says that this did not succeed"},
		{"an error beside an event, and a shared lock", "pattern: 'msg=\"(?<event>[^\"]+)\" lock=(?<lock>\\S+) client=(?<client>\\S+) mode=(?<mode>\\S+)'", []string{"a.log\n" + `2026-03-01T10:00:00.000Z msg="lock acquired" lock=jobs client=a mode=read err=no` + "\n" + `2026-03-01T10:00:01.000Z msg="lock acquired" lock=jobs client=b mode=write` + "\n" +
			`2026-03-01T10:00:02.000Z msg="lock released" lock=jobs client=b mode=write` + "\n" + `2026-03-01T10:00:03.000Z msg="lock released" lock=jobs client=a mode=read` + "\n"}, Unknown, "1 line speaks of a lock or names one and was not fully understood, first line 1: "},
		{"an exception beside the event", "", []string{"a.json\n" + says("0", "a", "acquired", `,"errors":[]`) + says("1", "b", "acquired", `,"exception":"IllegalMonitorStateException"`) + says("2", "b", "acquired", `,"locked":false`) + says("3", "a", "released", "")}, Unknown, "2 lines speak"},
		{"what ends the hold stands behind its event", "zone: UTC", []string{"a.log\n" + holds("00", "10"), "b.log\n" + strings.Replace(holds("15", "20"), "Acquired lock jobs", "Acquired lock jobs, releasing it at once", 1)}, Unknown, "it has a second event or lock"},
		{"a list of locks", "zone: UTC", []string{"a.log\n" + strings.ReplaceAll(holds("00", "10"), "jobs", "jobs, mail"), "b.log\n" + strings.ReplaceAll(holds("15", "20"), "jobs", "jobs and mail")}, Unknown, "it has a second event or lock"},
		{"a line whose end is missing", "zone: UTC", []string{"a.log\n" + holds("00", "10") + strings.TrimSpace(cut(quietly("10:00:12", "17 rows"), 2)) + holds("15", "20"), "b.log\n" + holds("30", "40")}, Unknown, "; a second time stands before its event"},
		{"JSON in a text", "", []string{"a.json\n" + `{"log":"{\"lock\":\"jobs\"}","time":"2026-03-01T10:00:00Z"}` + "\n"}, Unknown, "it has JSON within it: jq -rc '.log' takes that out"},
		{"JSON in an array", "", []string{"a.json\n" + `{"data": {"result": [ {"lock":"jobs","time":"2026-03-01T10:00:00Z"}]}}` + "\n"}, Unknown, "it has JSON within it: jq -rc '.data.result[]' takes that out"},
		{"a name with a mark", "", []string{"a.json\n" + takeTurns("a", "b") +
			strings.ReplaceAll(says("0", "c", "acquired", ""), "jobs", "/jobs")}, Unknown, "/jobs and jobs count as two locks"},
		{"a name with a word for a lock", "", []string{"a.json\n" + takeTurns("a", "b") +
			strings.ReplaceAll(says("0", "c", "acquired", ""), "jobs", "lock:jobs")}, Unknown, "jobs and lock:jobs count as two locks"},
		{"a name behind that of an application", "", []string{"a.json\n" + takeTurns("a", "b") +
			strings.ReplaceAll(says("0", "c", "acquired", ""), "jobs", "shop:{jobs}")}, Unknown, "jobs and shop:{jobs} count as two locks"},
		{"the same, and both are contended for", "", []string{"a.json\n" + takeTurns("a", "b") +
			strings.ReplaceAll(says("0", "c", "acquired", "")+says("1", "c", "released", "")+says("2", "d", "acquired", "")+says("3", "d", "released", ""), "jobs", "shop:jobs")}, None, ""},
		{"a number for a name", "", []string{"a.json\n" + strings.ReplaceAll(says("0", "a", "acquired", "")+says("1", "b", "acquired", "")+says("2", "a", "released", ""), `"jobs"`, "42")}, Certain, ""},
		// Both hold it for themselves, in transactions that read.
		{"a mode of a transaction", "", []string{"a.json\n" + says("0", "a", "acquired", `,"db":{"mode":"read"}`) + says("1", "b", "acquired", `,"db":{"mode":"read"}`) + says("2", "a", "released", "") + says("3", "b", "released", "")}, Certain, ""},
		{"a key that no line has", "columns: {client: podd}", []string{"a.json\n" + says("0", "a", "acquired", "")}, "", "the client is missing: --columns client=NAME says where it stands"},
		// What is no token, no mode and no lease can be ignored, as the errors say.
		{"a hexadecimal token", "", []string{"a.json\n" + says("0", "a", "acquired", `,"token":"0x1f"`) + says("1", "a", "released", "") + says("2", "b", "acquired", `,"token":"0x20"`)}, None, ""},
		{"a random token", "", []string{"a.json\n" + says("0", "a", "acquired", `,"token":"a3f9"`)}, "", `the token "a3f9" is no whole number from 0 on; if it is no fencing token, --columns token== ignores it`},
		{"a mode of something else", "", []string{"a.json\n" + says("0", "a", "acquired", `,"mode":"async"`)}, "", "if it is no mode of the lock, --columns mode==exclusive ignores it"},
		{"the name of a lease", "", []string{"a.json\n" + says("0", "a", "acquired", `,"lease":"kube/x"`)}, "", "lease== that none does"},
		{"all of them, ignored", "columns: {token: '=', mode: =exclusive, lease: '='}", []string{"a.json\n" + says("0", "a", "acquired", `,"token":"a3f9","mode":"async","lease":"kube/x"`) + says("2", "a", "released", "") +
			says("3", "b", "acquired", "") + says("4", "b", "released", "")}, None, ""},
		// Pod a took it from 0 to 10 s, and says so in its own words.
		{"a file in other words", "zone: UTC", []string{"a.log\n" + strings.NewReplacer("Acquired lock jobs", "took jobs", "Released lock jobs", "gave jobs back").Replace(holds("00", "10")),
			"b.log\n" + holds("05", "08"), "c.log\n" + holds("20", "30")}, Unknown, "no line of a.log was read as an event"},
		// A's clock is set back by 5 s, so it has it from 3 to 4 s as it says, and in truth with B.
		{"a clock is set back", "", []string{"a.json\n" + says("1", "A", "acquired", "") + says("2", "A", "released", "") + says("5", "A", "acquired", "") + says("6", "A", "released", "") + says("3", "A", "acquired", "") + says("4", "A", "released", "") +
			says("7", "B", "acquired", "") + says("9", "B", "released", "")}, Unknown, "line 5: the time of A goes back by 3 s and goes on from there: was its clock set back"},
		{"files one after the other, the newer first", "", []string{"a.json\n" + says("5", "A", "acquired", "") + says("6", "A", "released", "") + says("1", "A", "acquired", "") + says("2", "A", "released", "") + says("7", "B", "acquired", "") + says("8", "B", "released", "")}, None, "sorted on disk"},
		{"one line is late", "", []string{"a.json\n" + says("1", "A", "acquired", "") + says("2", "A", "released", "") + says("5", "A", "waiting", "") + says("3", "B", "acquired", "") + says("4", "A", "waiting", "") + says("6", "B", "released", "") + says("7", "A", "acquired", "")}, None, "sorted on disk"},
		{"what an exception left", "zone: UTC", []string{"a.log\n" + cut(holds("00", "05"), 1) + "org.acme.Timeout: no reply\n\tat org.redisson.RedissonLock.unlock(RedissonLock.java:90)\nCaused by: java.io.IOException: lock server gone\n" + cut(holds("00", "05"), 2) + strings.ReplaceAll(holds("20", "30"), "w1", "w2")}, None, "3 lines are about something else"},
		{"what an exception left, as kubectl prints it", "zone: UTC", []string{"a.log\n" + prefixed("[pod/a/app] ", holds("00", "05")+"\tat org.redisson.RedissonLock.unlock(RedissonLock.java:90)\n") + prefixed("[pod/b/app] ", holds("20", "30"))}, None, "1 line is about something else"},
		{"an exception that names a lock", "zone: UTC", []string{"a.log\n" + holds("00", "05") + "Caused by: java.lang.IllegalState: not mine: jobs\n" + strings.ReplaceAll(holds("20", "30"), "w1", "w2")}, Unknown, "first line 3"},
		{"a file with a header only", "", []string{"a.csv\ntime,client,lock,event\n", "b.csv\ntime,client,lock,event\n2026-03-01T10:00:00.000Z,A,jobs,acquired\n" +
			"2026-03-01T10:00:05.000Z,A,jobs,released\n2026-03-01T10:00:06.000Z,B,jobs,acquired\n"}, None, "1 file has no line about a lock, such as a.csv"},
		// b and c take turns from 0 to 30 s, and a's file has no event.
		{"a file of one that was up", "zone: UTC", []string{quietly("10:00:07", "17 rows"), "b.log\n" + holds("00", "05"), "c.log\n" + holds("20", "30")}, None, "1 file has no line about a lock, such as a.log"},
		{"a file of one that was up, and another time", "zone: UTC", []string{quietly("09:00:07", "17 rows") + cut(quietly("10:00:07", "18 rows"), 2), "b.log\n" + holds("00", "05"), "c.log\n" + holds("20", "30")}, None, "1 file has"},
		{"files without a zone, of very many clients", proseFormat, []string{"a.log\n" + manyTurns("a", 10), "b.log\n" + manyTurns("b", 11)}, Unknown, "are both in one zone?"},
		{"a file of another time", "zone: UTC", []string{quietly("09:00:07", "17 rows"), "b.log\n" + holds("00", "05"), "c.log\n" + holds("20", "30")}, Unknown, "no line of a.log was read as an event"},
		{"a file of a later time", "zone: UTC", []string{quietly("10:00:31", "17 rows"), "b.log\n" + holds("00", "05"), "c.log\n" + holds("20", "30")}, Unknown, "no line of a.log was read as an event"},
		{"a file whose times alone have a zone", "", []string{strings.Replace(quietly("10:00:07", "17 rows"), " INFO", "Z INFO", 1), "b.log\n" + holds("00", "05"), "c.log\n" + holds("20", "30")}, Unknown, "no line of a.log was read as an event"},
		{"a file in other words, about a lock with a short name", "zone: UTC", []string{quietly("10:00:07", "took 7"), "b.log\n" + strings.ReplaceAll(holds("00", "05"), "jobs", "7"),
			"c.log\n" + strings.ReplaceAll(holds("20", "30"), "jobs", "7")}, Unknown, "no line of a.log was read as an event"},
		// w1 of the first file took mail, in other words, from 0 to 13 s, and w1 of the second one
		// from 5 to 8 s.
		{"a lock that only another file names in full", "zone: UTC", []string{quietly("10:00:00", "took mail") + cut(quietly("10:00:13", "gave mail back"), 2) + holds("01", "02"),
			"b.log\n" + strings.ReplaceAll(holds("05", "08")+holds("20", "21"), "jobs", "mail"), "c.log\n" + holds("03", "04")}, Unknown, "2 lines speak of a lock or name one and were not fully understood, first line 1 of a.log"},
		{"a file in other words, with a mark and in capitals", "zone: UTC", []string{strings.Replace(quietly("10:00:07", "took shop/JOBS#3"), "a.log", "b.log", 1) + holds("00", "05") + holds("20", "30"), "c.log\n" + holds("40", "41")}, Unknown, "1 line speaks of a lock or names one and was not fully understood, first line 1 of b.log"},
		{"paths with the name of a lock", "zone: UTC", []string{"b.log\n" + holds("00", "05") + cut(quietly("10:00:07", "GET https://a.b/jobs/1, /srv/jobs/7 from jobs/run.go:17"), 2) + strings.ReplaceAll(holds("20", "30"), "w1", "w2")}, None, "1 line is about something else"},
		{"a lock with marks", "zone: UTC", []string{"b.log\n" + strings.ReplaceAll(holds("00", "05"), "jobs", "lock:Shop/7") + cut(quietly("10:00:07", "took shop/7!"), 2) + strings.ReplaceAll(holds("20", "30"), "jobs", "lock:Shop/7"), "c.log\n" + holds("40", "41")}, Unknown, "not fully understood, first line 3 of b.log"},
		{"a lock with many marks", "zone: UTC", []string{"b.log\n" + strings.ReplaceAll(holds("00", "05")+cut(quietly("10:00:07", "took jobs"), 2)+strings.ReplaceAll(holds("20", "30"), "w1", "w2"), "jobs", "/a/b/c/d/e/f/g/h")}, Unknown, "not fully understood, first line 3"},
		{"a lock between letters of another script", "zone: UTC", []string{"b.log\n" + holds("00", "05") + cut(quietly("10:00:07", "获得：jobs成功"), 2) + strings.ReplaceAll(holds("20", "30"), "w1", "w2")}, Unknown, "first line 3"},
		{"a lock as PHP and Python escape it", "", []string{"a.json\n" + strings.ReplaceAll(says("0", "a", "acquired", "")+says("1", "a", "released", "")+says("2", "b", "acquired", ""), "jobs", "ü/7") + `{"time":"2026-03-01T10:00:01.500Z","msg":"took \u00fc\/7"}` + "\n"}, Unknown, "first line 4"},
		{"a lock that is named in full far behind", "zone: UTC", []string{quietly("10:00:00", "took mail") + strings.Repeat(cut(quietly("10:00:02", "17 rows"), 2), 2000) +
			strings.ReplaceAll(holds("05", "08"), "jobs", "mail") + strings.ReplaceAll(strings.ReplaceAll(holds("20", "21"), "jobs", "mail"), "w1", "w2")}, Unknown, "1 line speaks of a lock or names one and was not fully understood, first line 1"},
		{"a file of JSON of one that was up", "", []string{"a.json\n" + `{"time":"2026-03-01T10:00:01.000Z","pod":"a","msg":"17 rows"}` + "\n",
			"b.json\n" + says("0", "b", "acquired", "") + says("2", "b", "released", ""), "c.json\n" + says("3", "c", "acquired", "") + says("4", "c", "released", "")}, None, "1 file has no line about a lock, such as a.json"},
		{"an empty file", "zone: UTC", []string{"a.log\n\n", "b.log\n" + holds("00", "05"), "c.log\n" + holds("20", "30")}, Unknown, "a.log is empty: if its client was up, its lines are missing"},
		// A holds from 0 to 10 s, in two files of which one line is in both, and then B.
		{"rotated files that name no client", "zone: UTC", []string{"app.log\n" + holds("00", "10"), "app.log.1\n" + cut(holds("00", "10"), 1), "b.log\n" + holds("20", "30")}, None, "1 duplicate line"},
		{"files that are rotated by day", "zone: UTC", []string{"app.log\n" + cut(holds("00", "10"), 2), "app.log-20260301\n" + cut(holds("00", "10"), 1), "b.log\n" + holds("20", "30")}, None, ""},
		{"files that are rotated by day, with the extension last", "zone: UTC", []string{"app.log\n" + cut(holds("00", "10"), 2), "app.2026-03-01.0.log\n" + cut(holds("00", "10"), 1), "b.log\n" + holds("20", "30")}, None, ""},
		{"two acquisitions that look like one line twice, and two ends", proseFormat, []string{"a.log\n" + strings.Repeat("2026-03-01T12:00:00.000Z [A] lock acquired: jobs\n", 2) +
			"2026-03-01T12:00:01.000Z [B] lock waiting: jobs\n2026-03-01T12:00:02.000Z [A] lock released: jobs\n2026-03-01T12:00:05.000Z [B] lock acquired: jobs\n" +
			"2026-03-01T12:00:09.000Z [A] lock released: jobs\n2026-03-01T12:00:10.000Z [B] lock released: jobs\n"}, Unknown, "it may have been acquired twice"},
		{"numbered files that are not rotated", "zone: UTC", []string{"web.1\n" + holds("00", "10"), "web.2\n" + holds("05", "20")}, Certain, ""},
	})
}

// C's line names the holder, A, and is skipped, so it does not end A's hold, which B's meets.
func TestASkippedLineIsNoEvent(t *testing.T) {
	log := says("0", "A", "acquired", "") + says("1", "C", "released", `,"owner":"A"`) + says("2", "B", "acquired", "") + says("3", "A", "released", "")
	if r := checked(t, log, Options{Rules: plausible, Skip: true}); r.Verdict() != Certain || r.Skipped != 1 {
		t.Errorf("%+v", r)
	}
}
