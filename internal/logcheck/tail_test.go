package logcheck

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/say"
)

// followed reads a file with some lines to the end, while each step happens when the reader has
// nothing more to read and would wait. It returns the text and what was told.
func followed(t *testing.T, path string, steps ...func()) (text string, reported []string, missing say.Phrase) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	tail := must.Get(Follow(ctx, path, func(p say.Phrase) {
		reported = append(reported, map[bool]string{true: "rotated", false: "truncated"}[p.Is(say.LogRotated)])
	}))(t)
	defer tail.Close()
	steps = append(steps, stop)
	tail.wait = func(context.Context) {
		if len(steps) == 0 {
			t.Fatal("it waits although it was stopped")
		}
		steps[0]()
		steps = steps[1:]
	}
	text = string(must.Get(io.ReadAll(tail))(t))
	return text, reported, tail.Missing()
}

// A file is followed while it grows, is rotated and is truncated.
func TestAFileIsFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	write := func(flag int, text string) {
		f := must.Get(os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flag, 0o600))(t)
		defer f.Close()
		must.Get(f.WriteString(text))(t)
	}
	rename := func() { must.Do(t, os.Rename(path, path+".1")) }
	write(0, "one\n")
	text, reported, missing := followed(t, path,
		func() { write(os.O_APPEND, "two\n") },
		func() { write(os.O_APPEND, "th") },
		func() { write(os.O_APPEND, "ree\n") },
		rename, // and for a moment no file has the name
		func() { write(os.O_APPEND, "four\nfi") },
		func() { // written to the old one until the last moment
			rename()
			write(os.O_APPEND, "six\n")
		},
		func() { write(os.O_TRUNC, "7\n") },
		func() { write(os.O_APPEND, "eight\n") },
	)
	must.Equal(t, text, "one\ntwo\nthree\nfour\nfi\nsix\n7\neight\n")
	must.Equal(t, strings.Join(reported, " "), "rotated rotated truncated")
	must.Equal(t, missing.Is(say.LogTruncated), true)
}

// A line that a rotation leaves incomplete may look like a whole one, so it is reported.
func TestARotationCutsALine(t *testing.T) {
	for text, cut := range map[string]bool{"one\n": false, "one\ntw": true} {
		path := filepath.Join(t.TempDir(), "log")
		create := func(text string) { must.Do(t, os.WriteFile(path, []byte(text), 0o600)) }
		create(text)
		_, _, missing := followed(t, path, func() {
			must.Do(t, os.Rename(path, path+".1"))
			create("three\n")
		})
		if missing.Is(say.LogRotatedCut) != cut || missing.Empty() == cut {
			t.Errorf("%q: missing %q", text, missing.English())
		}
	}
}

// records is a log of CSV in which B acquires what A holds, in a record of three lines that quotes
// a line of another client.
const records = "time,client,lock,event,note\r\n" +
	"2026-03-01T10:00:00.000Z,A,jobs,acquired,\"first\r\nsecond\"\r\n" +
	"2026-03-01T10:00:01.000Z,B,jobs,waiting,\r\n" +
	"2026-03-01T10:00:02.000Z,B,jobs,acquired,\"it said \"\"\n2026-03-01T10:00:01.500Z,C,jobs,acquired,\n\"\"\"\r\n" +
	"2026-03-01T10:00:03.000Z,A,jobs,released,\r\n" +
	"2026-03-01T10:00:04.000Z,B,jobs,released,\"\"\r\n"

// A record of CSV may have several lines, also while it is followed. It has the number of its first
// line.
func TestRecordsOfSeveralLines(t *testing.T) {
	var live []*Violation
	followed, from := Options{Found: func(v *Violation) { live = append(live, v) }}, Source{In: io.MultiReader(strings.NewReader(records[:90]), strings.NewReader(records[90:]))}
	if r, err := Check(t.Context(), followed, from); err != nil || len(live) != 1 || r.Verdict() != Certain {
		t.Errorf("followed: %d found, %+v, %v", len(live), r, err)
	}
	log := source("log.csv", records)
	r, err := Check(t.Context(), Options{}, log)
	if err == nil {
		err = Quote(t.Context(), Options{}, r, log)
	}
	if err != nil || r.Events != 5 || r.Lines != 9 || r.Verdict() != Certain || !said(r.Doubts, say.LogUnread) {
		t.Fatalf("%+v, %v", r, err)
	}
	v := r.Violations[0]
	if _, line, _ := v.Shown(); line != 5 || len(v.Quotes) != 4 || v.Quotes[1].Place != "5" || !strings.HasSuffix(v.Quotes[1].Text, "acquired,\n\"\"\"") {
		t.Errorf("line %d, %+v", line, v.Quotes)
	}
	for text, want := range map[string]int64{
		records + "2026-03-01T10:00:05.000Z,B,jobs,aquired,\n":   10, // behind records of several lines
		strings.Replace(records, `second"`, `second`, 1):         2,  // its other mark is missing, and the next one is followed by a word
		strings.Replace(records, `A,jobs,rel`, `A",jobs,rel`, 1): 8,  // no value begins with it
	} {
		_, err := Check(t.Context(), Options{}, piped(text))
		var at *LineError
		if !errors.As(err, &at) || at.Line != want {
			t.Errorf("%q: %v, want line %d", text, err, want)
		}
	}
}

// A mark without its other one costs its own line only. Of two of them, which may stand around a
// value of several lines, the lines between them are a doubt.
func TestAMarkThatStandsAlone(t *testing.T) {
	const swallowed = "time,client,lock,event,disk\n2026-03-01T10:00:00Z,A,l,acquired,\n2026-03-01T10:00:01Z,B,l,waiting,\"5\n2026-03-01T10:00:02Z,B,l,acquired,\n2026-03-01T10:00:04Z,B,l,released,6\"\n2026-03-01T10:00:09Z,A,l,released,\n"
	if r, err := Check(t.Context(), Options{}, piped(swallowed)); err != nil || r.Verdict() != Unknown || r.Unread != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	const inside = "time,client,lock,event,disk\n2026-03-01T10:00:00Z,A,l,acquired,5\" disk\n2026-03-01T10:00:01Z,A,l,acquired,\n2026-03-01T10:00:02Z,A,l,released,5\" disk\n"
	if r, err := Check(t.Context(), Options{Skip: true}, piped(inside)); err != nil || r.Skipped != 2 || r.Events != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, end := range []string{"", "\n"} {
		text := strings.Replace(strings.TrimSuffix(handMade, "\n"), "2026-03-01T10:00:00.100Z,B", `2026-03-01T10:00:00.100Z,"B`, 1) + end
		r, err := Check(t.Context(), Options{Skip: true}, piped(text))
		if err != nil || r.Skipped != 1 || r.Lines != int64(strings.Count(handMade, "\n")) || said(r.Doubts, say.LogCut) != (end == "") {
			t.Errorf("%q: %+v, %v", end, r, err)
		}
	}
}
