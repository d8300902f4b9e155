package logcheck

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/logcheck/logline"
	"lockstep/internal/must"
	"lockstep/internal/say"
)

// handMade is a correct log of thirty lines, written by hand: three clients take turns at one lock.
const handMade = `time,client,lock,event,token
2026-03-01T10:00:00.000Z,A,jobs,acquired,1
2026-03-01T10:00:00.100Z,B,jobs,waiting,
2026-03-01T10:00:01.000Z,A,jobs,write,1
2026-03-01T10:00:02.000Z,A,jobs,released,
2026-03-01T10:00:02.100Z,B,jobs,acquired,2
2026-03-01T10:00:03.000Z,C,jobs,waiting,
2026-03-01T10:00:04.000Z,B,jobs,extended,
2026-03-01T10:00:05.000Z,B,jobs,write,2
2026-03-01T10:00:06.000Z,B,jobs,released,
2026-03-01T10:00:06.020Z,C,jobs,acquired,3
2026-03-01T10:00:07.000Z,A,jobs,waiting,
2026-03-01T10:00:08.000Z,C,jobs,write,3
2026-03-01T10:00:09.000Z,C,jobs,lost,
2026-03-01T10:00:10.000Z,A,jobs,acquired,4
2026-03-01T10:00:11.000Z,A,jobs,write,4
2026-03-01T10:00:12.000Z,A,jobs,released,
2026-03-01T10:00:13.000Z,B,jobs,acquired,5
2026-03-01T10:00:14.000Z,C,jobs,waiting,
2026-03-01T10:00:15.000Z,B,jobs,write,5
2026-03-01T10:00:16.000Z,B,jobs,crashed,
2026-03-01T10:00:26.000Z,C,jobs,acquired,6
2026-03-01T10:00:27.000Z,C,jobs,write,6
2026-03-01T10:00:28.000Z,C,jobs,released,
2026-03-01T10:00:30.000Z,A,jobs,acquired,7
2026-03-01T10:00:31.000Z,C,jobs,waiting,
2026-03-01T10:00:32.000Z,A,jobs,write,7
2026-03-01T10:00:33.000Z,A,jobs,released,
2026-03-01T10:00:34.000Z,C,jobs,acquired,8
2026-03-01T10:00:35.000Z,C,jobs,released,
`

// edited returns the hand-made log with some lines replaced, by number; "" removes one.
func edited(changes map[int]string) string {
	lines := strings.SplitAfter(handMade, "\n")
	for n, text := range changes { // order: each is another line
		if text != "" {
			text += "\n"
		}
		lines[n-1] = text
	}
	return strings.Join(lines, "")
}

func checked(t *testing.T, text string, o Options) *Result {
	t.Helper()
	o.TempDir = t.TempDir()
	return must.Get(Check(context.Background(), o, source("log.csv", text)))(t)
}

// source returns a file that can be read again.
func source(name, text string) Source {
	return Source{Name: name, In: strings.NewReader(text), Again: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// piped returns a source that can be read only once.
func piped(text string) Source { return Source{Name: "stdin", In: strings.NewReader(text)} }

// unreleased removes the lines of A after its acquisition in line 2.
var unreleased = map[int]string{4: "", 5: "", 12: "", 15: "", 16: "", 17: "", 25: "", 27: "", 28: ""}

func TestHandMadeLogs(t *testing.T) {
	clocks := Options{Rules: Rules{ClockError: 50 * time.Millisecond}}
	lease := Options{Rules: Rules{Lease: 2 * time.Second}}
	for _, tt := range []struct {
		name          string
		log           string
		options       Options
		overlap, late Verdict
		overlaps      Count
		doubt         say.Template
	}{
		{name: "nothing is wrong", log: handMade, overlap: None, late: None},
		{name: "overlap", log: edited(map[int]string{9: "2026-03-01T10:00:05.500Z,C,jobs,acquired,3", 11: "2026-03-01T10:00:06.000Z,B,jobs,released,"}),
			overlap: Certain, late: None, overlaps: Count{Certain: 1}},
		{name: "overlaps within the clock error", log: handMade, options: clocks, overlap: Possible, late: None, overlaps: Count{Possible: 2}},
		{name: "a client that died and says nothing", log: edited(unreleased), overlap: Possible, late: None, overlaps: Count{Possible: 1}},
		{name: "a client that died, and its lease", log: edited(unreleased), options: lease, overlap: None, late: None},
		{name: "two locks", log: edited(map[int]string{6: "2026-03-01T10:00:01.500Z,B,mail,acquired,2", 8: "2026-03-01T10:00:04.000Z,B,mail,extended,",
			9: "2026-03-01T10:00:05.000Z,B,mail,write,2", 10: "2026-03-01T10:00:06.000Z,B,mail,released,"}), options: Options{Window: 2 * time.Second}, overlap: None, late: None},
		{name: "unsorted, sorted on disk", log: swapped(5, 20), overlap: None, late: None},
		{name: "unsorted, within the window", log: swapped(5, 20), options: Options{Window: time.Minute}, overlap: None, late: None},
		{name: "cut line", log: handMade[:len(handMade)-4], overlap: Unknown, late: Unknown, doubt: say.LogCut},
		{name: "cut behind a number", log: handMade + "2026-03-01T10:00:36.000Z,B,jobs,acquired,9", overlap: Unknown, late: Unknown, doubt: say.LogCut},
		{name: "whole without a line break", log: edited(map[int]string{1: "time,client,lock,token,event", 2: ""})[:29] + "2026-03-01T10:00:36.000Z,B,jobs,9,acquired", overlap: Unknown, late: None, doubt: say.LogUncontended},
		{name: "no beginning", log: edited(map[int]string{2: ""}), overlap: Unknown, late: Unknown, doubt: say.LogWriteUnheld},
		{name: "no contention", log: strings.Join(strings.SplitAfter(handMade, "\n")[:2], "") + "2026-03-01T10:00:02Z,A,jobs,released,\n",
			overlap: Unknown, late: None, doubt: say.LogUncontended},
		{name: "nothing", log: "time,client,lock,event\n", overlap: Unknown, late: None, doubt: say.LogEmpty},
		{name: "stale write", log: edited(map[int]string{13: "2026-03-01T10:00:08.000Z,B,jobs,write,2"}), overlap: None, late: Certain},
	} {
		r := checked(t, tt.log, tt.options)
		if r.Overlap() != tt.overlap || r.StaleWrite() != tt.late || r.Overlaps != tt.overlaps {
			t.Errorf("%s: overlap %s, %+v, stale write %s; want %s, %+v, %s; doubts: %s", tt.name,
				r.Overlap(), r.Overlaps, r.StaleWrite(), tt.overlap, tt.overlaps, tt.late, english(r.Doubts))
		}
		if tt.doubt != nil && !said(r.Doubts, tt.doubt) {
			t.Errorf("%s: doubts %q", tt.name, english(r.Doubts))
		}
	}
}

func english(phrases []say.Phrase) (out []string) {
	for _, p := range phrases {
		out = append(out, p.English())
	}
	return out
}

// swapped returns the hand-made log with pairs of lines swapped.
func swapped(lines ...int) string {
	all := strings.SplitAfter(handMade, "\n")
	for i := 0; i < len(lines); i += 2 {
		a, b := lines[i]-1, lines[i+1]-1
		all[a], all[b] = all[b], all[a]
	}
	return strings.Join(all, "")
}

// An invalid line is an error with its number, or is counted.
func TestMistakes(t *testing.T) {
	const good = "time,client,lock,event,token\n2026-03-01T10:00:00Z,A,l,acquired,1\n"
	for _, tt := range []struct{ line, want string }{
		{"2026-03-01T10:00:01Z,A,l,aquired,1", `line 3: unknown event "aquired"`},
		{"2026-03-01T10:00:01Z,A,l", "line 3: 3 columns, the header has 5"},
		{"2026-03-01T10:00:01Z,A,l,released,,", "line 3: 6 columns"},
		{"2026-03-01T10:00:01Z,A,l,released,-4", `line 3: the token "-4" is no whole number`},
		{"2026-03-01T10:00:01Z,A,l,released,9223372036854775808", "line 3: the token \"9223372036854775808\" is out of range"},
		{"9999-03-01T10:00:01Z,A,l,released,", "line 3: the time is out of range"},
		{"1823-12-31T23:59:59Z,A,l,released,", "line 3: the time is out of range: years from 1824 to 2115"},
		{"2116-01-01T00:00:00Z,A,l,released,", "line 3: the time is out of range"},
		{"1772359200.5,A,l,released,", "line 3: the time \"1772359200.5\" is a number: say what it counts with --time-unit"},
		{"yesterday,A,l,released,", `line 3: "yesterday" is no time`},
		{",A,l,released,", "line 3: the time is missing"},
		{"2026-03-01T10:00:01Z,,l,released,", "line 3: the client is missing"},
		{"2026-03-01T10:00:01Z,A,,released,", "line 3: the lock is missing"},
		{"2026-03-01T10:00:01Z,A\x00,l,released,", "line 3: column 23: a NUL byte, as no text has"},
		{"2026-03-01T10:00:01Z,A\xff,l,released,", "line 3: it is not valid UTF-8"},
		{`2026-03-01T10:00:01Z,"A,l,released,`, "line 3: a quotation mark stands alone"},
		{"2026-03-01T10:00:01Z," + strings.Repeat("A", 300) + ",l,released,", "line 3: a name is longer than 256 bytes"},
		{strings.Repeat(",", 1000), "line 3: more than 1000 columns"},
		{strings.Repeat(`"",`, 1000), "line 3: more than 1000 columns"},
		{strings.Repeat("x", maxLine+10), "line 3: it is longer than 1048576 bytes"},
		{"2026-03-01T09:00:01Z,A,l,released,", "line 3: it is 59m59s older than the line before it: --window 59m59s"},
	} {
		text := good + tt.line + "\n" + "2026-03-01T10:00:05Z,B,l,acquired,2\n"
		_, err := Check(context.Background(), Options{}, piped(text))
		var at *LineError
		if !errors.As(err, &at) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%.60q: %v, want %s", tt.line, err, tt.want)
		}
		r, err := Check(context.Background(), Options{Skip: true, Found: func(*Violation) {}}, piped(text))
		if err != nil || r.Skipped != 1 || r.Events != 2 || r.Lines != 4 || r.Verdict() == None {
			t.Errorf("%.60q is not counted: %+v, %v", tt.line, r, err)
		}
	}
	for _, header := range []string{"", "nothing\n", "time,client,event,token\n", "\x00\n", strings.Repeat("x", maxLine+2)} {
		if r, err := Check(context.Background(), Options{}, piped(header)); header != "" && err == nil || header == "" && r.Verdict() != Unknown {
			t.Errorf("%.20q: %+v, %v", header, r, err)
		}
	}
}

// An acquisition that possibly overlaps two clients counts for each, and certain violations are
// listed among many possible ones.
func TestWhatIsCounted(t *testing.T) {
	o := Options{Rules: Rules{ReleasedAfter: 5 * time.Millisecond}, Format: logline.Format{Unit: "ms"}, Window: time.Second}
	r := checked(t, short("0 A acquired;1 C acquired;14 A released;15 C released;10 B acquired;99 B released"), o)
	must.Equal(t, r.Overlaps, (Count{Certain: 1, Possible: 2}))
	var log strings.Builder
	for i := range 2 * maxViolations {
		log.WriteString(strings.ReplaceAll("t0 A acquired;t5 A released;t5 B acquired;t9 B released;", "t", strconv.Itoa(i+1)))
	}
	r = checked(t, short(log.String()+"9990 A acquired;9991 B acquired;9992 A released;9993 B released"), Options{Format: logline.Format{Unit: "ms"}})
	if want := (Count{Certain: 1, Possible: 2 * maxViolations}); r.Overlaps != want || !r.Violations[0].Certain || len(r.Violations) != maxViolations+1 {
		t.Errorf("%+v, want %+v; the first of %d: %+v", r.Overlaps, want, len(r.Violations), r.Violations[0])
	}
}
