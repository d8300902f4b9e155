package export

import (
	"cmp"
	"fmt"
	"strings"

	"lockstep/internal/explain"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// MaxSummary limits the size of a summary in bytes. GitHub accepts 1 MiB for all summaries of one
// step and 65,536 characters for a comment.
const MaxSummary = 60_000

// summarySteps limits the steps of one lock in a summary.
const summarySteps = 24

// Summary writes a bundle in GitHub's Markdown, for a pull request or the summary of a step: the
// verdicts, what is not as expected, the replay command, and, folded, the story of each lock. It
// has at most limit bytes, or MaxSummary if that is less; it names the sections that do not fit.
func Summary(b *bundle.Bundle, limit int) []byte {
	if limit <= 0 || limit > MaxSummary {
		limit = MaxSummary
	}
	s := &summary{b: b, limit: limit - summaryReserve}
	s.head()
	s.table()
	s.problems()
	if b.Replay != "" {
		s.section("the replay line", fenced("sh", sanitize.Text(b.Replay, sanitize.MaxProse))+"\n")
	}
	s.stories()
	s.faults()
	return s.finish()
}

// summaryReserve is room for the line about what was left out.
const summaryReserve = 200

type summary struct {
	b     *bundle.Bundle
	limit int
	out   strings.Builder
	left  []string // sections that did not fit
}

// section adds a section if it fits, else notes its name.
func (s *summary) section(name, text string) {
	if s.out.Len()+len(text) > s.limit {
		s.left = append(s.left, name)
		return
	}
	s.out.WriteString(text)
}

func (s *summary) finish() []byte {
	if n := len(s.left); n > 0 {
		names := strings.Join(s.left[:min(n, 3)], ", ")
		if n > 3 {
			names = fmt.Sprintf("%s and %d more", names, n-3)
		}
		line := "\nLeft out, to stay small: " + names + ". The run directory has all of it.\n"
		if s.out.Len()+len(line) <= s.limit+summaryReserve {
			s.out.WriteString(line)
		}
	}
	return []byte(s.out.String())
}

func (s *summary) head() {
	outcome := s.b.Outcome()
	text := fmt.Sprintf("### %s: %s\n\n", markdown(sanitize.Text(s.b.Title(say.English), 120)), outcome)
	length := seconds(s.b.Simulated()) + " s"
	if history.Simulated(s.b.Backend) {
		length += " simulated"
	}
	text += fmt.Sprintf("seed %d, %s, %s, history %s\n\n", s.b.Seed, markdown(sanitize.Text(s.b.Backend, sanitize.MaxName)), length, code(sanitize.Text(s.b.Hash, 64)))
	s.section("the title", text)
}

func (s *summary) table() {
	properties := s.b.Properties()
	var t strings.Builder
	t.WriteString("| lock |")
	for _, p := range properties {
		t.WriteString(" " + markdown(sanitize.Text(p, sanitize.MaxName)) + " |")
	}
	t.WriteString(" outcome |\n|---|" + strings.Repeat("---|", len(properties)) + "---|\n")
	for i := range s.b.Runs {
		r := &s.b.Runs[i]
		t.WriteString("| " + markdown(sanitize.Text(r.Lock, sanitize.MaxName)) + " |")
		for _, p := range properties {
			t.WriteString(" " + bundle.VerdictText(r.Finding(p), say.English) + " |")
		}
		letter := cmp.Or(string(r.Judgement.Letter), "-")
		if bundle.AnyBroken(r) {
			letter += ", " + r.Judgement.Impact().Word().English()
		}
		t.WriteString(" " + markdown(sanitize.Text(letter, sanitize.MaxLine)) + " |\n")
	}
	s.section("the table of verdicts", t.String()+"\n")
}

// problems lists what is not as expected or unknown.
func (s *summary) problems() {
	var list strings.Builder
	item := func(text ...string) {
		list.WriteString("- " + markdown(strings.Join(text, " ")) + "\n")
	}
	for i := range s.b.Runs {
		r := &s.b.Runs[i]
		if r.Judgement.History == nil {
			item(sanitize.Text(r.Lock, sanitize.MaxName) + ": there is no history to judge.")
			continue
		}
		for _, c := range r.Cases() {
			if c.State == bundle.StateMissed || c.State == bundle.StateUnknown && c.Expected != "" {
				item(strings.TrimSpace(c.Sentence() + " " + c.Missed()))
			}
		}
		if !r.Judgement.Untested.Empty() {
			item(sanitize.Text(r.Lock+": inconclusive: "+r.Judgement.Untested.English()+".", sanitize.MaxLine))
		}
	}
	if list.Len() > 0 {
		s.section("what is not as expected", list.String()+"\n")
	}
}

func (s *summary) stories() {
	for i := range s.b.Runs {
		r := &s.b.Runs[i]
		h := r.Judgement.History
		if h == nil || !bundle.AnyBroken(r) {
			continue
		}
		steps, before, after := bundle.StoryOf(r, summarySteps)
		lock := sanitize.Text(r.Lock, sanitize.MaxName)
		var text strings.Builder
		text.WriteString("<details><summary>" + htmlText(sanitize.Text(explain.Verdict(r.Timeline(), &r.Judgement).English(), sanitize.MaxLine)) + "</summary>\n\n")
		if before > 0 {
			fmt.Fprintf(&text, "%d earlier steps are left out.\n\n", before)
		}
		text.WriteString("| time | what happens | belief | store |\n|---:|---|---|---|\n")
		for _, step := range steps {
			if step.Skipped > 0 {
				fmt.Fprintf(&text, "| | *%s* | | |\n", markdown(say.StepsLeftOut.With(say.Grouped(step.Skipped)).English()))
			}
			sentence := markdown(sanitize.Text(step.Sentence.English(), sanitize.MaxLine))
			if step.Violation {
				sentence = "**" + sentence + "**"
			}
			if !step.Note.Empty() {
				sentence += "<br>" + markdown(sanitize.Text(step.Note.English(), sanitize.MaxLine))
			}
			fmt.Fprintf(&text, "| %s | %s | %s | %s |\n", step.At, sentence, markdown(sanitize.Text(step.Belief.English(), 120)), markdown(sanitize.Text(step.Store.English(), 120)))
		}
		if after > 0 {
			fmt.Fprintf(&text, "\n%d later steps are left out.\n", after)
		}
		if f := explain.Assumption(r.Timeline(), r.Judgement.Findings, s.b.Lag(h)); f.Proved() {
			fmt.Fprintf(&text, "\nAssumed: %s In fact: %s\n", markdown(sanitize.Text(f.Assumed.English(), sanitize.MaxLine)), markdown(sanitize.Text(f.Formula.English(), sanitize.MaxLine)))
		}
		text.WriteString("\n</details>\n\n")
		s.section("the steps of "+markdown(lock), text.String())
	}
}

func (s *summary) faults() {
	var list strings.Builder
	for i := range s.b.Runs {
		r := &s.b.Runs[i]
		for _, f := range r.Judgement.Faults {
			times := fmt.Sprintf("fired %dx", f.Times)
			switch {
			case f.NoEffect:
				times += ", no effect"
			case f.Times == 0:
				times = "never fired"
			}
			fmt.Fprintf(&list, "| %s | %d | %s | %s |\n", markdown(sanitize.Text(r.Lock, sanitize.MaxName)), f.Number, markdown(sanitize.Text(faults.Sentence(f.Values, f.Text).In(say.English), 200)), times)
		}
	}
	if list.Len() > 0 {
		s.section("the faults", "<details><summary>Faults</summary>\n\n| lock | fault | what | fired |\n|---|---:|---|---|\n"+list.String()+"\n</details>\n")
	}
}
