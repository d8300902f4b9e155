package export

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

// readJUnit parses JUnit XML with the library's parser, which is strict, and
// checks that the counts are right.
func readJUnit(t *testing.T, b *bundle.Bundle) junitSuite {
	t.Helper()
	data, err := JUnit(b)
	if err != nil {
		t.Fatal(err)
	}
	var out junitSuites
	if err := xml.Unmarshal(data, &out); err != nil {
		t.Fatalf("not XML: %v", err)
	}
	if len(out.Suites) != 1 {
		t.Fatalf("%d suites", len(out.Suites))
	}
	s := out.Suites[0]
	failures, errors, skipped := 0, 0, 0
	for _, c := range s.Cases {
		if c.Failure != nil {
			failures++
		}
		if c.Error != nil {
			errors++
		}
		if c.Skipped != nil {
			skipped++
		}
	}
	want := fmt.Sprint(len(s.Cases), failures, errors, skipped)
	if got := fmt.Sprint(s.Tests, s.Failures, s.Errors, s.Skipped); got != want {
		t.Errorf("the suite counts %s, its cases are %s", got, want)
	}
	if got := fmt.Sprint(out.Tests, out.Failures, out.Errors, out.Skipped); got != want {
		t.Errorf("the file counts %s, its cases are %s", got, want)
	}
	reporttest.Harmless(t, "the XML", string(data))
	return s
}

// outcome is a case in one word.
func (c *junitCase) outcome() string {
	switch {
	case c.Failure != nil:
		return "failed"
	case c.Error != nil:
		return "error"
	case c.Skipped != nil:
		return "skipped"
	}
	return "passed"
}

func TestJUnit(t *testing.T) {
	s := readJUnit(t, reporttest.MissedBundle())
	if s.Name != "pause-past-lease" {
		t.Errorf("the suite is %q", s.Name)
	}
	want := []string{
		"set-nx-ex-del / mutual-exclusion failed 27",
		"set-nx-ex-del / owner-only-release passed 0",
		"set-nx-ex-del / no-stale-write passed 0",
		"set-nx-ex-del / no-lost-update passed 0",
		"set-nx-ex-del / progress passed 37",
		"set-nx-lua / mutual-exclusion passed 28",
		"set-nx-lua / owner-only-release skipped 0",
		"set-nx-lua / no-stale-write skipped 0",
		"set-nx-lua / no-lost-update skipped 0",
		"set-nx-lua / progress failed 38",
		"set-nx-lua / put to the test skipped 0",
	}
	var got []string
	for _, c := range s.Cases {
		if c.ClassName != s.Name || c.File != "scenarios/lessons/pause-past-lease.yaml" {
			t.Errorf("%s: class %q, file %q", c.Name, c.ClassName, c.File)
		}
		got = append(got, fmt.Sprintf("%s %s %d", c.Name, c.outcome(), c.Line))
	}
	reporttest.WantLines(t, "the cases", got, want)

	failure := s.Cases[0].Failure
	if failure.Message != "set-nx-ex-del let two clients in at once for 5.031 s." {
		t.Errorf("the message: %q", failure.Message)
	}
	reporttest.WantLines(t, "the failure", strings.Split(failure.Text, "\n"), []string{
		"set-nx-ex-del let two clients in at once for 5.031 s.",
		"Expected kept, got broken.",
		"First at 10.031 s.",
		"again: simulate run scenarios/lessons/pause-past-lease.yaml --seed 7",
	})
	if text := s.Cases[9].Failure.Text; !strings.Contains(text, "a known-bad lock was not caught") {
		t.Errorf("the lock that was not caught: %q", text)
	}
	if got := s.Cases[6].Skipped.Message; got != "set-nx-lua: owner-only-release is unknown, since fault 2 never fired." {
		t.Errorf("the unknown verdict: %q", got)
	}
	if got := s.Cases[10].Skipped.Message; got != "Inconclusive: fault 2 never fired: kill B." {
		t.Errorf("what was not tested: %q", got)
	}
}

// Each hostile text in turn stands in every field and comes back as text.
func TestJUnitOfHostileTexts(t *testing.T) {
	readJUnit(t, reporttest.HostileBundle())
	for _, text := range []string{"a]]>b", "<failure/>", "&amp;", "a\nb", "\x00", "\ufffe", "\u202etxt", strings.Repeat("n", 10_000)} {
		b := reporttest.MissedBundle()
		b.Plan.Name, b.Plan.Slug, b.Plan.File, b.Replay = text, text, text, text
		b.Runs[0].Lock, b.Runs[1].Judgement.Untested = text, say.NeverFired.With(1, say.Both{English: text})
		b.Runs[1].Judgement.Findings[3].Reason = say.NeverFired.With(1, say.Both{English: text})
		s := readJUnit(t, b)
		if len(s.Cases) != 11 {
			t.Errorf("%q: %d cases", text, len(s.Cases))
		}
		if text == "a]]>b" && !strings.Contains(s.Cases[0].Failure.Text, "again: a]]>b") {
			t.Errorf("%q came back as %q", text, s.Cases[0].Failure.Text)
		}
	}
}

func TestJUnitWithoutHistory(t *testing.T) {
	b := reporttest.Bundle()
	b.Runs[1] = bundle.Run{Lock: "set-nx-lua"}
	s := readJUnit(t, b)
	if c := s.Cases[len(s.Cases)-1]; c.outcome() != "error" || c.Name != "set-nx-lua" {
		t.Errorf("%+v", c)
	}
}
