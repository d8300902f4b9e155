package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// waited is a judged history in which B waits for so many milliseconds.
func waited(ms int64) checker.Judgement {
	w := reporttest.NewWriter("set-nx-lua", "A", "B")
	w.H.Header.Lease = 10_000_000
	w.Write(fmt.Sprintf("0 B waits; %dms B acquired; %dms B releasing", ms, ms+1))
	return checker.Judgement{History: w.H, Letter: checker.LetterSafe}
}

func TestHints(t *testing.T) {
	never := bundle.Run{Lock: "x", Judgement: waited(1)}
	never.Judgement.Untested = say.NeverFired.With(2, say.Both{English: "pause A"})
	never.Judgement.Faults = []checker.FiredFault{{Fault: history.Fault{Number: 2, Verb: "pause"}}}
	unknown := bundle.Run{Lock: "x", Judgement: checker.Judgement{Letter: checker.LetterUnknown, Findings: []checker.Finding{{Verdict: checker.Unknown}}}}
	long := bundle.Run{Lock: "x", Judgement: waited(25)}
	short := bundle.Run{Lock: "x", Judgement: waited(9)}
	broken := bundle.Run{Lock: "x", Judgement: waited(25)}
	broken.Judgement.Findings = []checker.Finding{{Property: checker.MutualExclusionID, Verdict: checker.Broken}}
	const replay = "simulate run a.yaml --seed 3"
	tests := []struct {
		name   string
		bundle bundle.Bundle
		want   []string // the commands
	}{
		{"nothing to say", bundle.Bundle{Backend: "sim", Replay: replay, RunDir: "reports/a/", Runs: []bundle.Run{short}}, nil},
		{"a fault that never fired", bundle.Bundle{Backend: "sim", Replay: replay, RunDir: "reports/a/", Runs: []bundle.Run{short, never}}, []string{"simulate explain reports/a"}},
		{"nothing was stored", bundle.Bundle{Backend: "sim", Replay: replay, Runs: []bundle.Run{never}}, nil},
		{"a strange directory", bundle.Bundle{Backend: "sim", RunDir: "my 'runs'; rm", Runs: []bundle.Run{never}}, []string{`simulate explain 'my '\''runs'\''; rm'`}},
		{"unknown", bundle.Bundle{Backend: "sim", Replay: replay, Runs: []bundle.Run{unknown}}, []string{"simulate run a.yaml --times 100"}},
		{"clients that are far apart", bundle.Bundle{Backend: "sim", Replay: replay, Plan: &plan.Plan{Clients: []string{"A", "B"}}, Runs: []bundle.Run{unknown}},
			[]string{replay + " --set workload.stagger=50ms --set workload.work=5s"}},
		{"long waits", bundle.Bundle{Backend: "sim", Replay: replay, RunDir: "reports/a", Runs: []bundle.Run{long}}, []string{"simulate explain reports/a"}},
		{"what broke comes first", bundle.Bundle{Backend: "sim", Replay: replay, RunDir: "reports/a", Runs: []bundle.Run{broken}}, nil},
		{"real servers", bundle.Bundle{Backend: "process", Replay: replay + " --backend process --scale 0.1", Runs: []bundle.Run{short}}, []string{replay}},
		{"two at most", bundle.Bundle{Backend: "process", Replay: replay, RunDir: "d", Runs: []bundle.Run{never, unknown, long}},
			[]string{"simulate explain d", "simulate run a.yaml --times 100"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, h := range bundle.Hints(&tt.bundle) {
				got = append(got, h.Command)
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A fault that was due after the end of the run waited for no moment.
func TestHintAboutAFaultThatWasDueTooLate(t *testing.T) {
	for due, want := range map[string]string{
		`{"at_ns":9000000}`:                   "fault 2 was due after the end of the run, at 0.008 s: this shows what happened until then",
		`{"at_ns":8000000}`:                   "a fault never fired: this shows what happened instead of the moment it waited for",
		`{"moment":"acquires","subject":"A"}`: "a fault never fired: this shows what happened instead of the moment it waited for",
	} {
		w := reporttest.NewWriter("set-nx-lua", "A")
		w.Write("0 A waits; 1ms A acquired; 2ms A releasing; 8ms S healed")
		values := history.Values(`{"verb":"pause","value":"A","when":` + due + `,"end":{"for_ns":1}}`)
		b := bundle.Bundle{Backend: "sim", RunDir: "reports/a", Runs: []bundle.Run{{Lock: "x", Judgement: checker.Judgement{
			History: w.H, Letter: checker.LetterUnknown, Untested: say.NothingPutToTest.With(),
			Faults: []checker.FiredFault{{Fault: history.Fault{Number: 2, Verb: "pause", Values: values}}},
		}}}}
		if got := bundle.Hints(&b)[0].Says.English(); got != want {
			t.Errorf("due %s: %q, want %q", due, got, want)
		}
	}
}

// The wrong answers leave out the assumption that failed, even if it is worded differently.
func TestAssumptionAboutTheSame(t *testing.T) {
	h := waited(1).History
	pause := bundle.AssumptionsOf(h, bundle.FaultSummaryOf(timeline.Of(h), timeline.Of(h).Measure()))[0]
	if !pause.About(say.NeverPausesLonger.With(say.Client("A"))) || pause.About(say.StoreClockIsRight.With()) {
		t.Error("the assumption about pauses is taken for another one")
	}
}
