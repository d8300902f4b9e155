package report

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// MaxSummary is how large a summary may become, in bytes. GitHub takes 1 MiB for
// all summaries of one step and 65,536 characters for a comment.
const MaxSummary = 60_000

// summarySteps is how many steps of one lock a summary tells.
const summarySteps = 24

// Summary writes a bundle in GitHub's Markdown, for a pull request or the
// summary of a step: the verdicts first, what is not as expected, how to see it
// again, and folded up what happened with each lock. It has at most limit bytes,
// or MaxSummary if that is less; what does not fit is left out and named.
func Summary(b *Bundle, limit int) []byte {
	if limit <= 0 || limit > MaxSummary {
		limit = MaxSummary
	}
	s := &summary{b: b, limit: limit - summaryReserve}
	s.head()
	s.table()
	s.problems()
	s.again()
	s.stories()
	s.faults()
	return s.finish()
}

// summaryReserve is room for the line that says what was left out.
const summaryReserve = 200

type summary struct {
	b     *Bundle
	limit int
	out   strings.Builder
	left  []string // sections that did not fit
}

// section adds a piece of the summary if it fits, else notes its name.
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

// head is the title with the outcome, and what was played.
func (s *summary) head() {
	outcome := s.b.outcome()
	text := fmt.Sprintf("### %s: %s\n\n", markdown(clean(s.b.title(say.English), 120)), outcome)
	length := seconds3(int64(s.b.simulated())) + " s"
	if history.Simulated(s.b.Backend) {
		length += " simulated"
	}
	text += fmt.Sprintf("seed %d, %s, %s, history %s\n\n", s.b.Seed, markdown(clean(s.b.Backend, maxName)), length, code(clean(s.b.Hash, 64)))
	s.section("the title", text)
}

// outcome is the worst of how the runs went.
func (b *Bundle) outcome() string {
	for _, word := range []string{notAsExpected, inconclusive, asExpected} {
		if slices.ContainsFunc(b.Runs, func(r Run) bool { return r.outcome() == word }) {
			return word
		}
	}
	return nothingExpected
}

// table is lock by property.
func (s *summary) table() {
	properties := s.properties()
	var t strings.Builder
	t.WriteString("| lock |")
	for _, p := range properties {
		t.WriteString(" " + markdown(clean(p, maxName)) + " |")
	}
	t.WriteString(" outcome |\n|---|" + strings.Repeat("---|", len(properties)) + "---|\n")
	for i := range s.b.Runs {
		r := &s.b.Runs[i]
		t.WriteString("| " + markdown(clean(r.Lock, maxName)) + " |")
		for _, p := range properties {
			t.WriteString(" " + VerdictText(r.finding(p), say.English) + " |")
		}
		letter := string(r.Judgement.Letter)
		if letter == "" {
			letter = "-"
		}
		t.WriteString(" " + markdown(clean(letter, maxName)) + " |\n")
	}
	s.section("the table of verdicts", t.String()+"\n")
}

// properties lists what any of the runs was judged by.
func (s *summary) properties() []string {
	var all []string
	seen := map[string]bool{}
	for i := range s.b.Runs {
		for _, id := range Properties(s.b.Runs[i].Judgement.Findings) {
			if !seen[id] {
				seen[id] = true
				all = append(all, id)
			}
		}
	}
	return all
}

// problems lists what is not as expected or not known.
func (s *summary) problems() {
	var list strings.Builder
	item := func(text ...string) {
		list.WriteString("- " + markdown(strings.Join(text, " ")) + "\n")
	}
	for i := range s.b.Runs {
		r := &s.b.Runs[i]
		if r.Judgement.History == nil {
			item(clean(r.Lock, maxName) + ": there is no history to judge.")
			continue
		}
		for _, c := range s.b.cases(r) {
			if c.state == stateMissed || c.state == stateUnknown && c.expected != "" {
				item(strings.TrimSpace(c.sentence() + " " + c.missed()))
			}
		}
		if !r.Untested.Empty() {
			item(clean(r.Lock+": inconclusive: "+r.Untested.English()+".", maxLine))
		}
	}
	if list.Len() > 0 {
		s.section("what is not as expected", list.String()+"\n")
	}
}

// again is the command that plays the run again.
func (s *summary) again() {
	if s.b.Replay != "" {
		s.section("the replay line", fenced("sh", clean(s.b.Replay, maxProse))+"\n")
	}
}

// stories tells, folded up, what happened with each lock that broke.
func (s *summary) stories() {
	for i := range s.b.Runs {
		r := &s.b.Runs[i]
		h := r.Judgement.History
		if h == nil || !anyBroken(r) {
			continue
		}
		steps, before, after := storyOf(&r.Judgement, summarySteps)
		lock := clean(r.Lock, maxName)
		var text strings.Builder
		text.WriteString("<details><summary>" + htmlText(clean(explain.Verdict(r.Judgement).English(), maxLine)) + "</summary>\n\n")
		if before > 0 {
			fmt.Fprintf(&text, "%d earlier steps are left out.\n\n", before)
		}
		text.WriteString("| time | what happens | belief | store |\n|---:|---|---|---|\n")
		for _, step := range steps {
			sentence := markdown(clean(step.Sentence.English(), maxLine))
			if step.Violation {
				sentence = "**" + sentence + "**"
			}
			if !step.Note.Empty() {
				sentence += "<br>" + markdown(clean(step.Note.English(), maxLine))
			}
			fmt.Fprintf(&text, "| %s | %s | %s | %s |\n", step.At, sentence, markdown(clean(step.Belief.English(), 120)), markdown(clean(step.Store.English(), 120)))
		}
		if after > 0 {
			fmt.Fprintf(&text, "\n%d later steps are left out.\n", after)
		}
		if f := explain.Assumption(h, r.Judgement.Findings, s.b.lag(h)); f.Proved() {
			fmt.Fprintf(&text, "\nAssumed: %s In fact: %s\n", markdown(clean(f.Assumed.English(), maxLine)), markdown(clean(f.Formula.English(), maxLine)))
		}
		text.WriteString("\n</details>\n\n")
		s.section("the steps of "+markdown(lock), text.String())
	}
}

// faults lists, folded up, which faults fired.
func (s *summary) faults() {
	var list strings.Builder
	for i := range s.b.Runs {
		r := &s.b.Runs[i]
		for _, f := range r.Judgement.Faults {
			times := fmt.Sprintf("fired %dx", f.Times)
			switch {
			case f.InVain:
				times += ", no effect"
			case f.Times == 0:
				times = "never fired"
			}
			fmt.Fprintf(&list, "| %s | %d | %s | %s |\n", markdown(clean(r.Lock, maxName)), f.Number, markdown(clean(f.Text, 200)), times)
		}
	}
	if list.Len() > 0 {
		s.section("the faults", "<details><summary>Faults</summary>\n\n| lock | fault | what | fired |\n|---|---:|---|---|\n"+list.String()+"\n</details>\n")
	}
}
