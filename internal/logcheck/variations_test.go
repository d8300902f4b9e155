package logcheck

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"lockstep/internal/logcheck/logline"
	"lockstep/internal/must"
)

// told is one line of a tale: the event of a client on the lock jobs, at a time after the
// beginning.
type told struct {
	at     time.Duration
	client string
	event  string
}

// Two tales: in the good one the pods take turns, in the bad one both have the lock for three
// seconds.
var (
	goodTale = []told{{0, "pod-a", "acquired"}, {1500 * time.Millisecond, "pod-b", "waiting"}, {5 * time.Second, "pod-a", "released"}, {6 * time.Second, "pod-b", "acquired"}, {9 * time.Second, "pod-b", "released"}}
	badTale  = []told{{0, "pod-a", "acquired"}, {1500 * time.Millisecond, "pod-b", "waiting"}, {3 * time.Second, "pod-b", "acquired"}, {6 * time.Second, "pod-a", "released"}, {9 * time.Second, "pod-b", "released"}}
)

// noon is when the tales begin.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 123_000_000, time.UTC)

// as formats a tale with a line for each event.
func as(tale []told, line func(at time.Time, client, event string) string) string {
	var b strings.Builder
	for _, t := range tale {
		b.WriteString(line(noon.Add(t.at), t.client, t.event) + "\n")
	}
	return b.String()
}

// prose formats a tale in the usual form, with times of a layout in a zone.
func prose(layout string, zone *time.Location) func([]told) string {
	return func(tale []told) string {
		return as(tale, func(at time.Time, client, event string) string {
			return at.In(zone).Format(layout) + " INFO [" + client + "] lock " + event + ": jobs"
		})
	}
}

// proseFormat is the format of prose.
const proseFormat = "pattern: '\\[(?<client>[^\\]]+)\\] lock (?<event>\\w+): (?<lock>\\S+)'\n"

// at moves a tale to another time, by clocks of a zone that the log does not state.
func at(begin time.Time, zone *time.Location) func([]told) string {
	return func(tale []told) string {
		return as(tale, func(when time.Time, client, event string) string {
			return begin.Add(when.Sub(noon)).In(zone).Format("2006-01-02 15:04:05.000") + " [" + client + "] lock " + event + ": jobs"
		})
	}
}

// iso is the layout of most tales.
const iso = "2006-01-02T15:04:05.000Z07:00"

func plainly(tale []told) string { return prose(iso, time.UTC)(tale) }

// relined changes the lines of a tale.
func relined(change func(lines []string) []string) func([]told) string {
	return func(tale []told) string {
		lines := strings.SplitAfter(plainly(tale), "\n")
		return strings.Join(change(lines[:len(lines)-1]), "")
	}
}

// inserted is a tale with more lines in front of one of its lines.
func inserted(at int, more ...string) func([]told) string {
	return relined(func(lines []string) []string { return slices.Insert(slices.Clone(lines), at, more...) })
}

// replaced is a tale whose first text of a kind is another one.
func replaced(from, to string) func([]told) string {
	return func(tale []told) string { return strings.Replace(plainly(tale), from, to, 1) }
}

// headed is a tale below a header, with lines of a form that takes time, client and event.
func headed(header, form string) func([]told) string {
	return func(tale []told) string {
		return header + as(tale, func(at time.Time, client, event string) string {
			return fmt.Sprintf(form, at.Format(iso), client, event)
		})
	}
}

// of is the part of a tale that one pod tells.
func of(tale []told, pod string) []told {
	return slices.DeleteFunc(slices.Clone(tale), func(x told) bool { return x.client != pod })
}

// byPod writes one file for each pod: pod-a in UTC, pod-b in the time of a zone.
func byPod(tale []told, zone *time.Location, layout string) (files []string) {
	for i, pod := range []string{"pod-a", "pod-b"} {
		files = append(files, prose(layout, []*time.Location{time.UTC, zone}[i])(of(tale, pod)))
	}
	return files
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil || z.Close() != nil {
		panic(err)
	}
	return b.String()
}

// wide encodes a text in UTF-16.
func wide(text string, order func(uint16) []byte) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		b.Write(order(u))
	}
	return b.String()
}

// Logs have many forms, and may be damaged. Each variation of the good and the bad tale has its
// verdict or a reason for doubt: the good one is never a certain violation, the bad one never none.
func TestVariations(t *testing.T) {
	berlin := must.Get(time.LoadLocation("Europe/Berlin"))(t)
	one := func(write func([]told) string) func([]told) []string {
		return func(tale []told) []string { return []string{write(tale)} }
	}
	split := func(tale []told, cut func(lines []string) [][]string) (files []string) {
		for _, lines := range cut(strings.SplitAfter(plainly(tale), "\n")) {
			files = append(files, strings.Join(lines, ""))
		}
		return files
	}
	for _, tt := range []struct {
		name      string
		files     func([]told) []string
		format    string
		good, bad Verdict
		says      string // an error, or a doubt or a remark
	}{
		{"as it is", one(plainly), proseFormat, None, Certain, ""},
		{"CRLF", one(func(tale []told) string { return strings.ReplaceAll(plainly(tale), "\n", "\r\n") }), proseFormat, None, Certain, ""},
		{"a mark of UTF-8", one(func(tale []told) string { return bom + plainly(tale) }), proseFormat, None, Certain, ""},
		{"UTF-16, the low byte first", one(func(tale []told) string {
			return wide(plainly(tale), func(u uint16) []byte { return []byte{byte(u), byte(u >> 8)} })
		}), proseFormat, None, Certain, ""},
		{"UTF-16, the high byte first", one(func(tale []told) string {
			return wide(plainly(tale), func(u uint16) []byte { return []byte{byte(u >> 8), byte(u)} })
		}), proseFormat, None, Certain, ""},
		{"latin1", one(func(tale []told) string { return strings.ReplaceAll(plainly(tale), "pod-", "p\xf6d-") }), proseFormat + "encoding: latin1\n", None, Certain, ""},
		{"latin1, and not said", one(func(tale []told) string { return strings.ReplaceAll(plainly(tale), "pod-", "p\xf6d-") }), proseFormat, "", "", "line 1: it is not valid UTF-8: --encoding"},
		{"an offset", one(prose(iso, berlin)), proseFormat, None, Certain, ""},
		{"an offset without a colon", one(prose("2006-01-02 15:04:05.000 -0700", berlin)), proseFormat, None, Certain, ""},
		{"a comma before the milliseconds", one(prose("2006-01-02 15:04:05,000", time.UTC)), proseFormat, None, Certain, "its times have no zone"},
		{"slashes", one(prose("2006/01/02 15:04:05.000", time.UTC)), proseFormat, None, Certain, "its times have no zone"},
		{"microseconds", one(prose("2006-01-02 15:04:05.000000", time.UTC)), proseFormat + "zone: UTC\n", None, Certain, ""},
		{"whole seconds", one(prose("2006-01-02T15:04:05Z07:00", time.UTC)), proseFormat, Possible, Certain, ""},
		{"a layout of Python", one(prose("02/Jan/2006:15:04:05.000", time.UTC)), "pattern: '^(?<time>\\S+) INFO \\[(?<client>[^\\]]+)\\] lock (?<event>\\w+): (?<lock>\\S+)'\ntime-layout: '%d/%b/%Y:%H:%M:%S.%L'\nzone: UTC\n", None, Certain, ""},
		{"a layout of Java", one(prose("02.01.2006 15:04:05.000", time.UTC)), "pattern: '^(?<time>\\S+ \\S+) INFO \\[(?<client>[^\\]]+)\\] lock (?<event>\\w+): (?<lock>\\S+)'\ntime-layout: 'dd.MM.yyyy HH:mm:ss.SSS'\nzone: +01:00\n", None, Certain, ""},
		{"seconds since 1970", one(func(tale []told) string {
			return "time,client,lock,event\n" + as(tale, func(at time.Time, client, event string) string {
				return fmt.Sprintf("%d.%03d,%s,jobs,%s", at.Unix(), at.Nanosecond()/1e6, client, event)
			})
		}), "", None, Certain, ""},
		{"milliseconds since 1970, in columns of other names", one(func(tale []told) string {
			return "lock,what,who,ts\n" + as(tale, func(at time.Time, client, event string) string {
				return fmt.Sprintf("jobs,%s,%s,%d", event, client, at.UnixMilli())
			})
		}), "time-unit: ms\ncolumns: {time: ts, client: who, event: what}\n", None, Certain, ""},
		{"CSV with a mark of UTF-8, quotation marks and CRLF", one(headed(bom+"time,client,lock,event,note\r\n", `%s,"%s",jobs,%s,"a ""quoted"", note"`+"\r")), "", None, Certain, ""},
		{"CSV with its header again", one(func(tale []told) string {
			const header = "time,client,lock,event\n"
			return header + strings.Replace(headed("", "%s,%s,jobs,%s")(tale), "\n", "\n"+header, 1)
		}), "", None, Certain, ""},

		{"clocks are put back meanwhile, in a zone", one(at(time.Date(2026, 10, 25, 0, 59, 55, 0, time.UTC), berlin)), proseFormat + "zone: Europe/Berlin\n", "", "", "showed"},
		{"the same, without a zone", one(at(time.Date(2026, 10, 25, 0, 59, 57, 500_000_000, time.UTC), berlin)), proseFormat, "", "", "goes against the order of the lines by up to an hour"},
		{"pods one after the other, as kubectl prints them, half an hour apart", one(func(tale []told) string {
			own := func(pod string, later time.Duration) (all []told) {
				for _, x := range tale {
					if x.client == pod {
						all = append(all, x, told{x.at + later, pod, "acquired"}, told{x.at + later + time.Second, pod, "released"})
					}
				}
				slices.SortStableFunc(all, func(a, b told) int { return int(a.at - b.at) })
				return all
			}
			return prose("2006-01-02 15:04:05.000", time.UTC)(append(own("pod-a", 30*time.Minute), own("pod-b", 40*time.Minute)...))
		}), proseFormat, None, Certain, "its times have no zone"},
		{"clocks are put forward meanwhile", one(at(time.Date(2026, 3, 29, 0, 59, 55, 0, time.UTC), berlin)), proseFormat + "zone: Europe/Berlin\n", None, Certain, ""},
		{"an hour that there was not", one(at(time.Date(2026, 3, 29, 2, 30, 0, 0, time.UTC), time.UTC)), proseFormat + "zone: Europe/Berlin\n", "", "", "never showed"},
		{"each pod in its own zone", func(tale []told) []string { return byPod(tale, berlin, iso) }, proseFormat, None, Certain, ""},
		{"one pod with a zone, one without", func(tale []told) (files []string) {
			for i, pod := range []string{"pod-a", "pod-b"} {
				files = append(files, prose([]string{iso, "2006-01-02 15:04:05.000"}[i], berlin)(of(tale, pod)))
			}
			return files
		}, proseFormat, "", "", "some times of the log have a zone and others have none"},

		{"the same, the one without a zone first", func(tale []told) []string {
			files := byPod(tale, berlin, "2006-01-02 15:04:05.000")
			return []string{files[0], byPod(tale, berlin, iso)[1]}
		}, proseFormat, "", "", "some times of the log have a zone and others have none"},
		{"one file with its zone in the mapping, one without", func(tale []told) []string { return byPod(tale, berlin, "2006-01-02 15:04:05.000") }, proseFormat + "zones: {0.log: UTC}\n", "", "", "some times of the log have a zone and others have none"},
		{"the last line is cut before it says what it is of", one(func(tale []told) string { return plainly(tale) + "2026-03-01T12:00:20.123Z IN" }), proseFormat, Unknown, Certain, "the log is cut"},
		{"the last line is cut", one(func(tale []told) string { return strings.TrimSuffix(plainly(tale), "obs\n") }), proseFormat, Unknown, Certain, "the log is cut"},
		{"a compressed file is cut", one(func(tale []told) string { text := zipped(plainly(tale)); return text[:len(text)-12] }), proseFormat, Unknown, Certain, "breaks off"},
		{"compressed", one(func(tale []told) string { return zipped(plainly(tale)) }), proseFormat, None, Certain, ""},
		{"the beginning is missing", one(relined(func(lines []string) []string { return lines[1:] })), proseFormat, Unknown, Unknown, "does not begin in this log"},
		{"each line twice", one(relined(func(lines []string) (all []string) {
			for _, line := range lines {
				all = append(all, line, line)
			}
			return all
		})), proseFormat, None, Certain, "5 duplicate lines counted once"},
		{"two acquisitions in one line's time, and two releases", one(relined(func(lines []string) []string { return slices.Insert(slices.Clone(lines), 0, lines[0]) })), proseFormat, None, Certain, "1 duplicate line counted once"},
		{"rotated, with some lines in both files", func(tale []told) []string {
			return split(tale, func(l []string) [][]string { return [][]string{l[:3], l[1:]} })
		}, proseFormat, None, Certain, "2 duplicate lines counted once"},
		{"rotated, the newer file first, the older one compressed", func(tale []told) []string {
			files := split(tale, func(l []string) [][]string { return [][]string{l[2:], l[:2]} })
			return []string{files[0], zipped(files[1])}
		}, proseFormat, None, Certain, ""},
		{"newest first", one(relined(func(lines []string) (all []string) {
			for _, line := range slices.Backward(lines) {
				all = append(all, line)
			}
			return all
		})), proseFormat, None, Certain, "sorted on disk"},
		{"in no order", one(relined(func(lines []string) []string {
			return []string{lines[3], lines[0], lines[4], lines[2], lines[1]}
		})), proseFormat, None, Certain, "sorted on disk"},
		{"other lines, and what an exception left", one(inserted(1, "2026-03-01T12:00:01Z INFO [pod-a] 17 rows written\n", "java.lang.IllegalStateException: no more rows\n", "\tat com.acme.Rows.next(Rows.java:17)\n", "\n")), proseFormat, None, Certain, "3 lines are about something else"},
		{"a line of another form", one(inserted(1, "2026-03-01T12:00:01Z WARN [pod-a] could not renew the lock on jobs\n")), proseFormat, Unknown, Certain, "1 line speaks of a lock or names one and was not fully understood, first line 2"},
		{"the same, said not to matter", one(inserted(1, "2026-03-01T12:00:01Z WARN [pod-a] could not renew the lock on jobs\n")), proseFormat + "ignore: could not renew\n", None, Certain, "1 line was ignored, as --ignore or the preset says, first line 2"},
		{"a line that names the lock, and none of the words for one", one(inserted(2, "2026-03-01T12:00:03Z WARN [pod-b] seized 'jobs' by force\n")), proseFormat, Unknown, Certain, "names one and was not fully understood, first line 3"},
		{"two events in one line", one(replaced("released: jobs", "released: jobs then [pod-a] lock acquired: mail")), proseFormat, Unknown, Certain, "not fully understood"},
		{"one lock by two spellings", one(replaced("acquired: jobs", "acquired: Jobs.")), proseFormat, Unknown, Unknown, "Jobs. and jobs count as two locks"},
		{"quotation marks", one(replaced("acquired: jobs", `acquired: "jobs"`)), proseFormat, None, Certain, ""},
		{"two pods in two zones, of which their lines say nothing", func(tale []told) []string { return byPod(tale, berlin, "2006-01-02 15:04:05.000") }, proseFormat, Unknown, Unknown, "share no moment and no client"},
		{"the same, with the zone of each", func(tale []told) []string { return byPod(tale, berlin, "2006-01-02 15:04:05.000") }, proseFormat + "zones: {0.log: UTC, '1*': Europe/Berlin}\n", None, Certain, ""},
		{"a word that is not known", one(func(tale []told) string { return strings.ReplaceAll(plainly(tale), "acquired", "grabbed") }), proseFormat, "", "", `line 1: unknown event "grabbed"`},
		{"the same, with its meaning", one(func(tale []told) string { return strings.ReplaceAll(plainly(tale), "acquired", "grabbed") }), proseFormat + "events: {acquired: grabbed}\n", None, Certain, ""},
		{"loud", one(func(tale []told) string {
			return strings.ToUpper(headed("time;client;lock;event\n", "%s;%s;jobs;%s")(tale))
		}), "", None, Certain, ""},
		{"tabs", one(headed("timestamp\tpod\tlock_name\taction\n", "%s\t%s\tjobs\tlock_%s")), "", None, Certain, ""},
		{"an array over many lines", one(func(tale []told) string {
			text := headed("", "  {\n    \"ts\": %q,\n    \"pod\": {\"name\": %q},\n    \"note\": \"a } in \\\"text\\\"\",\n    \"lock\": \"jobs\", \"event\": %q\n  },")(tale)
			return "[\n" + strings.TrimSuffix(text, ",\n") + "\n]\n"
		}), "", None, Certain, ""},
		{"messages in JSON", one(headed(`{"level":"info","ts":"2026-03-01T11:00:00Z","pod":"pod-a","msg":"17 rows"}`+"\n", `{"level":"info","ts":%q,"pod":%q,"msg":"lock %s: jobs"}`)), "pattern: 'lock (?<event>\\w+): (?<lock>\\S+)'\n", None, Certain, "1 line is about something else"},
		{"messages in CSV", one(headed("Date,Host,Service,Message\n", `%s,%s,jobs,"lock %s: jobs"`)), "format: csv\npattern: 'lock (?<event>\\w+): (?<lock>\\S+)'\n", None, Certain, ""},
		{"a log of each pod that does not name it", func(tale []told) (files []string) {
			for _, pod := range []string{"pod-a", "pod-b"} {
				files = append(files, as(of(tale, pod), func(at time.Time, _, event string) string { return at.Format(iso) + " lock " + event + ": jobs" }))
			}
			return files
		}, "pattern: 'lock (?<event>\\w+): (?<lock>\\S+)'\ncolumns: {client: '@file'}\n", None, Certain, ""},
		{"a clock is set back by fifteen seconds", one(inserted(4, "2026-03-01T11:59:50.000Z INFO [pod-a] lock extended: jobs\n")), proseFormat, Unknown, Certain, "is 16.123 s older than one before it"},
	} {
		for tale, want := range map[string]Verdict{"good": tt.good, "bad": tt.bad} {
			var sources []Source
			for i, text := range tt.files(map[string][]told{"good": goodTale, "bad": badTale}[tale]) {
				sources = append(sources, source(fmt.Sprintf("%d.log", i), text))
			}
			if got, said := answer(t, tt.format, sources...); got != want || !strings.Contains(said, tt.says) {
				t.Errorf("%s, %s: %q, want %q: %q, want %q", tt.name, tale, got, want, said, tt.says)
			}
		}
	}
}

// Readers that share a lock are no violation; a writer among them is.
func TestReadersShare(t *testing.T) {
	const head = "time,client,lock,event,mode\n"
	line := func(second int, client, event, mode string) string {
		return fmt.Sprintf("2026-03-01T12:00:%02d.000Z,%s,jobs,%s,%s\n", second, client, event, mode)
	}
	readers := line(0, "W", "acquired", "exclusive") + line(1, "A", "waiting", "shared") + line(2, "W", "released", "exclusive") +
		line(3, "A", "acquired", "shared") + line(4, "B", "acquired", "read") + line(8, "A", "released", "shared") + line(9, "B", "released", "shared")
	for _, tt := range []struct {
		name, log string
		want      Verdict
	}{
		{"readers", head + readers, None},
		{"readers, and none of them waits for a writer", head + readers[len(line(0, "W", "acquired", "exclusive")+line(1, "A", "waiting", "shared")+line(2, "W", "released", "exclusive")):], Unknown},
		{"a writer among readers", head + readers + line(5, "W", "acquired", "write") + line(6, "W", "released", "x"), Certain},
		{"a reader beside a writer", head + line(0, "W", "acquired", "w") + line(1, "A", "acquired", "r") + line(2, "A", "released", "r") + line(3, "W", "released", "w"), Certain},
		{"they write, as a semaphore lets them", head + line(0, "A", "acquired", "shared") + line(1, "B", "acquired", "shared") + line(2, "W", "waiting", "") + line(3, "A", "write", "") +
			line(4, "B", "released", "") + line(5, "A", "released", "") + line(6, "W", "acquired", "") + line(7, "W", "released", ""), None},
		{"the same, with tokens", strings.ReplaceAll(strings.ReplaceAll(head+line(0, "A", "acquired", "shared#1")+line(1, "B", "acquired", "shared#2")+line(2, "W", "waiting", "#")+line(3, "B", "write", "#2")+line(3, "A", "write", "#1")+
			line(4, "B", "released", "#")+line(5, "A", "released", "#")+line(6, "W", "acquired", "#3")+line(7, "W", "released", "#"), "mode", "mode,token"), "#", ","), None},
		{"one writes after its end", head + line(0, "A", "acquired", "shared") + line(1, "B", "acquired", "shared") + line(2, "A", "released", "") + line(3, "A", "write", ""), Certain},
		{"one writes as a writer comes", head + line(0, "A", "acquired", "shared") + line(1, "W", "acquired", "") + line(2, "W", "released", "") + line(3, "B", "acquired", "shared") + line(4, "A", "write", ""), Certain},
		{"it releases what it shares, and goes on writing", head + line(0, "A", "acquired", "shared") + line(1, "A", "acquired", "exclusive") + line(2, "A", "released", "shared") + line(3, "B", "acquired", "shared") +
			line(4, "B", "released", "shared") + line(5, "A", "released", "exclusive"), Certain},
		{"nothing says that they share", strings.ReplaceAll(strings.ReplaceAll(head+readers, ",shared", ","), ",read", ","), Certain},
	} {
		if got, said := answer(t, "", source("log", tt.log)); got != tt.want {
			t.Errorf("%s: %s, want %s: %s", tt.name, got, tt.want, said)
		}
	}
	if got, said := answer(t, "", source("log", head+line(0, "A", "acquired", "sometimes"))); got != "" || !strings.Contains(said, `unknown mode "sometimes"`) {
		t.Error(got, said)
	}
}

// A lease in the log ends the hold of a silent client, and no other hold.
func TestLeasesOfTheLog(t *testing.T) {
	const log = "time,client,lock,event,lease\n2026-03-01T12:00:00.000Z,A,jobs,acquired,%s\n2026-03-01T12:00:01.000Z,B,jobs,waiting,\n" +
		"2026-03-01T12:00:20.000Z,B,jobs,acquired,30s\n2026-03-01T12:00:25.000Z,B,jobs,released,\n"
	for lease, want := range map[string]Verdict{"10s": None, "19.5s": None, "20s": Possible, "": Possible, "30": "", "-1s": "", "200000h": "", "soon": ""} {
		got, said := answer(t, "", source("log", fmt.Sprintf(log, lease)))
		if got != want || got == "" && !strings.Contains(said, "is no lease such as 30s") {
			t.Errorf("%q: %q, want %q: %s", lease, got, want, said)
		}
	}
}

// The least and the greatest length of an overlap, within all errors.
func TestTogether(t *testing.T) {
	const ms = int64(time.Millisecond)
	for _, tt := range []struct {
		log         string
		rules       Rules
		least, most int64
		words       string // "" for those of any other overlap
	}{
		// From 10, or 11 with the grain, to 30, or 31 with the grain.
		{"0 A acquired;10 B acquired;30 A lost;99 B released", Rules{}, 19 * ms, 21 * ms, ""},
		{"0 A acquired;10 B acquired;30 A lost;99 B released", Rules{ClockError: 2 * time.Millisecond}, 15 * ms, 25 * ms, ""},
		{"0 A acquired;10 B acquired;30 A released;99 B released", Rules{ReleasedAfter: 5 * time.Millisecond}, 14 * ms, 21 * ms, ""},
		{"0 A acquired;10 B acquired;15 B lost;30 A lost", Rules{ClockError: 2 * time.Millisecond}, 4 * ms, 6 * ms, ""},
		{"0 A acquired;10 B acquired;12 A extended;99 B released", Rules{Lease: 40 * time.Millisecond}, 1 * ms, 43 * ms, ""},
		{"0 A acquired;10 B acquired;99 B released;50 C waiting", Rules{}, 0, 90 * ms, "perhaps together, for at most 0.09 s"},
		{"0 A acquired;10 B acquired;30 A released", Rules{}, 0, 21 * ms, "together for at least a moment, at most 0.021 s"},
	} {
		r := checked(t, short(tt.log), Options{Rules: tt.rules, Format: logline.Format{Unit: "ms"}})
		if len(r.Violations) != 1 {
			t.Errorf("%s: %d violations", tt.log, len(r.Violations))
			continue
		}
		if words := r.Violations[0].TogetherWords().English(); tt.words != "" && words != tt.words {
			t.Errorf("%s: %s, want %s", tt.log, words, tt.words)
		}
		if least, most := r.Violations[0].Together(); least != tt.least || most != tt.most {
			t.Errorf("%s: from %v to %v, want from %v to %v", tt.log, time.Duration(least), time.Duration(most), time.Duration(tt.least), time.Duration(tt.most))
		}
	}
	r := checked(t, short("0 A acquired;10 B acquired;50 C waiting"), Options{Format: logline.Format{Unit: "ms"}})
	if _, most := r.Violations[0].Together(); most < Endless {
		t.Error(most)
	}
}

// A violation quotes the lines that show it, with their numbers in the original file, whatever its
// form.
func TestQuotes(t *testing.T) {
	text := "noise\n" + at(noon, time.UTC)(badTale)
	for name, form := range map[string]string{"plain": text, "zipped": zipped(text), "CRLF": strings.ReplaceAll(text, "\n", "\r\n")} {
		s, o := source("a.log", form), Options{Rules: plausible, Format: mapped(t, proseFormat)}
		r := must.Get(Check(t.Context(), o, s))(t)
		must.Do(t, Quote(t.Context(), o, r, s))
		var got []string
		for _, q := range r.Violations[0].Quotes {
			got = append(got, q.Place+" "+q.Text)
		}
		want := []string{"2 2026-03-01 12:00:00.123 [pod-a] lock acquired: jobs", "4 2026-03-01 12:00:03.123 [pod-b] lock acquired: jobs",
			"5 2026-03-01 12:00:06.123 [pod-a] lock released: jobs", "6 2026-03-01 12:00:09.123 [pod-b] lock released: jobs"}
		must.Slicesf(t, got, want, "%s", name)
	}
}

// A's lease ends at 5 s, and W, which does not share, comes at 10 s. Readers come after it, and A
// writes at 20 s.
func TestAReaderWritesBehindAWriter(t *testing.T) {
	log := "client,event,mode,token,time,lock,lease\n"
	for _, event := range []string{"A,acquired,shared,1,00", "W,waiting,,,01", "W,acquired,,2,10", "W,released,,2,15", "B,acquired,shared,3,16",
		"C,acquired,shared,4,17", "D,acquired,shared,5,18", "A,write,,1,20"} {
		log += event[:len(event)-2] + "2026-03-01T12:00:" + event[len(event)-2:] + ".000Z,jobs,5s\n"
	}
	for _, log := range []string{log, regexp.MustCompile(`,\d,`).ReplaceAllString(log, ",,")} {
		if r := checked(t, log, Options{Rules: plausible}); r.StaleWrite() != Certain {
			t.Errorf("%s%+v", log, r)
		}
	}
}
