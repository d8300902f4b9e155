package faults

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// with builds a fault from the registry with any arguments.
func with(verb string, a Args, t Trigger, end End) Fault {
	spec, ok := Lookup(verb)
	if !ok {
		panic("no verb " + verb)
	}
	return Make(1, spec, a, t, end)
}

func TestVerbs(t *testing.T) {
	enters := Trigger{Moment: Enters, Subject: "A", Nth: 1}
	for2s := End{For: 2 * time.Second}
	playAll(t, []played{
		{
			"two nodes apart", with("partition", Args{Sides: [][]string{{"A"}, {TheStore}}}, enters, for2s),
			[]string{"A enters", "3s"}, []string{"0s partition [A] from [store], both ways: true", "2s heal partition 1"},
		},
		{
			"three sides, each apart from each", with("partition", Args{Sides: [][]string{{"A"}, {"B"}, {"C", "redis-1"}}}, enters, for2s),
			[]string{"A enters"},
			[]string{
				"0s partition [A] from [B], both ways: true", "0s partition [A] from [C redis-1], both ways: true",
				"0s partition [B] from [C redis-1], both ways: true",
			},
		},
		{
			"the holder is looked up when the partition begins",
			with("partition", Args{Sides: [][]string{{TheHolder, ThePrimary}, {"C", TheReplicas}}}, Trigger{At: time.Second}, for2s),
			[]string{"A acquires", "B acquires", "2s", "C acquires", "5s"},
			[]string{"1s partition [B the primary] from [C replicas], both ways: true", "3s heal partition 1"},
		},
		{
			"no client holds", with("partition", Args{Sides: [][]string{{TheHolder}, {TheStore}}}, Trigger{At: time.Second}, for2s),
			[]string{"5s"}, nil,
		},
		{
			"the holder on both sides", with("cut", Args{Sides: [][]string{{TheHolder}, {"A"}}}, Trigger{At: time.Second}, for2s),
			[]string{"A acquires", "5s"}, nil,
		},
		{
			"one way", with("cut", Args{Sides: [][]string{{"A"}, {TheStore}}}, enters, for2s),
			[]string{"A enters", "heal"}, []string{"0s partition [A] from [store], both ways: false", "0s heal partition 1"},
		},
		{
			"a restart", with("restart", Args{Value: "redis-2", Durations: durations("down", 500*time.Millisecond)}, enters, End{}),
			[]string{"A enters"}, []string{"0s restart redis-2 after 500ms"},
		},
		{
			"a clock steps back", with("jump-clock", Args{Value: "B", Durations: durations("by", -12*time.Second)}, enters, End{}),
			[]string{"A enters"}, []string{"0s jump B by -12s"},
		},
		{
			"a clock runs fast for a while", with("drift-clock", Args{Value: ThePrimary, Rates: map[string]int64{"rate": 50_000}}, enters, for2s),
			[]string{"A enters", "3s"}, []string{"0s drift the primary by 50000 ppm", "2s drift the primary by 0 ppm"},
		},
		{
			"slow replication for a while", with("lag", Args{Durations: durations("", 3*time.Second)}, enters, for2s),
			[]string{"A enters", "3s"}, []string{"0s lag 3s", "2s lag 0s"},
		},
		{
			"the work hangs", with("hang", Args{Value: TheHolder}, enters, End{}),
			[]string{"A acquires", "A enters"}, []string{"0s slow A by 8760h0m0s"},
		},
		{
			"the entry is dropped", with("evict", Args{Value: "lock"}, enters, End{}),
			[]string{"A enters"}, []string{"0s evict"},
		},
		{
			"the entry is dropped on one server", with("evict", Args{Value: "lock", Choices: map[string]string{"from": "redis-2"}}, enters, End{}),
			[]string{"A enters"}, []string{"0s evict redis-2"},
		},
		{
			"a second primary", with("promote", Args{Value: "replica"}, enters, End{}),
			[]string{"A enters"}, []string{"0s promote"},
		},
	})
}

func durations(name string, d time.Duration) map[string]time.Duration {
	return map[string]time.Duration{name: d}
}

// The primary is looked up when a fault begins, and the end of the fault acts on the same server.
func TestThePrimaryIsLookedUpOnce(t *testing.T) {
	freeze := with("pause", Args{Value: ThePrimary}, Trigger{At: time.Second}, End{For: 5 * time.Second})
	split := with("partition", Args{Sides: [][]string{{"A", ThePrimary}, {"B"}}}, Trigger{At: 3 * time.Second}, End{For: time.Second})
	split.Number = 2
	l := &lab{primary: "redis-1"}
	NewEngine([]Fault{freeze, split}, l, l).Start()
	l.until(2 * time.Second)
	l.primary = "redis-2"
	l.until(9 * time.Second)
	want := "1s freeze redis-1 (1)\n3s partition [A redis-2] from [B], both ways: true\n4s heal partition 2\n6s thaw redis-1 (1)"
	if got := strings.Join(l.notes, "\n"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// Every verb and every moment has words in both languages, and the Chinese has no English but
// names.
func TestEveryVerbAndMomentSpeaksChinese(t *testing.T) {
	english := regexp.MustCompile(`[a-z]{4,}`)
	check := func(f Fault) {
		t.Helper()
		told, deed := f.Told(), f.Deed()
		if left := english.FindString(told.In(say.Chinese)); left != "" || deed.In(say.Chinese) == "" || told.English() == "" || deed.English() == "" {
			t.Errorf("%s is %q in Chinese (%q, with %q of English)", f.Text, told.In(say.Chinese), deed.In(say.Chinese), left)
		}
		stored, ok := Of(f.Values)
		for _, l := range []say.Language{say.English, say.Chinese} {
			if !ok || stored.Told().In(l) != told.In(l) || stored.Deed().In(l) != deed.In(l) {
				t.Errorf("%s came back from a history as %q, %q", f.Text, stored.Told().In(l), f.Values)
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

// Values of an unknown version are told by the fault's text.
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
		if got := Told(stored, "the text").In(say.English); got != want {
			t.Errorf("%s is told as %q, want %q", stored, got, want)
		}
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
