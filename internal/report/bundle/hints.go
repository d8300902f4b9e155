package bundle

import (
	"regexp"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/shell"
	"lockstep/internal/timeline"
)

// hint is a remark about a run, and the command that helps.
type hint struct {
	Says    say.Phrase
	Command string
}

// maxHints limits the hints shown: more are noise.
const maxHints = 2

// Hints are the hints of a bundle, the most pressing first.
func Hints(b *Bundle) []hint {
	var out []hint
	for _, find := range []func(*Bundle) *hint{neverFired, unknownVerdict, remedy, longWaits, simulatedTwin} {
		if h := find(b); h != nil && h.Command != "" && len(out) < maxHints {
			out = append(out, *h)
		}
	}
	return out
}

func neverFired(b *Bundle) *hint {
	for i := range b.Runs {
		r := &b.Runs[i]
		for j := range r.Judgement.Faults {
			if f := &r.Judgement.Faults[j]; f.Times == 0 && !r.Judgement.Untested.Empty() {
				return &hint{whyNotFired(r, f), b.look("explain")}
			}
		}
	}
	return nil
}

func whyNotFired(r *Run, f *checker.FiredFault) say.Phrase {
	if planned, _ := faults.Of(f.Values); planned.Trigger.At > 0 && r.Timeline() != nil {
		for _, e := range r.Timeline().Each(history.Healed) {
			if planned.Trigger.At > time.Duration(e.At) {
				return say.DueTooLate.With(say.Number(f.Number), say.Seconds(e.At))
			}
		}
	}
	return say.Text("a fault never fired: this shows what happened instead of the moment it waited for")
}

// Remedy is the command that plays the remedy of the story, if a lock broke and none survives; ""
// for none.
func (b *Bundle) Remedy() string {
	if b.Plan == nil || b.Plan.Remedy == "" || b.Worst() < 0 {
		return ""
	}
	for i := range b.Runs {
		if j := &b.Runs[i].Judgement; !AnyBroken(&b.Runs[i]) || j.Impact() == checker.ImpactSafe {
			return ""
		}
	}
	return "simulate run " + shell.Word(b.Plan.Remedy)
}

func remedy(b *Bundle) *hint {
	if command := b.Remedy(); command != "" {
		return &hint{say.Text("what survives this"), command}
	}
	return nil
}

func unknownVerdict(b *Bundle) *hint {
	for i := range b.Runs {
		r := &b.Runs[i]
		if h := r.Judgement.History; h != nil && (h.Header.Entry == history.Unfollowed || h.Header.Entry == history.Unread) {
			continue // no seed can help
		}
		for _, f := range r.Judgement.Findings {
			if f.Verdict == checker.Unknown && r.Judgement.Untested.Empty() && r.Judgement.Letter == checker.LetterUnknown && b.Replay != "" {
				if !r.Judgement.Waited && b.Plan != nil && len(b.Plan.Clients) > 1 { // no seed makes clients overlap that are far apart
					return &hint{say.Text("clients that start together and work for longer have to wait for each other"), b.Replay + " --set workload.stagger=50ms --set workload.work=5s"}
				}
				return &hint{say.Text("a verdict is unknown: another seed may put it to the test"), seedOption.ReplaceAllString(b.Replay, "") + " --times 100"}
			}
		}
	}
	return nil
}

func longWaits(b *Bundle) *hint {
	for i := range b.Runs {
		r := &b.Runs[i]
		if r.Judgement.History == nil || AnyBroken(r) {
			continue
		}
		lease := r.Judgement.History.Header.Lease
		if wait := timeline.Quantile(r.Timeline().Measure().Lengths(), 99); lease > 0 && wait > lease {
			return &hint{say.WaitsLong.With(say.Verbatim(r.Lock), say.Measured(wait), say.Measured(lease)), b.look("explain")}
		}
	}
	return nil
}

var (
	seedOption = regexp.MustCompile(` --seed \S+`)
	realOption = regexp.MustCompile(` --(backend|scale|image) \S+`)
)

// simulatedTwin hints at the simulator, since a run on real servers cannot be repeated.
func simulatedTwin(b *Bundle) *hint {
	if history.Simulated(b.Backend) || b.Replay == "" || b.Plan != nil && len(b.Plan.Programs) > 0 {
		return nil
	}
	return &hint{say.Text("real servers repeat no run; the simulator plays the same story and repeats it byte for byte"), realOption.ReplaceAllString(b.Replay, "")}
}

// look is a command about the stored run; "" if it was not stored.
func (b *Bundle) look(command string) string {
	if b.RunDir == "" {
		return ""
	}
	return "simulate " + command + " " + shell.Word(strings.TrimSuffix(b.RunDir, "/"))
}
