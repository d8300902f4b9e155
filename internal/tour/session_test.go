package tour

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/report/glossary"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

// take gives the tour to a learner who types these lines.
func take(t *testing.T, from string, o Options, typed ...string) string {
	t.Helper()
	lessons := allLessons(t)
	var out bytes.Buffer
	o.Out, o.Seed = &out, 1
	if len(typed) > 0 {
		o.Interactive, o.In = true, strings.NewReader(strings.Join(typed, "\n")+"\n")
	}
	if o.Language == "" {
		o.Language = say.English
	}
	if o.Width == 0 {
		o.Width = 80
	}
	var start *Lesson
	if from != "" {
		start = Find(lessons, from)
	}
	must.Do(t, Take(context.Background(), lessons, start, o))
	return out.String()
}

func TestGolden(t *testing.T) {
	for _, l := range []say.Language{say.English, say.Chinese} {
		reporttest.Golden(t, "pause."+string(l)+".golden", []byte(take(t, "pause", Options{Language: l})))
	}
}

// No line is wider than the page, in columns. Commands are not broken, so that they can
// be copied; on a page of 80 columns they fit.
func TestWidth(t *testing.T) {
	for _, l := range []say.Language{say.English, say.Chinese} {
		r := say.RulerFor(l)
		for _, width := range []int{80, minWidth, 20} {
			for _, line := range strings.Split(take(t, "", Options{Language: l, Width: width}), "\n") {
				command := strings.HasPrefix(line, "  $ ") && width < 80
				if got := r.Width(line); got > max(width, minWidth) && !command {
					t.Errorf("%s, %d columns: %d: %s", l, width, got, line)
				}
			}
		}
	}
}

// Colours change nothing else, and there are none unless wanted.
func TestColor(t *testing.T) {
	escape := regexp.MustCompile("\x1b\\[[0-9]+m")
	for _, l := range []say.Language{say.English, say.Chinese} {
		with, without := take(t, "", Options{Language: l, Color: true}), take(t, "", Options{Language: l})
		if strings.Contains(without, "\x1b") {
			t.Errorf("%s: escapes without colours", l)
		}
		if !escape.MatchString(with) {
			t.Errorf("%s: no colours at all", l)
		}
		bare := escape.ReplaceAllString(with, "")
		blank := regexp.MustCompile(`(?m) +$`) // a painted cell keeps its padding
		if blank.ReplaceAllString(bare, "") != without {
			t.Errorf("%s: colours change the text", l)
		}
	}
}

func TestWithoutATerminal(t *testing.T) {
	all := take(t, "", Options{})
	for _, l := range allLessons(t) {
		if !strings.Contains(all, l.Title.English+"\n===") {
			t.Errorf("lesson %s is missing", l.Name)
		}
	}
	reporttest.Lacks(t, all, "[Enter]") // it waits for no key
	reporttest.Has(t, all, "What you saw")
	one := take(t, "4", Options{})
	reporttest.Has(t, one, "Lesson 4 of", "simulate tour 5")
	reporttest.Lacks(t, one, "Lesson 5")
	if take(t, "two-commands", Options{}) != one {
		t.Error("the name and the number of a lesson differ")
	}
}

// A term is explained where it first occurs, and only there.
func TestTermsAreExplainedOnce(t *testing.T) {
	all := take(t, "", Options{})
	for _, term := range glossary.All() {
		if n := strings.Count(all, "\n  "+term.English.Name+": "); n != 1 && !term.Page {
			t.Errorf("%s is explained %d times", term.ID, n)
		}
	}
	reporttest.Has(t, take(t, "pause", Options{}), "\n  lease: ") // lesson 5
}

func TestQuietShowsVerdictsOnly(t *testing.T) {
	got := take(t, "fence", Options{Quiet: true})
	reporttest.Has(t, got, "no-stale-write")
	reporttest.Lacks(t, got, "Story", "Words")
}

func TestKeys(t *testing.T) {
	tests := []struct {
		name     string
		from     string
		typed    []string
		want     []string // in this order
		unwanted string
	}{
		{
			"quit at once", "", []string{"q"},
			[]string{"17 lessons", "[Enter] lesson 1", "What you saw", "You have not seen a run yet.", "simulate tour 1"}, "Lesson 1",
		},
		{
			"a right answer", "pause", []string{"", "3", "q"},
			[]string{"Story", "[Enter] go on", "Predict", "[1-3] your answer", "You predicted 3, and so it is: The resource takes it", "1 of 1 right"}, "Step by step",
		},
		{
			"a wrong answer", "pause", []string{"", "1", "q"},
			[]string{"You predicted 1. The run shows 3:", "The lease ended while A stood still", "0 of 1 right", "simulate tour 6"}, "",
		},
		{"no answer", "pause", []string{"", "", "q"}, []string{"The run shows 3:", "set-nx-ex-del"}, "predicted"},
		{
			"a changed mind", "pause", []string{"", "1", "b", "3", "q"},
			[]string{"You predicted 1.", "Predict", "You predicted 3, and so", "1 of 1 right"}, "",
		},
		{"an unknown key", "pause", []string{"x", "7", "q"}, []string{"There is no such key here."}, "Predict"},
		{"an answer that does not exist", "pause", []string{"", "9", "2", "q"}, []string{"There is no such key here.", "You predicted 2."}, ""},
		{"choose from the list", "", []string{"15", "q"}, []string{"Lesson 15 of 17: The fence"}, "Lesson 1 of"},
		{"choose by name", "", []string{"fence", "q"}, []string{"Lesson 15 of 17: The fence"}, "Lesson 1 of"},
		{"a lesson that does not exist", "", []string{"18", "q"}, []string{"There is no such key here."}, "Lesson"},
		{"back to the list", "crash", []string{"b", "b", "b", "l", "q"}, []string{"Lesson 3", "Remember", "One switch", "17 lessons"}, ""},
		{"the first page goes back to the list", "1", []string{"b", "b", "q"}, []string{"Lesson 1", "17 lessons", "17 lessons"}, ""},
		{"on to the next lesson", "15", []string{"", "", "", "", "", "", "", "q"}, []string{"Lesson 15", "Remember", "Lesson 16"}, ""},
		{
			"the end", "17", []string{"", "", "", "", "", "", ""},
			[]string{"Lesson 17", "Your own lock", "simulate new adapter mylock --in go", "[Enter] end", "What you saw", "the lessons from the start"}, "Lesson 18",
		},
		{"the input ends", "pause", []string{""}, []string{"Predict", "What you saw"}, "The run"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := take(t, tt.from, Options{}, tt.typed...)
			rest := got
			for _, want := range tt.want {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Fatalf("%q is missing, or not in its place, in\n%s", want, got)
				}
				rest = after
			}
			if tt.unwanted != "" && strings.Contains(got, tt.unwanted) {
				t.Errorf("%q is in\n%s", tt.unwanted, got)
			}
		})
	}
}

// Ctrl-C is heard while the tour waits for a key.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	in, _ := io.Pipe() // no key is ever typed
	ended := make(chan error, 1)
	go func() {
		ended <- Take(ctx, allLessons(t), nil, Options{Language: say.English, Width: 80, Interactive: true, In: in, Out: io.Discard})
	}()
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it still waits")
	}
}

func TestFind(t *testing.T) {
	lessons := allLessons(t)
	for word, want := range map[string]string{"1": "lock", "2": "setnx", "17": "own", "Fence": "fence", "0": "", "18": "", "": "", "fense": ""} {
		got := ""
		if l := Find(lessons, word); l != nil {
			got = l.Name
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}
