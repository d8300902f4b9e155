package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"lockstep/internal/say"
)

// The elements of JUnit XML in the form that Jenkins, GitLab and Allure read.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name      string        `xml:"name,attr"`
		ClassName string        `xml:"classname,attr"`
		File      string        `xml:"file,attr,omitempty"`
		Line      int           `xml:"line,attr,omitempty"`
		Time      string        `xml:"time,attr"`
		Failure   *junitProblem `xml:"failure"`
		Error     *junitProblem `xml:"error"`
		Skipped   *junitSkipped `xml:"skipped"`
		Output    string        `xml:"system-out,omitempty"`
	}
	junitProblem struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
)

// JUnit writes a bundle as JUnit XML: the scenario is the suite, and every
// property of every lock is a case "lock / property".
//
//	as expected, or kept and nothing expected    passed
//	not as expected                              failure
//	unknown                                      skipped, with the reason
//	broken, and nothing is expected of it        skipped, with the sentence
//	something of the run was not put to the test a case of its own, skipped
//	there is no history                          error
//
// An unknown verdict is never a passed case; that it may fail a build is said by
// the exit code. The time of a suite is the true time of its runs, which is
// simulated in the simulator.
func JUnit(b *Bundle) ([]byte, error) {
	suite := junitSuite{
		Name: clean(b.slug(), maxLine),
		Time: seconds3(int64(b.simulated())),
		Properties: []junitProperty{
			{"title", clean(b.title(say.English), maxLine)},
			{"seed", strconv.FormatUint(b.Seed, 10)},
			{"backend", clean(b.Backend, maxName)},
			{"hash", clean(b.Hash, maxLine)},
			{"replay", clean(b.Replay, maxProse)},
		},
	}
	for i := range b.Runs {
		suite.Cases = append(suite.Cases, b.junitCases(&b.Runs[i])...)
	}
	for i := range suite.Cases {
		c := &suite.Cases[i]
		c.ClassName, c.Time = suite.Name, "0.000"
		suite.Tests++
		switch {
		case c.Failure != nil:
			suite.Failures++
		case c.Error != nil:
			suite.Errors++
		case c.Skipped != nil:
			suite.Skipped++
		}
	}
	out := junitSuites{
		Name: "lockstep", Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors,
		Skipped: suite.Skipped, Suites: []junitSuite{suite},
	}
	var buf bytes.Buffer
	buf.WriteString(xml.Header)
	enc := xml.NewEncoder(&buf)
	enc.Indent("", "  ")
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("writing JUnit XML: %w", err)
	}
	buf.WriteByte('\n')
	return buf.Bytes(), nil
}

// junitCases are the cases of one lock.
func (b *Bundle) junitCases(r *Run) []junitCase {
	lock := clean(r.Lock, maxName)
	file := clean(b.file(), maxLine)
	if r.Judgement.History == nil {
		problem := &junitProblem{Type: "no history", Message: "There is no history to judge.", Text: b.again()}
		return []junitCase{{Name: lock, File: file, Error: problem}}
	}
	var out []junitCase
	for _, c := range b.cases(r) {
		j := junitCase{Name: lock + " / " + clean(c.finding.Property, maxName), File: file}
		if file != "" {
			j.Line = c.line
		}
		switch c.state {
		case stateMissed:
			j.Failure = &junitProblem{
				Type: clean(string(c.finding.Verdict), maxName), Message: c.sentence(),
				Text: lines(c.sentence(), c.missed(), c.first(), b.again()),
			}
		case stateUnknown:
			j.Skipped = &junitSkipped{c.sentence()}
		case stateBroken:
			j.Skipped = &junitSkipped{c.sentence() + " The scenario expects nothing of it."}
		default:
			j.Output = c.sentence()
		}
		out = append(out, j)
	}
	if !r.Untested.Empty() {
		out = append(out, junitCase{
			Name: lock + " / put to the test", File: file,
			Skipped: &junitSkipped{clean("Inconclusive: "+r.Untested.English()+".", maxLine)},
		})
	}
	return out
}

// again is the line that replays the run, clean; "" when there is none.
func (b *Bundle) again() string {
	if b.Replay == "" {
		return ""
	}
	return "again: " + clean(b.Replay, maxProse)
}

// lines joins the lines that are not empty.
func lines(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "\n")
}

// seconds3 writes nanoseconds as seconds with three decimals, without a unit.
func seconds3(nanos int64) string {
	ms := (nanos + 500_000) / 1_000_000
	return fmt.Sprintf("%d.%03d", ms/1000, ms%1000)
}
