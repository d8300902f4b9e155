package runpage

import (
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

// questionsOf makes the questions of a bundle as the page does.
func questionsOf(t *testing.T, b *bundle.Bundle) []question {
	t.Helper()
	return newPage(b, storiesOf(b), &figure.Figure{}, richnesses[0], say.English).Questions
}

// rightOf returns the right answers of a question of a kind.
func rightOf(questions []question, kind string) (right []string, q question) {
	for _, q := range questions {
		if q.Kind != kind {
			continue
		}
		for _, a := range q.Answers {
			if a.Right {
				right = append(right, a.Text.English())
			}
		}
		return right, q
	}
	return nil, question{}
}

func TestNothingBroke(t *testing.T) {
	b := reporttest.Bundle()
	b.Runs = b.Runs[1:]
	for n := range b.Runs[0].Judgement.Findings {
		b.Runs[0].Judgement.Findings[n] = reporttest.Kept(b.Runs[0].Judgement.Findings[n].Property)
	}
	questions := questionsOf(t, b)
	right, q := rightOf(questions, kindNext)
	if len(right) != 1 || !strings.HasPrefix(right[0], "Nothing") {
		t.Errorf("right answers %q", right)
	}
	if !strings.Contains(q.Text.English(), "A freezes for 15 s") {
		t.Errorf("the question is not asked where the fault strikes: %q", q.Text.English())
	}
	if len(questions) != 1 {
		t.Errorf("%d questions: nothing failed, and there is no other lock", len(questions))
	}
	b.Runs[0].Judgement.Findings[2].Verdict = checker.Unknown
	if questions = questionsOf(t, b); len(questions) != 0 {
		t.Errorf("asks although the answer is unknown: %q", questions[0].Text.English())
	}
}

func TestNoLockHelps(t *testing.T) {
	b := reporttest.Bundle()
	b.Runs[0] = b.Runs[1]
	right, q := rightOf(questionsOf(t, b), kindHelped)
	if len(right) != 1 || right[0] != "None of them." || len(q.Answers) != 3 {
		t.Errorf("right answers %q of %d", right, len(q.Answers))
	}
}

// In the story of the pause, B gets the lock while A is frozen and thinks that it holds it; the
// script of the second lock leaves B's entry alone.
func TestAnswersComeFromTheFindings(t *testing.T) {
	questions := questionsOf(t, reporttest.Bundle())
	for kind, want := range map[string]string{
		kindNext:   "B and A are inside at the same time.",
		kindFailed: "A never pauses for longer than the rest of its lease.",
		kindHelped: "set-nx-lua",
	} {
		right, q := rightOf(questions, kind)
		if len(right) != 1 || right[0] != want {
			t.Errorf("%s right answers %q, want %q", kind, right, want)
		}
		if n := len(q.Answers); n < 2 || n > maxAnswers {
			t.Errorf("%s %d answers", kind, n)
		}
	}
	_, q := rightOf(questions, kindNext)
	if !strings.Contains(q.Text.English(), "The lease ends.") {
		t.Errorf("the question does not stop before the violation: %q", q.Text.English())
	}
	for _, a := range q.Answers {
		if a.Right && a.Step != 4 { // granted, frozen, lease over, B gets in
			t.Errorf("the answer leads to step %d, want 4", a.Step)
		}
		if strings.Contains(a.Text.English(), "takes away") && !strings.Contains(a.Why.English(), "Not yet: owner-only-release") {
			t.Errorf("a later violation is explained by %q", a.Why.English())
		}
	}
}

// However many locks are right, one answer is wrong.
func TestManyLocksLeaveAWrongAnswer(t *testing.T) {
	b := reporttest.Bundle()
	for range 6 {
		b.Runs = append(b.Runs, b.Runs[1])
	}
	right, q := rightOf(questionsOf(t, b), kindHelped)
	if len(right) != maxAnswers-1 || len(q.Answers) != maxAnswers {
		t.Errorf("%d right of %d answers", len(right), len(q.Answers))
	}
}
