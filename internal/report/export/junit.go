package export

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// The elements of JUnit XML in the form that Jenkins, GitLab and Allure read.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []junitSuite `xml:"testsuite"`
	}
	junitCounts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
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
// An unknown verdict is never a passed case; the exit code decides whether it fails a build. The
// time of a suite is the true time of its runs, which the simulator simulates.
func JUnit(b *bundle.Bundle) ([]byte, error) {
	suite := junitSuite{
		Name: sanitize.Text(b.Slug(), sanitize.MaxLine),
		Time: seconds(b.Simulated()),
		Properties: []junitProperty{
			{"title", sanitize.Text(b.Title(say.English), sanitize.MaxLine)},
			{"seed", strconv.FormatUint(b.Seed, 10)},
			{"backend", sanitize.Text(b.Backend, sanitize.MaxName)},
			{"hash", sanitize.Text(b.Hash, sanitize.MaxLine)},
			{"replay", sanitize.Text(b.Replay, sanitize.MaxProse)},
		},
	}
	for i := range b.Runs {
		suite.Cases = append(suite.Cases, junitCases(b, &b.Runs[i])...)
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
	out := junitSuites{Name: "lockstep", junitCounts: suite.junitCounts, Suites: []junitSuite{suite}}
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

func junitCases(b *bundle.Bundle, r *bundle.Run) []junitCase {
	lock := sanitize.Text(r.Lock, sanitize.MaxName)
	file := sanitize.Text(b.File(), sanitize.MaxLine)
	if r.Judgement.History == nil {
		problem := &junitProblem{Type: "no history", Message: "There is no history to judge.", Text: b.Again()}
		return []junitCase{{Name: lock, File: file, Error: problem}}
	}
	var out []junitCase
	for _, c := range r.Cases() {
		j := junitCase{Name: lock + " / " + sanitize.Text(c.Finding.Property, sanitize.MaxName), File: file}
		if file != "" {
			j.Line = c.Line
		}
		switch c.State {
		case bundle.StateMissed:
			j.Failure = &junitProblem{
				Type: sanitize.Text(string(c.Finding.Verdict), sanitize.MaxName), Message: c.Sentence(),
				Text: lines(c.Sentence(), c.Missed(), c.First(), b.Again()),
			}
		case bundle.StateUnknown:
			j.Skipped = &junitSkipped{c.Sentence()}
		case bundle.StateBroken:
			j.Skipped = &junitSkipped{c.Sentence() + " The scenario expects nothing of it."}
		default:
			j.Output = c.Sentence()
		}
		out = append(out, j)
	}
	if idle := r.Judgement.Idle(); !idle.Empty() && len(out) > 0 {
		out[0].Output = lines(out[0].Output, sanitize.Text(idle.English()+".", sanitize.MaxLine))
	}
	if !r.Judgement.Untested.Empty() {
		out = append(out, junitCase{
			Name: lock + " / put to the test", File: file,
			Skipped: &junitSkipped{sanitize.Text("Inconclusive: "+r.Judgement.Untested.English()+".", sanitize.MaxLine)},
		})
	}
	return out
}

// lines joins the lines that are not empty.
func lines(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n")
}

// seconds writes a duration in seconds with three decimals, without a unit.
func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Round(time.Millisecond).Seconds()) }
