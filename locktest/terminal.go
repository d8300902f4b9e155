package locktest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/bubble"
	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/terminal"
	"lockstep/internal/run"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
	"lockstep/internal/shell"
)

// reportsDir is where reports go, below the folder of the test.
const reportsDir = "lockstep-reports"

// judge reports the errors of a run, and returns whether it was as expected.
func (s *suite) judge(t *testing.T, p *plan.Plan, r *result) bool {
	t.Helper()
	if r.left != "" && !s.reportedLeft && !r.owes() {
		s.reportedLeft = true
		t.Logf("goroutines of the lock were still there when its run was over: give Client.Cleanup what ends them\n%s", r.left)
	}
	switch status := r.Status(); {
	case len(r.notes.Missed) > 0:
		t.Errorf("%s", r.unmodelled())
	case status == run.Missed, s.wrongly(p, r) != "":
		t.Errorf("%s", s.failed(t, p, r))
	case status == run.Inconclusive && slices.Contains(s.untested, p.Slug):
		t.Logf("untested, as the test allows: %s", r.why().English())
		s.tally.untested = append(s.tally.untested, p.Slug)
		return true
	case status == run.Inconclusive:
		t.Errorf("inconclusive: %s", r.advise(p.Slug))
	default:
		return true
	}
	return false
}

// unmodelled is the sentence of a run in which the lock has sent what the models do not have.
func (r *result) unmodelled() string {
	return fmt.Sprintf("unknown: the lock has sent what the model of its store does not have (%s), so what it did then is no evidence",
		strings.Join(r.notes.Missed, ", "))
}

// owes reports whether a client died, which leaves its goroutines behind.
func (r *result) owes() bool {
	return slices.ContainsFunc(r.Judgement.History.Events, func(e history.Event) bool {
		return e.Kind == history.Crashed
	})
}

// wrongly returns the sign in a run that fails the test independently of properties, or "". A lock
// that is known to remove other clients' entries in this story may extend them, too.
func (s *suite) wrongly(p *plan.Plan, r *result) string {
	switch {
	case r.signs.token != "":
		return r.signs.token
	case r.signs.unasked != "" && !slices.Contains(s.untested, rehearsal):
		return "untested: " + r.signs.unasked
	case r.signs.long != "" && !slices.Contains(s.untested, rehearsal):
		return "untested: " + r.signs.long
	case r.signs.foreign != "" && !slices.Contains(s.broken(p.Slug), OwnerOnlyRelease):
		return r.signs.foreign
	case r.signs.alarm != "" && len(s.broken(p.Slug)) == 0 && len(p.Clocks) == 0: // a wrong clock may end a lease at once
		return r.signs.alarm
	case r.signs.hushed != "" && !slices.Contains(s.untested, p.Slug):
		return fmt.Sprintf("%s. If yours has no error to return: locktest.MayBeUntested(%q)", r.signs.hushed, p.Slug)
	case slices.Contains(s.broken(p.Slug), Progress):
		return ""
	}
	return r.signs.dead
}

// advise says why a run is inconclusive, and what to do.
func (r *result) advise(slug string) string {
	why := r.why().English() + "."
	for _, cause := range []string{r.signs.left, r.signs.stayed, r.signs.later} {
		if cause != "" {
			why += " " + cause + "."
		}
	}
	if property := r.unknown(); r.Untested().Empty() && property != MutualExclusion {
		return fmt.Sprintf("%s is unknown: %s Change the story, or do without the property: locktest.Unjudged(%q).", property, why, property)
	}
	return why + " " + allowUntested(slug)
}

func allowUntested(slug string) string {
	return fmt.Sprintf("A run that tested nothing is no success: change the story, or allow it with locktest.MayBeUntested(%q).", slug)
}

// unknown returns the first expected property with an unknown verdict; mutual exclusion if none
// has.
func (r *result) unknown() string {
	name := MutualExclusion
	for _, e := range slices.Backward(r.Expected) {
		if e.Got == checker.Unknown {
			name = e.Property
		}
	}
	return name
}

// why says why a run is inconclusive.
func (r *result) why() say.Phrase {
	if why := r.Untested(); !why.Empty() {
		return why
	}
	for _, e := range r.Expected {
		if f := r.Judgement.Finding(e.Property); !e.Met() && !f.Reason.Empty() {
			return f.Reason
		}
	}
	return r.Judgement.WhyUnknown()
}

// failed is the message of a failed run: the expectations, the story, and how to go on.
func (s *suite) failed(t *testing.T, p *plan.Plan, r *result) string {
	var lines []string
	switch wrong := s.wrongly(p, r); wrong {
	case "":
	case r.signs.dead:
		lines = append(lines, wrong+r.firstError())
	default:
		lines = append(lines, wrong+".")
	}
	overlaps := r.Judgement.Finding(MutualExclusion).Verdict == checker.Broken
	for _, e := range r.Expected {
		switch {
		case e.Met(), overlaps && !s.fenced && slices.Contains(follows, e.Property):
		case e.Got == checker.Unknown:
			lines = append(lines, fmt.Sprintf("%s is unknown: %s.", e.Property, r.Judgement.Finding(e.Property).Reason.English()))
		case e.Verdict == "kept":
			lines = append(lines, fmt.Sprintf("%s is %s. If you know and accept that: locktest.Breaks(%q, %q).", e.Property, e.Got, p.Slug, e.Property))
		case !slices.Contains(s.broken(p.Slug), e.Property):
			lines = append(lines, fmt.Sprintf("%s is %s, and the story says that every lock breaks it.", e.Property, e.Got))
		default:
			lines = append(lines, fmt.Sprintf("%s is %s, and the test says that it breaks: if the lock has become better, take that out of locktest.Breaks(%q).", e.Property, e.Got, p.Slug))
		}
	}
	for _, cause := range []string{r.signs.left, r.signs.renewed, r.signs.stayed} {
		if cause != "" {
			lines = append(lines, cause+".")
		}
	}
	lines = append(lines, "", s.terminalReport(p, r))
	dir, err := s.store(t, p, r)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		lines = append(lines, err.Error())
	} else {
		lines = append(lines, "report  "+filepath.Join(dir, "report.html"))
	}
	lines = append(lines, "again   "+again(t, r.Seed))
	if !bubble.Seeded() {
		lines = append(lines, "        Go's own scheduler has taken part, so the seed alone may not repeat it: `simulate test` does, and the report has the whole history.")
	}
	return strings.Join(lines, "\n")
}

// terminalReport returns the story of a run as `simulate run` prints it.
func (s *suite) terminalReport(p *plan.Plan, r *result) string {
	return terminal.Report(s.bundle(p, r, ""), terminal.Options{Width: 68}) // 80 columns less the indentation of go test
}

func (s *suite) bundle(p *plan.Plan, r *result, replay string) *bundle.Bundle {
	return bundle.Of(s.result(p, r), replay, "")
}

// result is a run for the packages of reports. The lock is not registered, so its plan has it.
func (s *suite) result(p *plan.Plan, r *result) *run.Result {
	known := *p
	own := locks.Variant{ID: s.name, Store: s.servers.Store}
	own.Servers.Nodes = s.servers.Nodes
	known.Programs = []locks.Variant{own}
	return &run.Result{Plan: &known, Backend: history.Bubble, Seed: r.Seed, Outcomes: []run.Outcome{r.Outcome}}
}

// again returns the command that repeats a test.
func again(t *testing.T, seed uint64) string {
	var names []string
	for part := range strings.SplitSeq(t.Name(), "/") {
		names = append(names, "^"+regexp.QuoteMeta(part)+"$")
	}
	pattern, where := shell.Word(strings.Join(names, "/")), shell.Word(tested())
	if bubble.Seeded() {
		return fmt.Sprintf("simulate test --seed %d %s -- -run %s", seed, where, pattern)
	}
	return fmt.Sprintf("%s=%d go test -run %s %s", seedVariable, seed, pattern, where)
}

// tested is the import path of the package under test, since `go test ./...` runs it in another
// folder than the user's; "." if the binary does not say it.
func tested() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		if path, is := strings.CutSuffix(info.Path, ".test"); is && path != "command-line-arguments" {
			return path
		}
	}
	return "."
}

// unfitForFiles matches characters that a file name should not have.
var unfitForFiles = regexp.MustCompile(`[^a-z0-9]+`)

// store writes the report of a run below the folder of the test and returns its directory.
func (s *suite) store(t *testing.T, p *plan.Plan, r *result) (string, error) {
	root := os.Getenv(reportsVariable)
	if root == "" {
		root = reportsDir
	}
	slug := strings.Trim(unfitForFiles.ReplaceAllString(strings.ToLower(t.Name()), "-"), "-")
	b := s.bundle(p, r, again(t, r.Seed))
	own := &runstore.Own{Store: s.servers.Store, Nodes: s.servers.Nodes, Again: again(t, r.Seed)}
	err := runstore.Keep(root, runstore.Dir(root, slug, r.Seed, time.Now()), s.result(p, r), b, nil, say.English, runstore.Env{
		Version: "locktest", Own: own,
	})
	return b.RunDir, err
}
