package faults

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/say"
)

// Every verb and every moment has words in both languages, and the Chinese has no English but
// names.
func TestEveryVerbAndMomentSpeaksChinese(t *testing.T) {
	english := regexp.MustCompile(`[a-z]{4,}`)
	check := func(f Fault) {
		t.Helper()
		sentence, action := f.Sentence(), f.Action()
		if left := english.FindString(sentence.In(say.Chinese)); left != "" || action.In(say.Chinese) == "" || sentence.English() == "" || action.English() == "" {
			t.Errorf("%s is %q in Chinese (%q, with %q of English)", f.Text, sentence.In(say.Chinese), action.In(say.Chinese), left)
		}
		stored, ok := Of(f.Values)
		for _, l := range []say.Language{say.English, say.Chinese} {
			if !ok || stored.Sentence().In(l) != sentence.In(l) || stored.Action().In(l) != action.In(l) {
				t.Errorf("%s came back from a history as %q, %q", f.Text, stored.Sentence().In(l), f.Values)
			}
		}
	}
	for _, spec := range All() {
		args := Args{Value: "A", Durations: map[string]time.Duration{}, Rates: map[string]int64{}, Choices: map[string]string{}}
		switch spec.Value.Kind {
		case ParamSides:
			args.Sides = [][]string{{"A", TheHolder}, {TheStore}}
		case ParamDuration:
			args.Durations[""] = 3 * time.Second
		case ParamChoice:
			args.Value = spec.Value.Choices[0]
		}
		if spec.Name == "fail-over" {
			args.Value = "X" // a word of the set-up that is not translated
		}
		for _, p := range spec.Params {
			switch p.Kind {
			case ParamDuration, ParamOffset:
				args.Durations[p.Name] = 1500 * time.Millisecond
			case ParamRate:
				args.Rates[p.Name] = 50_000
			default:
				args.Choices[p.Name] = "S"
			}
		}
		check(Make(1, spec, args, Trigger{At: time.Second}, End{For: 2 * time.Minute}))
	}
	pause, _ := Lookup("pause")
	for kind := NoMoment + 1; kind < momentCount; kind++ {
		trigger := Trigger{Moment: kind, Subject: AnyClient, Command: ItsAcquire, Nth: int(kind) % 3, After: time.Duration(kind%2) * time.Second}
		check(Make(1, pause, Args{Value: ThePrimary}, trigger, End{Until: &Trigger{Moment: Wakes, Subject: NextHolder, Nth: 1}}))
	}
	check(Make(1, pause, Args{Value: "A"}, Trigger{Every: time.Hour}, End{Forever: true}))
}

// Values of an unknown version are described by the fault's text.
func TestForeignValues(t *testing.T) {
	for stored, want := range map[history.Values]string{
		"":                               "the text",
		"7":                              "the text",
		`{}`:                             "the text",
		`{"verb":"?","value":"A"}`:       "the text",
		`{"verb":"cut","sides":[["A"]]}`: "the text",
		`{"verb":"pause","when":{"moment":"melts"}}`:                                                                         "the text",
		`{"verb":"pause","when":{"moment":""}}`:                                                                              "the text",
		`{"verb":"pause","value":"A","end":{"until":{}}}`:                                                                    "the text",
		`{"verb":"pause","value":"A","end":{"for_ns":1000000000}}`:                                                           "A pauses for 1 s at 0 s",
		`{"verb":"delay","when":{"moment":"sends %s","nth":-1},"more":1}`:                                                    "  arrives 0 s late",
		`{"verb":"jump-clock","value":"A","durations_ns":{"by":-9223372036854775808},"when":{"at_ns":-9223372036854775808}}`: "A's clock jumps back by 9223372036.854776 s at -9223372036.854776 s",
	} {
		must.Equalf(t, Sentence(stored, "the text").In(say.English), want, "%s is told as", stored)
	}
}

// Reports draw how long a fault acts: between two events of its node, which only a pause has, or as
// its Spec says.
func TestReportsKnowHowLongAVerbActs(t *testing.T) {
	for _, s := range All() {
		acts := slices.Contains([]ParamKind{ParamNode, ParamClient, ParamServer, ParamSides}, s.Value.Kind)
		if s.End != nil && acts && s.Acts == SpanOfEvents && s.Name != "pause" {
			t.Errorf("%s has an end, and no report draws it: set Acts in its Spec", s.Name)
		}
	}
}

// A parameter cannot have the name of a key that every fault has.
func TestAParameterIsNoKeyOfEachFault(t *testing.T) {
	for _, key := range Keys() {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, "give it another name") {
					t.Errorf("%s: %s", key, said)
				}
			}()
			spec, _ := Lookup("crash")
			spec.Name, spec.Params = "crash by "+key, []Param{{Name: key, Kind: ParamDuration}}
			Register(spec)
		}()
	}
}
