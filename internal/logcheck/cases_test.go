package logcheck

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/logcheck/logline"
	"lockstep/internal/must"
	"lockstep/internal/say"
)

// plausible are the rules that the program assumes without flags.
var plausible = Rules{ClockError: PlausibleClockError, ReleasedAfter: PlausibleReleasedAfter, Assumed: Assumed{true, true}}

// file returns a log of testdata/cases.
func file(t *testing.T, name string) Source {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join("testdata/cases", name)))(t)
	return source(name, string(text))
}

func said(phrases []say.Phrase, template say.Template) bool {
	return slices.ContainsFunc(phrases, func(p say.Phrase) bool { return p.Is(template) })
}

// Logs that once got the wrong verdict.
func TestCases(t *testing.T) {
	for _, tt := range []struct {
		name          string
		files         []string
		rules         Rules
		overlap, late Verdict
		certain       int64
		exact         Verdict // without what was assumed
		said          say.Template
	}{
		// A second acquisition by the same client is a hold of its own.
		{name: "re-entrant, and another client meanwhile", files: []string{"reentrant.csv"}, overlap: Certain, certain: 1, exact: Certain, said: say.LogAgain},
		{name: "the same, said to be re-entrant", files: []string{"reentrant.csv"}, rules: Rules{Reentrant: true}, overlap: Certain, certain: 1, exact: Certain},
		{name: "re-entrant, or two threads", files: []string{"threads.csv"}, overlap: Unknown, exact: Unknown, said: say.LogAgain},
		{name: "re-entrant, as is said", files: []string{"threads.csv"}, rules: Rules{Reentrant: true}, overlap: None, exact: None},
		{name: "one identity on two hosts", files: []string{"same-identity.csv"}, overlap: Certain, certain: 1, exact: Certain, said: say.LogAgain},
		{name: "a re-entrant client loses all", files: []string{"same-identity.csv"}, rules: Rules{Reentrant: true}, overlap: None, exact: None, said: say.LogRepeated},
		{name: "re-entrant, by whole seconds", files: []string{"d01-reentrant.csv"}, overlap: Possible, exact: Certain, said: say.LogAgain},
		{name: "the same, by stated clocks", files: []string{"d01-reentrant.csv"}, rules: Rules{Lease: time.Hour}, overlap: Certain, certain: 1, exact: Certain},
		{name: "tokens tell two processes with one name apart", files: []string{"d04-two-processes-one-name-tokens.csv"}, overlap: Certain, certain: 1, exact: Certain},
		{name: "so they do when it is said to be re-entrant", files: []string{"d04-two-processes-one-name-tokens.csv"}, rules: Rules{Reentrant: true}, overlap: Certain, certain: 1, exact: Certain},

		// Several files are one log.
		{name: "a pod", files: []string{"pod-a.csv"}, rules: Rules{Lease: time.Hour}, overlap: None, exact: None},
		{name: "another pod", files: []string{"pod-b.csv"}, rules: Rules{Lease: time.Hour}, overlap: None, exact: None},
		{name: "both pods", files: []string{"pod-a.csv", "pod-b.csv"}, overlap: Certain, certain: 3, exact: Certain},
		{name: "both pods, the other way round", files: []string{"pod-b.csv", "pod-a.csv"}, overlap: Certain, certain: 3, exact: Certain},

		// Times have the precision in which they are written, whatever the order of the lines.
		{name: "seconds", files: []string{"seconds.csv"}, overlap: Possible, exact: Possible},
		{name: "seconds, newest first", files: []string{"seconds-newest-first.csv"}, overlap: Possible, exact: Possible},
		{name: "an overlap within a second", files: []string{"c01-whole-seconds.csv"}, overlap: Possible, exact: Possible},

		// An assumption makes nothing certain.
		{name: "released after its release, perhaps", files: []string{"released-after.csv"}, overlap: Possible, exact: Certain, said: say.LogAssumedMatters},
		{name: "released before, as is said", files: []string{"released-after.csv"}, rules: Rules{Lease: time.Hour}, overlap: Certain, certain: 1, exact: Certain},
		{name: "released after, as is said", files: []string{"released-after.csv"}, rules: Rules{ReleasedAfter: 2 * time.Millisecond}, overlap: Possible, exact: Possible},
		{name: "not long enough after", files: []string{"released-after.csv"}, rules: Rules{ReleasedAfter: time.Millisecond}, overlap: Certain, certain: 1, exact: Certain},

		{name: "a write after the release", files: []string{"write-after-release.csv"}, overlap: Unknown, late: Unknown, exact: Unknown, said: say.LogWriteAfter},
		{name: "a false death", files: []string{"e06-crashed-then-acts.csv"}, overlap: Certain, certain: 1, exact: Certain, said: say.LogNotDead},
		{name: "a waiter of hours before", files: []string{"e04-stale-waiter.csv"}, overlap: Unknown, exact: Unknown, said: say.LogUncontended},
	} {
		rules := cmp.Or(tt.rules, plausible)
		var sources []Source
		for _, name := range tt.files {
			sources = append(sources, file(t, name))
		}
		r := must.Get(Check(context.Background(), Options{Rules: rules, TempDir: t.TempDir()}, sources...))(t)
		late := cmp.Or(tt.late, None)
		exact := r.Settings[len(r.Settings)-1].Overlap
		if r.Overlap() != tt.overlap || r.Overlaps.Certain != tt.certain || r.StaleWrite() != late || exact != tt.exact {
			t.Errorf("%s: overlap %s (%d for certain), stale write %s, exact %s; want %s (%d), %s, %s", tt.name,
				r.Overlap(), r.Overlaps.Certain, r.StaleWrite(), exact, tt.overlap, tt.certain, late, tt.exact)
		}
		if tt.said != nil && !said(slices.Concat(r.Doubts, r.Remarks), tt.said) {
			t.Errorf("%s: %q, %q", tt.name, english(r.Doubts), english(r.Remarks))
		}
	}
}

// Logs of common programs are read without a mapping, or with one of a few lines.
func TestFormats(t *testing.T) {
	const bracketed = "pattern: '\\[(?<client>\\S+)\\] (?<event>lock [^:]+|waiting for lock): (?<lock>\\S+)'\nzone: Europe/Berlin\n"
	for _, tt := range []struct {
		name, mapping     string
		want              Verdict
		certain, possible int64
		format, first     string
	}{
		{"app.log", bracketed, Certain, 1, 1, "text", "2026-03-01T09:00:00.012Z"},
		{"app.log", "pattern: ': \\[(?<client>\\S+)\\] (?<event>.+): (?<lock>\\S+)'\nevents: {lost: lock was no longer ours}\n", Certain, 1, 1, "text", "2026-03-01T10:00:00.012Z"},
		{"array.json", "", Possible, 0, 1, "json", "2026-03-01T10:00:00Z"},
		{"ecs.jsonl", "", Certain, 1, 0, "ecs", "2026-03-01T10:01:00.015Z"},
		{"elastic-fields.jsonl", "", Certain, 1, 0, "jsonl", "2026-03-01T10:00:00Z"},
		{"otlp.jsonl", "", Certain, 1, 0, "jsonl", "2026-03-01T10:00:00Z"},
		{"journal.jsonl", "", Certain, 1, 0, "journal", "2026-03-01T10:01:00.015Z"},
		{"k8s-leader.log", "", Certain, 1, 0, "klog", "03-01T10:00:00.001Z"},
		{"kibana.csv", "", Certain, 1, 0, "kibana", "2026-03-01T10:01:00.015Z"},
		{"kibana.csv", "preset: kibana\nzone: America/New_York\n", Certain, 1, 0, "kibana", "2026-03-01T15:01:00.015Z"},
		{"monitor.txt", "", None, 0, 0, "monitor", "2026-03-01T10:00:00.012345Z"},
		{"zap.jsonl", "", Certain, 1, 0, "zap", "2026-03-01T09:01:00.015Z"},
	} {
		r := must.Get(Check(t.Context(), Options{Rules: plausible, Format: mapped(t, tt.mapping), TempDir: t.TempDir()}, file(t, tt.name)))(t)
		if r.Verdict() != tt.want || r.Overlaps.Certain != tt.certain || r.Overlaps.Possible != tt.possible || r.Format != tt.format || r.Unit.At(r.First) != tt.first || r.Skipped+r.Unread > 0 {
			t.Errorf("%s: %s, %+v, %s from %s; %q", tt.name, r.Verdict(), r.Overlaps, r.Format, r.Unit.At(r.First), english(r.Doubts))
		}
	}
}

// answer returns the verdict on a log with its doubts and remarks, or "" and the error.
func answer(t *testing.T, mapping string, log ...Source) (Verdict, string) {
	t.Helper()
	r, err := Check(t.Context(), Options{Rules: plausible, Format: mapped(t, mapping), TempDir: t.TempDir()}, log...)
	if err != nil {
		return "", err.Error()
	}
	return r.Verdict(), strings.Join(english(slices.Concat(r.Doubts, r.Remarks)), "\n")
}

// mapped returns the format of a mapping.
func mapped(t testing.TB, text string) logline.Format {
	t.Helper()
	f := must.Get(logline.Parse([]byte(text)))(t)
	return *must.Get(f.Ready())(t)
}

// Lines of several files are named with their file.
func TestFilesAreNamed(t *testing.T) {
	r := must.Get(Check(context.Background(), Options{TempDir: t.TempDir()}, file(t, "pod-a.csv"), file(t, "pod-b.csv")))(t)
	const want = "pod-b/1 acquires it in line 2 of pod-b.csv while pod-a/1 holds it (line 2 of pod-a.csv to line 3 of pod-a.csv), together for 5 s by the times"
	v := r.Violations[0]
	at, line, name := v.Shown()
	if got := v.Words().English(); got != want || line != 2 || name != "pod-b.csv" || Unit(0).At(at) != "2026-03-01T10:00:05Z" || v.Place(v.Holds[1].HeardLine) != "pod-a.csv:3" {
		t.Errorf("%s; %d, %s, %d, %s", got, at, name, line, v.Place(v.Holds[1].HeardLine))
	}
	if r.Lines != 10 || r.Events != 8 {
		t.Errorf("%d lines, %d events", r.Lines, r.Events)
	}
	bad := source("bad.csv", "time,client,lock,event\n2026-03-01T10:00:00Z,A,l,aquired\n")
	_, err := Check(context.Background(), Options{TempDir: t.TempDir()}, file(t, "pod-a.csv"), bad)
	if line, ok := err.(*LineError); !ok || line.File != "bad.csv" || line.Line != 2 {
		t.Errorf("%#v", err)
	}
	bad = source("bad.csv", "time,client,lock,event\n2026-03-01T10:00:00Z,A,l,aquired\n")
	r = must.Get(Check(context.Background(), Options{TempDir: t.TempDir(), Skip: true}, file(t, "pod-a.csv"), bad, source("cut.csv", "time,client,lock,event\n2026-03-01T10:0")))(t)
	if got := strings.Join(english(r.Doubts), "; "); !strings.Contains(got, "first line 2 of bad.csv") || !strings.Contains(got, "line 2 of cut.csv, the last one") {
		t.Error(got)
	}
	if _, err := Check(context.Background(), Options{}, file(t, "pod-a.csv"), source("bad.gz", "\x1f\x8bno")); err == nil || !strings.HasPrefix(err.Error(), "bad.gz: ") {
		t.Error(err)
	}
}

// short returns a log of lines such as "0 A acquired 7", in milliseconds. All are about one lock,
// except "gone": the client crashes, with all its locks.
func short(lines string) string {
	text := "time,client,lock,event,token\n"
	for line := range strings.SplitSeq(lines, ";") {
		f := append(strings.Fields(line), "")
		text += strings.Replace(f[0]+","+f[1]+",l,"+f[2]+","+f[3]+"\n", ",l,gone,", ",,crashed,", 1)
	}
	return text
}

// Tiny logs at the boundaries between certain, possible, unknown and none.
func TestTinyLogs(t *testing.T) {
	ms := func(clock, late, lease time.Duration) Rules {
		return Rules{ClockError: clock * time.Millisecond, ReleasedAfter: late * time.Millisecond, Lease: lease * time.Millisecond}
	}
	const wait = ";50 C waiting" // of a client that has to, while B holds
	for _, tt := range []struct {
		name, log     string
		rules         Rules
		overlap, late Verdict
		said          say.Template
	}{
		{"one after the other", "0 A acquired;9 A released;10 B acquired;99 B released" + wait, ms(0, 0, 0), None, None, nil},
		{"in one millisecond", "0 A acquired;10 A released;10 B acquired;99 B released" + wait, ms(0, 0, 0), Possible, None, nil},
		{"a grain within", "0 A acquired;11 A released;10 B acquired;99 B released" + wait, ms(0, 0, 0), Certain, None, nil},
		{"within both clocks", "0 A acquired;7 A released;10 B acquired;99 B released" + wait, ms(1, 0, 0), None, None, nil},
		{"at the edge of both clocks", "0 A acquired;8 A released;10 B acquired;99 B released" + wait, ms(1, 0, 0), Possible, None, nil},
		{"together, at the edge of both clocks", "0 A acquired;12 A released;10 B acquired;99 B released" + wait, ms(1, 0, 0), Possible, None, nil},
		{"together, beyond it", "0 A acquired;13 A released;10 B acquired;99 B released" + wait, ms(1, 0, 0), Certain, None, nil},
		{"within what a release is late", "0 A acquired;15 A released;10 B acquired;99 B released" + wait, ms(0, 5, 0), Possible, None, nil},
		{"beyond what a release is late", "0 A acquired;16 A released;10 B acquired;99 B released" + wait, ms(0, 5, 0), Certain, None, nil},
		{"late, but it wrote", "0 A acquired;11 A write;15 A released;10 B acquired;99 B released" + wait, ms(0, 5, 0), Certain, Certain, nil},
		{"late, and short, inside a long one", "7 A acquired;10 B acquired;11 B released;20 A released" + wait, ms(0, 5, 0), Certain, None, nil},
		{"lost is not late", "0 A acquired;15 A lost;10 B acquired;99 B released" + wait, ms(0, 5, 0), Certain, None, nil},
		{"no earlier than it was acquired", "9 A acquired;12 A released;10 B acquired;13 B released;0 C waiting;20 C acquired", ms(0, 99, 0), Possible, None, nil},
		{"an instant inside", "0 A acquired;5 B acquired;5 B released;9 A released" + wait, ms(0, 0, 0), Certain, None, nil},
		{"an instant that all share", "5 A acquired;5 B acquired;5 B released;5 A released;4 B waiting", ms(0, 0, 0), Possible, None, nil},
		{"silent within its lease", "0 A acquired;10 B acquired;99 B released" + wait, ms(0, 0, 10), Possible, None, nil},
		{"silent beyond its lease", "0 A acquired;10 B acquired;99 B released" + wait, ms(0, 0, 9), None, None, nil},
		{"its name again, and a write in that instant", "0 A acquired;20 B acquired;25 B released;30 A acquired;30 A write;41 A released;21 C waiting", ms(0, 0, 10), None, None, nil},
		{"extended", "0 A acquired;5 A extended;10 B acquired;99 B released" + wait, ms(0, 0, 9), Possible, None, nil},
		{"extended, and over", "0 A acquired;5 A extended;15 B acquired;99 B released" + wait, ms(0, 0, 9), None, None, nil},
		{"extended when it was over", "0 A acquired;20 A extended;25 B acquired;99 B released" + wait, ms(0, 0, 9), Possible, None, nil},
		{"extended when it was over, and over again", "0 A acquired;20 A extended;30 B acquired;99 B released" + wait, ms(0, 0, 9), None, None, nil},
		{"it extends what it does not hold", "0 A acquired;9 A released;10 C extended;20 B acquired;99 B released" + wait, ms(0, 0, 0), Unknown, None, say.LogExtendedUnheld},
		{"silent, and heard after all", "0 A acquired;20 B acquired;99 A released;98 B released" + wait, ms(0, 0, 9), Certain, None, nil},
		{"dead, within its lease", "0 A acquired;12 A crashed;10 B acquired;99 B released" + wait, ms(0, 0, 0), Possible, None, nil},
		{"another one dies", "0 A acquired;5 C crashed;10 B acquired;99 B released" + wait, ms(0, 0, 0), Possible, None, nil},
		{"dead before", "0 A acquired;9 A crashed;10 B acquired;99 B released" + wait, ms(0, 0, 0), None, None, nil},
		{"said to be dead, its lease was over", "0 A acquired;12 A crashed;10 B acquired;99 B released" + wait, ms(0, 0, 9), None, None, nil},
		{"not dead: it writes", "0 A acquired;9 A crashed;10 B acquired;20 A write;99 B released" + wait, ms(0, 0, 0), Certain, Certain, say.LogNotDead},
		{"not dead: it extends", "0 A acquired;9 A crashed;10 B acquired;20 A extended;99 B released" + wait, ms(0, 0, 0), Certain, None, say.LogNotDead},
		{"not dead: it has lost the lock", "0 A acquired;9 A crashed;10 B acquired;20 A lost;99 B released" + wait, ms(0, 0, 0), Certain, None, say.LogNotDead},
		{"dead, and started again", "0 A acquired;9 A crashed;10 B acquired;20 B released;30 A acquired;40 A released;35 B waiting", ms(0, 0, 0), None, None, nil},
		{"dead, and started again, and released twice", "0 A acquired;9 A crashed;10 B acquired;20 B released;30 A acquired;40 A released;41 A released;35 B waiting", ms(0, 0, 0), None, None, say.LogRepeated},
		{"dead, and started again in one instant", "0 A acquired;9 A crashed;10 B acquired;20 B released;30 A acquired;30 A released;25 C waiting;30 B waiting", ms(0, 0, 0), None, None, nil},
		{"not dead, with its token", "0 A acquired 1;9 A crashed;10 B acquired 2;20 A released 1;99 B released" + wait, ms(0, 0, 0), Certain, None, say.LogNotDead},

		{"it dies as it acquires", "5 A acquired;5 A gone;10 B acquired;99 B released" + wait, ms(0, 0, 0), None, None, nil},
		{"dead, with all its locks", "0 A acquired;5 A gone;10 B acquired;99 B released" + wait, ms(0, 0, 0), None, None, nil},
		{"it writes as it releases", "0 A acquired;5 A write;5 A released;10 B acquired;99 B released" + wait, ms(0, 0, 0), None, None, nil},
		{"all in one millisecond", "5 A acquired;5 A write;5 A extended;5 A released;10 B acquired;99 B released" + wait, ms(0, 0, 0), None, None, nil},
		{"it acquires as it releases", "0 A acquired;5 A released;5 A acquired;9 A released;10 B acquired;99 B released" + wait, ms(0, 0, 0), None, None, nil},
		{"one client holds what it has", "0 A acquired;5 A acquired;6 A released;9 A released;10 B acquired;99 B released" + wait, ms(0, 0, 0), Unknown, None, say.LogAgain},
		{"one token", "0 A acquired 1;5 A acquired 1;6 A released;9 A released;10 B acquired 2;99 B released" + wait, ms(0, 0, 0), None, None, nil},
		{"one token, released once", "0 A acquired 1;5 A acquired 1;9 A released;10 B acquired 2;99 B released" + wait, ms(0, 0, 0), Possible, None, nil},
		{"two tokens", "0 A acquired 1;5 A acquired 2;6 A released 1;9 A released 2;10 B acquired 3;99 B released" + wait, ms(0, 0, 0), Certain, None, nil},
		{"two tokens, one after the other", "0 A acquired 1;4 A released 1;5 A acquired 2;9 A released 2;20 B acquired 3;99 B released" + wait, ms(1, 0, 0), None, None, nil},
		{"two tokens, released without", "0 A acquired 1;5 A acquired 2;6 A released;9 A released;10 B acquired 3;99 B released" + wait, ms(0, 0, 0), Certain, None, nil},
		{"two tokens, the first one silent", "0 A acquired 1;5 A acquired 2;6 A released 2;10 B acquired 3;99 B released" + wait, ms(0, 0, 4), None, None, nil},
		{"two tokens, the first one silent within its lease", "0 A acquired 1;5 A acquired 2;6 A released 2;10 B acquired 3;99 B released" + wait, ms(0, 0, 5), Possible, None, nil},
		{"an old token writes", "0 A acquired 1;5 A acquired 2;6 A write 1;9 A released;9 A released;10 B acquired 3;99 B released" + wait, ms(0, 0, 4), Certain, Certain, nil},
		{"a restart after the lease", "0 A acquired;5 A acquired;6 A released;10 B acquired;99 B released" + wait, ms(0, 0, 4), None, None, nil},
		{"a restart within the lease", "0 A acquired;5 A acquired;6 A released;20 B acquired;99 B released" + wait, ms(0, 0, 5), Unknown, None, say.LogAgain},
		{"extended, and so the outer hold", "0 A acquired 1;5 A acquired 1;12 A extended 1;13 A released;16 B acquired 2;99 B released" + wait, ms(0, 0, 10), Possible, None, nil},
		{"extended by the acquisition, and so the outer hold", "0 A acquired 1;8 A acquired 1;9 A released;16 B acquired 2;99 B released" + wait, ms(0, 0, 10), Possible, None, nil},
		{"extended after the restart, and not the hold before it", "0 A acquired;5 A acquired;6 A extended;7 A released;10 B acquired;99 B released" + wait, ms(0, 0, 4), None, None, nil},
		{"two holds, and a write of the outer one", "0 A acquired;6 A acquired;7 A released;9 A write;20 B acquired;99 B released" + wait, ms(0, 0, 4), Unknown, Unknown, say.LogAgain},
		{"two ends, and no restart", "0 A acquired;20 A acquired;21 A released;10 B acquired;12 B released;30 A released" + wait, ms(0, 0, 4), Certain, None, say.LogAgain},
		{"re-entrant, and all is lost", "0 A acquired 1;5 A acquired 1;9 A lost;10 B acquired 2;20 A released;99 B released" + wait, ms(0, 0, 0), None, None, say.LogRepeated},
		{"perhaps re-entrant, and all is lost", "0 A acquired;5 A acquired;9 A lost;10 B acquired;20 A released;99 B released" + wait, ms(0, 0, 0), Possible, None, say.LogAgain},
		{"a release with the token of no hold", "0 A acquired 1;5 A released 9;10 B acquired 2;99 B released" + wait, ms(0, 0, 5), Unknown, None, say.LogEndUnheld},

		{"a release with the token of a hold that is over", "0 A acquired 1;5 A released 1;6 A released 1;10 B acquired 2;99 B released" + wait, ms(0, 0, 0), None, None, say.LogRepeated},
		{"a release with the token of another hold than that", "0 A acquired 1;5 A released 1;6 A released 9;10 B acquired 10;99 B released" + wait, ms(0, 0, 0), Unknown, None, say.LogEndUnheld},

		{"it waits", "0 A acquired;5 B waiting;9 A released;9 C write", ms(0, 0, 0), Unknown, Unknown, say.LogWriteUnheld},
		{"it waits while one may hold", "0 A acquired;9 B waiting", ms(0, 0, 9), None, None, nil},
		{"it waits for one whose lease is over", "0 A acquired;10 B waiting", ms(0, 0, 9), Unknown, None, say.LogUncontended},
		{"it waits for one whose lease only seems to be over", "0 A acquired;10 B waiting;11 A released", ms(0, 0, 9), None, None, nil},
		{"it waits and gets it after another", "0 B waiting;1 A acquired;2 A released;9 B acquired;99 B released", ms(0, 0, 0), None, None, nil},
		{"it waits and gets it at once", "0 B waiting;9 B acquired;99 B released", ms(0, 0, 0), Unknown, None, say.LogUncontended},
		{"it waits again, and another came and went", "0 B waiting;1 A acquired;2 A released;9 B waiting", ms(0, 0, 0), Unknown, None, say.LogUncontended},
		{"it waits again, and gets it at once", "0 B waiting;1 A acquired;2 A released;9 B waiting;10 B acquired;11 B released", ms(0, 0, 0), Unknown, None, say.LogUncontended},
		{"it waited and died", "0 B waiting;1 B crashed;2 A acquired;3 A released;9 B acquired;99 B released", ms(0, 0, 0), Unknown, None, say.LogUncontended},
		{"it waits for itself", "0 A acquired;5 A waiting;9 A released", ms(0, 0, 0), Unknown, None, say.LogUncontended},
		{"it waits as the other releases", "0 A acquired;9 A released;9 B waiting", ms(0, 0, 0), None, None, nil},
		{"it waits as another one comes", "9 B acquired;9 A waiting", ms(0, 0, 0), None, None, nil},
		{"it waits later", "0 A acquired;9 A released;10 B waiting", ms(0, 0, 0), Unknown, None, say.LogUncontended},
		{"it changed no hands", "0 A acquired;9 A released;10 A acquired;11 A released", ms(0, 0, 0), Unknown, None, say.LogUncontended},
		{"it changed hands", "0 A acquired;9 A released;10 B acquired;11 B released", ms(0, 0, 0), None, None, nil},

		{"stale by its token", "0 A acquired 1;9 A released;10 B acquired 2;11 A write 1;99 B released" + wait, ms(0, 0, 0), None, Certain, nil},
		{"stale within the clocks", "0 A acquired 1;3 A lost;10 B acquired 2;12 A write 1;99 B released" + wait, ms(1, 0, 0), None, Possible, nil},
		{"stale beyond them", "0 A acquired 1;3 A lost;10 B acquired 2;13 A write 1;99 B released" + wait, ms(1, 0, 0), None, Certain, nil},
		{"a newer one of two", "0 A acquired 1;3 A lost;10 B acquired 2;13 B lost;19 C acquired 3;20 A write 1;22 B waiting", ms(1, 0, 0), None, Certain, nil},
		{"a newer one of two, by their order", "0 A acquired;3 A lost;10 B acquired;13 B lost;19 C acquired;20 A write;22 B waiting", ms(1, 0, 0), None, Certain, nil},
		{"a newer one, and others too close to the write", "0 A acquired;3 A lost;10 B acquired;11 B lost;12 B acquired;12 B lost;13 C acquired;14 A write;15 C lost;14 B waiting", ms(1, 0, 0), Possible, Certain, nil},
		{"a newer one, before the write for sure", "0 A acquired;3 A lost;10 B acquired;13 A write;99 B released" + wait, ms(1, 0, 0), None, Certain, nil},
		{"a newer one, perhaps", "0 A acquired;3 A lost;10 B acquired;12 A write;99 B released" + wait, ms(1, 0, 0), None, Possible, nil},
		{"a newer one, perhaps after the write", "0 A acquired;3 A lost;10 A write;12 B acquired;99 B released" + wait, ms(1, 0, 0), Unknown, Possible, say.LogWriteAfter},
		{"a newer one, after the write", "0 A acquired;3 A lost;10 A write;13 B acquired;99 B released" + wait, ms(1, 0, 0), Unknown, Unknown, say.LogWriteAfter},
		{"its own again, after the write", "0 A acquired;3 A lost;10 A write;11 A acquired;12 A released;20 B acquired;99 B released" + wait, ms(1, 0, 0), Unknown, Unknown, say.LogWriteAfter},
		{"a token that a write has shown", "0 A acquired 1;1 B waiting;2 C write 7;9 A write 1;10 A released", ms(0, 0, 0), Unknown, Certain, say.LogWriteUnheld},
		{"a token twice", "0 A acquired 1;3 A lost;10 B acquired 1;11 B released" + wait, ms(0, 0, 0), Unknown, None, say.LogTokensBack},
		{"tokens begin again", "0 A acquired 7;3 A released;10 B acquired 1;11 B write 1;99 B released" + wait, ms(0, 0, 0), Unknown, Unknown, say.LogTokensBack},
		{"tokens begin again, and an old one writes", "0 A acquired 7;3 A released;10 B acquired 1;11 A write 7;99 B released" + wait, ms(0, 0, 0), Unknown, Certain, say.LogTokensBack},
		{"a token of another client", "0 A acquired 1;3 A released;10 B acquired 2;11 C write 2;99 B released" + wait, ms(0, 0, 0), Unknown, Unknown, say.LogWriteUnheld},
		{"a token of another client, and a hold without one", "0 A acquired 1;3 A released;10 B acquired;11 B write 1;99 B released" + wait, ms(0, 0, 0), Unknown, Unknown, say.LogWriteUnheld},
		{"a token twice, within the clocks", "0 A acquired 1;1 A lost;2 B acquired 1;3 B released;0 C waiting", ms(1, 0, 0), Possible, None, nil},
	} {
		o := Options{Rules: tt.rules, Format: logline.Format{Unit: "ms"}}
		r := checked(t, short(tt.log), o)
		if r.Overlap() != tt.overlap || r.StaleWrite() != tt.late || tt.said != nil && !said(slices.Concat(r.Doubts, r.Remarks), tt.said) {
			t.Errorf("%s: overlap %s, stale write %s; want %s, %s; %q, %q", tt.name, r.Overlap(), r.StaleWrite(), tt.overlap, tt.late, english(r.Doubts), english(r.Remarks))
		}
	}
}

// Each client, in each file, has its own precision of times; so does a client that reports a death.
func TestTimesAreAsFineAsTheyAreWritten(t *testing.T) {
	const day = "2026-03-01T10:00:"
	log := func(lines ...string) string {
		text := "time,client,lock,event\n"
		for _, line := range lines {
			at, rest, _ := strings.Cut(line, " ")
			text += day + at + "Z," + strings.ReplaceAll(rest, " ", ",l,") + "\n"
		}
		return text
	}
	for _, tt := range []struct {
		name  string
		files []string
		want  Verdict
	}{
		{"all by milliseconds", []string{log("00.000 A acquired", "01.000 B waiting", "05.000 A released", "05.500 B acquired", "09.000 B released")}, None},
		{"A by seconds", []string{log("00 A acquired", "01.000 B waiting", "05 A released", "05.500 B acquired", "09.000 B released")}, Possible},
		{"A by seconds, B at the next one", []string{log("00 A acquired", "01.000 B waiting", "05 A released", "06.000 B acquired", "09.000 B released")}, None},
		{"B by seconds, and so perhaps within A", []string{log("00.000 A acquired", "01 B waiting", "05.900 A released", "05 B acquired", "09 B released")}, Possible},
		{"A leaves zeros away", []string{log("00.5 A acquired", "01.000 B waiting", "05 A released", "05.005 B acquired", "09.000 B released")}, None},
		{"A leaves zeros away, at first", []string{log("00 A acquired", "01.000 B waiting", "05 A released", "05.005 B acquired", "09.000 B released", "20.123 A waiting")}, None},
		{"all by tenths", []string{log("00.0 A acquired", "01.0 B waiting", "05.0 A released", "05.0 B acquired", "09.0 B released")}, Possible},
		{"all by tenths, in order", []string{log("00.0 A acquired", "01.0 B waiting", "05.0 A released", "05.1 B acquired", "09.0 B released")}, None},
		{"A by tenths where others have milliseconds", []string{log("00.0 A acquired", "01.000 B waiting", "05.0 A released", "05.001 B acquired", "09.000 B released")}, None},
		{"a death by seconds", []string{log("00.000 A acquired", "01.000 B waiting", "05 A crashed", "05.500 B acquired", "09.000 B released")}, Possible},
		{"a death by milliseconds", []string{log("00.000 A acquired", "01.000 B waiting", "05.000 A crashed", "05.500 B acquired", "09.000 B released")}, None},
		{"the end in another file, by seconds", []string{log("00.000 A acquired", "01.000 B waiting", "05.500 B acquired", "09.000 B released"), log("05 A released")}, Possible},
		{"the end in another file, by milliseconds", []string{log("00.000 A acquired", "01.000 B waiting", "05.500 B acquired", "09.000 B released"), log("05.000 A released")}, None},
	} {
		var sources []Source
		for i, text := range tt.files {
			sources = append(sources, source(string(rune('a'+i)), text))
		}
		r, err := Check(t.Context(), Options{TempDir: t.TempDir()}, sources...)
		if err != nil || r.Overlap() != tt.want {
			t.Errorf("%s: %s, want %s: %v", tt.name, r.Overlap(), tt.want, err)
		}
	}
	for _, tt := range []struct {
		text string
		form string // in a mapping
		want int8
	}{
		{"01.03.2026 10:00:00.123 +01:00", "time-layout: 'dd.MM.yyyy HH:mm:ss.SSS XXX'", 6}, {"01.03.2026 10:00:00.000 +01:00", "time-layout: 'dd.MM.yyyy HH:mm:ss.SSS XXX'", 6},
		{"01.03.2026 10.00.05", "time-layout: 'dd.MM.yyyy HH.mm.ss'", 9}, {"2026-03-01 10.00.05", "time-layout: '2006-01-02 15.04.05'", 9}, {"01.03.2026 10:00:05,12", "time-layout: 'dd.MM.yyyy HH:mm:ss'", 7}, {"20260301 100000.120", "time-layout: 'yyyyMMdd HHmmss.SSS'", 6},
		{"1772359200", "time-unit: s", 9}, {"1772359200.25", "time-unit: s", 7}, {"1772359200000", "time-unit: ms", 6},
		{"1772359200000.5", "time-unit: ms", 5}, {"1772359200000000000", "time-unit: ns", 0}, {"-5", "time-unit: us", 3},
		{"2026-03-01T10:00:00Z", "", 9}, {"2026-03-01T10:00:00.12Z", "", 7}, {"2026-03-01T10:00:00+01:00", "", 9},
		{"2026-03-01T10:00:00.123+01:00", "", 6}, {"2026-03-01T10:00:00.1234567891Z", "", 0},
	} {
		f := mapped(t, tt.form)
		v := must.Get(newValues(&f))(t)
		var e Event
		err := v.event(&logline.Fields{Time: []byte(tt.text), Client: []byte("A"), Lock: []byte("l"), Event: []byte("acquired")}, &e)
		if err != nil || e.Fine != tt.want {
			t.Errorf("%s: 10^%d ns, want 10^%d: %v", tt.text, e.Fine, tt.want, err)
		}
	}
}
