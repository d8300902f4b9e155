package tour

import (
	"context"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/glossary"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
	"lockstep/scenarios"
)

func allLessons(t testing.TB) []*Lesson {
	t.Helper()
	lessons := must.Get(Lessons())(t)
	if len(lessons) < 10 {
		t.Fatalf("%d lessons, at least 10 lead from SETNX to fencing", len(lessons))
	}
	return lessons
}

// texts are all written texts of a lesson, by place.
func (l *Lesson) texts() map[string]Text {
	all := map[string]Text{
		"title": l.Title, "story": l.Story, "question": l.Predict.Text, "see": l.See,
		"switch": l.Switch.Text, "remember": l.Remember,
	}
	for i, step := range l.Own {
		if i == 0 || step.Text != (Text{}) {
			all["own "+string(rune('1'+i))] = step.Text
		}
	}
	for i, a := range l.Predict.Answers {
		all["answer "+string(rune('1'+i))] = a.Text
		if a.Why != (Text{}) {
			all["why not "+string(rune('1'+i))] = a.Why
		}
	}
	return all
}

func TestLessonsAreWhole(t *testing.T) {
	for _, l := range allLessons(t) {
		for where, text := range l.texts() {
			if strings.TrimSpace(text.English) == "" || strings.TrimSpace(text.Chinese) == "" {
				t.Errorf("%s: the %s is missing in a language", l.Name, where)
			}
		}
		if n := len(l.Predict.Answers); n < 2 || n > 4 {
			t.Errorf("%s has %d answers, want 2 to 4", l.Name, n)
		}
		for i, a := range l.Predict.Answers {
			if len(a.When) == 0 {
				t.Errorf("%s: answer %d can never be right", l.Name, i+1)
			}
		}
		for _, r := range []*Run{&l.Run, &l.Switch.Run} {
			if r.Steps < 4 || len(r.Claims) == 0 {
				t.Errorf("%s: %s shows %d steps and claims %d verdicts", l.Name, r.Lock, r.Steps, len(r.Claims))
			}
			for property := range r.Claims {
				if _, ok := checker.Lookup(property); !ok {
					t.Errorf("%s: there is no property %q", l.Name, property)
				}
			}
			for _, kind := range r.Hide {
				if _, ok := history.ParseKind(kind); !ok {
					t.Errorf("%s: there is no kind of event %q", l.Name, kind)
				}
			}
		}
		for _, name := range l.More {
			if _, err := fs.Stat(scenarios.Files, "lessons/"+name+".yaml"); err != nil {
				t.Errorf("%s: there is no scenario %q", l.Name, name)
			}
		}
	}
}

// With any seed, the verdicts are those that the texts claim, no other property breaks, and the
// same single answer is right.
func TestWhatTheLessonsSayComesTrue(t *testing.T) {
	seeds := uint64(20)
	if testing.Short() {
		seeds = 3
	}
	for _, l := range allLessons(t) {
		var usual []int
		for seed := uint64(1); seed <= seeds; seed++ {
			s, err := perform(context.Background(), l, seed)
			if err != nil {
				t.Fatalf("%s, seed %d: %v", l.Name, seed, err)
			}
			holds(t, l, s.first, seed)
			holds(t, l, s.second, seed)
			right, err := l.Predict.Right(s.first)
			if err != nil || len(right) != 1 {
				t.Errorf("%s, seed %d: the right answers are %v (%v), want one", l.Name, seed, right, err)
			}
			if usual = append(usual, right...); !slices.Equal(right, usual[:1]) {
				t.Errorf("%s, seed %d: answer %v is right, with seed 1 it is %v", l.Name, seed, right, usual[0])
			}
			if a, b := bundle.BrokenCount(&s.first.judged), bundle.BrokenCount(&s.second.judged); a > 0 && a <= b || a == b {
				t.Errorf("%s, seed %d: the switch improves nothing", l.Name, seed)
			}
			for i, a := range l.Predict.Answers {
				if wrong := !slices.Contains(right, i); wrong != (a.Why != (Text{})) {
					t.Errorf("%s, seed %d: answer %d is wrong: %v, and says why: %q", l.Name, seed, i+1, wrong, a.Why.English)
				}
			}
		}
	}
}

func holds(t *testing.T, l *Lesson, p *Played, seed uint64) {
	t.Helper()
	for _, f := range p.Judgement.Findings {
		claimed := p.Run.Claims[f.Property]
		if claimed == "" && f.Verdict == checker.Broken {
			t.Errorf("%s, %s, seed %d: %s is broken, and the lesson does not mention it", l.Name, p.Run.Lock, seed, f.Property)
		}
		if claimed != "" && claimed != string(f.Verdict) {
			t.Errorf("%s, %s, seed %d: %s is %s, the lesson says %s. %s", l.Name, p.Run.Lock, seed, f.Property, f.Verdict, claimed, f.Reason.English())
		}
	}
	for _, f := range p.Judgement.Faults {
		if f.Times == 0 {
			t.Errorf("%s, %s, seed %d: never fired: %s", l.Name, p.Run.Lock, seed, f.Text)
		}
	}
}

func TestMeets(t *testing.T) {
	tests := []struct {
		value, condition string
		want             bool
	}{
		{"broken", "broken", true},
		{"unknown", "kept", false},
		{"0", "0", true},
		{"10", "1", false},
		{"0", "> 0", false},
		{"1", "> 0", true},
		{"10.036s", ">= 1s", true},
		{"1s", "< 1s", false},
		{"999ms", "< 1s", true},
		{"never", ">= 1s", false},
		{"never", "< 1s", false},
		{"never", "never", true},
	}
	for _, tt := range tests {
		if got, err := meets(tt.value, tt.condition); err != nil || got != tt.want {
			t.Errorf("%q meets %q: got %v (%v), want %v", tt.value, tt.condition, got, err, tt.want)
		}
	}
	for _, bad := range []string{"~ 3", "> many"} {
		if _, err := meets("1", bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// Sentences are short enough for a beginner.
func TestSentencesAreShort(t *testing.T) {
	ends := regexp.MustCompile(`[.?!:](?:\s|$)`)
	stops := regexp.MustCompile(`[。？！：；]`)
	check := func(where, text, zh string) {
		for _, s := range ends.Split(text, -1) {
			if n := len(strings.Fields(s)); n > 20 {
				t.Errorf("%s: %d words: %s", where, n, s)
			}
		}
		for _, s := range stops.Split(zh, -1) {
			if n := utf8.RuneCountInString(s); n > 48 {
				t.Errorf("%s: %d characters: %s", where, n, s)
			}
		}
	}
	for _, l := range allLessons(t) {
		for where, text := range l.texts() {
			check(l.Name+", "+where, text.English, text.Chinese)
		}
	}
	for _, term := range glossary.All() {
		check("glossary", term.English.Meaning, term.Chinese.Meaning)
	}
}

// The value that the learner is asked for turns the verdict of the lesson's run.
func TestTheLearnersValueTurnsTheVerdict(t *testing.T) {
	for _, l := range allLessons(t) {
		if len(l.Yours.Reach) != 1 {
			t.Errorf("%s: %v is not one property", l.Name, l.Yours.Reach)
		}
		data := must.Get(scenarios.Files.ReadFile("lessons/" + l.Run.Scenario + ".yaml"))(t)
		verdict := func(property, lock string, changes ...scenario.Change) string {
			p, err := scenario.Parse(l.Run.Scenario+".yaml", data, changes...)
			if err != nil {
				t.Fatalf("%s: %v", l.Name, err)
			}
			w := sim.New()
			defer w.Close()
			out := run.One(t.Context(), w, p, lock, 1)
			return string(out.Judgement.Finding(property).Verdict)
		}
		for property, want := range l.Yours.Reach {
			first, then := verdict(property, l.Run.Lock), ""
			if l.Yours.Change == lockKey {
				then = verdict(property, l.Yours.To)
			} else {
				then = verdict(property, l.Run.Lock, scenario.Change{Key: l.Yours.Change, Value: l.Yours.To})
			}
			if first == want || then != want {
				t.Errorf("%s: %s is %s, and with %s %s; want %s", l.Name, property, first, l.Yours.To, then, want)
			}
		}
	}
}
