package faults

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
)

// lab is a world that notes what verbs do, and a scheduler whose time a test moves.
type lab struct {
	World   // for methods that no test here needs
	now     time.Duration
	notes   []string
	primary string // the result of Resolve(ThePrimary); "" for the word itself
	later   []appointment
}

type appointment struct {
	at time.Duration
	f  func()
}

func (l *lab) note(format string, args ...any) {
	l.notes = append(l.notes, fmt.Sprintf("%v ", l.now)+fmt.Sprintf(format, args...))
}

func (l *lab) After(d time.Duration, f func()) {
	l.later = append(l.later, appointment{l.now + d, f})
}

// until runs everything that is due up to an instant.
func (l *lab) until(end time.Duration) {
	for {
		sort.SliceStable(l.later, func(i, j int) bool { return l.later[i].at < l.later[j].at })
		if len(l.later) == 0 || l.later[0].at > end {
			l.now = end
			return
		}
		next := l.later[0]
		l.later = l.later[1:]
		l.now = next.at
		next.f()
	}
}

func (l *lab) Resolve(node string) string {
	if node == ThePrimary && l.primary != "" {
		return l.primary
	}
	return node
}

func (l *lab) FaultBegan(int, string)                    {}
func (l *lab) FaultEnded(int, string)                    {}
func (l *lab) Freeze(f int, node string)                 { l.note("freeze %s (%d)", node, f) }
func (l *lab) Thaw(f int, node string)                   { l.note("thaw %s (%d)", node, f) }
func (l *lab) Crash(f int, node string)                  { l.note("crash %s (%d)", node, f) }
func (l *lab) LoseHost(f int, node string)               { l.note("lose host of %s (%d)", node, f) }
func (l *lab) DropCall(_ int, c Call, h Half)            { l.note("drop %v of %s's %s", h, c.Client, c.Command) }
func (l *lab) SlowWork(_ int, c string, d time.Duration) { l.note("slow %s by %v", c, d) }
func (l *lab) FailOver(int)                              { l.note("fail over") }
func (l *lab) Promote(int)                               { l.note("promote") }
func (l *lab) Restart(_ int, node string, down time.Duration) {
	l.note("restart %s after %v", node, down)
}

func (l *lab) Partition(_ int, from, to []string, both bool) {
	l.note("partition %v from %v, both ways: %v", from, to, both)
}
func (l *lab) HealPartition(f int)                            { l.note("heal partition %d", f) }
func (l *lab) JumpClock(_ int, node string, by time.Duration) { l.note("jump %s by %v", node, by) }
func (l *lab) DriftClock(_ int, node string, ppm int64)       { l.note("drift %s by %d ppm", node, ppm) }
func (l *lab) Evict(_ int, from string)                       { l.note("%s", strings.TrimSpace("evict "+from)) }
func (l *lab) Lag(_ int, by time.Duration)                    { l.note("lag %v", by) }
func (l *lab) DelayCall(_ int, c Call, h Half, d time.Duration) {
	l.note("delay %v of %s's %s by %v", h, c.Client, c.Command, d)
}

// fault builds a fault from the registry, with values for the first parameters of its verb.
func fault(verb, value string, t Trigger, end End, durations ...time.Duration) Fault {
	args := Args{Value: value, Durations: map[string]time.Duration{}, Choices: map[string]string{}}
	spec, _ := Lookup(verb)
	for i, d := range durations {
		args.Durations[spec.Params[i].Name] = d
	}
	return with(verb, args, t, end)
}

// play runs a script against an engine: "A acquires" reports a moment, "5s"
// moves time on, "heal" heals.
func play(t *testing.T, f Fault, script ...string) []string {
	t.Helper()
	l := &lab{}
	e := NewEngine([]Fault{f}, l, l)
	e.Start()
	for _, line := range script {
		if line == "heal" {
			e.Heal()
			continue
		}
		if d, err := time.ParseDuration(line); err == nil {
			l.until(d)
			continue
		}
		e.Observe(parseMoment(t, line))
	}
	return l.notes
}

func parseMoment(t *testing.T, line string) Moment {
	t.Helper()
	subject, phrase, _ := strings.Cut(line, " ")
	for _, p := range MomentPhrases() {
		before, after, onWire := strings.Cut(p.Text, "%s")
		rest, ok := strings.CutPrefix(phrase, before)
		if !ok || (!onWire && rest != "") || !strings.HasSuffix(rest, after) {
			continue
		}
		m := Moment{Kind: p.Kind, Subject: subject}
		if onWire {
			m.Call = Call{Client: subject, ID: 7, Command: strings.TrimSuffix(rest, after)}
		}
		return m
	}
	t.Fatalf("no moment %q", line)
	return Moment{}
}

// played is a fault with a script for play and the expected notes.
type played struct {
	name   string
	fault  Fault
	script []string
	want   []string
}

func playAll(t *testing.T, tests []played) {
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := play(t, tt.fault, tt.script...)
			if g, w := strings.Join(got, "\n"), strings.Join(tt.want, "\n"); g != w {
				t.Errorf("got:\n%s\nwant:\n%s", g, w)
			}
		})
	}
}

func TestEngine(t *testing.T) {
	once := func(k MomentKind, subject string) Trigger { return Trigger{Moment: k, Subject: subject, Nth: 1} }
	playAll(t, []played{
		{
			"an instant", fault("crash", "A", Trigger{At: 2 * time.Second}, End{}),
			[]string{"1s", "5s"}, []string{"2s crash A (1)"},
		},
		{
			"every so often, until healed", fault("pause", "A", Trigger{Every: 3 * time.Second}, End{For: time.Second}),
			[]string{"7s", "heal", "20s"},
			[]string{"3s freeze A (1)", "4s thaw A (1)", "6s freeze A (1)", "7s thaw A (1)"},
		},
		{
			"a moment of one client, once", fault("pause", "A", once(InSection, "A"), End{For: time.Second}),
			[]string{"B is in its critical section", "1s", "A is in its critical section", "5s", "A is in its critical section"},
			[]string{"1s freeze A (1)", "2s thaw A (1)"},
		},
		{
			"the second time", fault("crash", "B", Trigger{Moment: Acquires, Subject: AnyClient, Nth: 2}, End{}),
			[]string{"A acquires", "1s", "C acquires", "A acquires"}, []string{"1s crash B (1)"},
		},
		{
			"every time", fault("slow", "A", Trigger{Moment: Enters, Subject: "A"}, End{}, time.Minute),
			[]string{"A enters", "1s", "A enters"}, []string{"0s slow A by 1m0s", "1s slow A by 1m0s"},
		},
		{
			"a while after the moment", fault("crash", "A", Trigger{Moment: Enters, Subject: "A", Nth: 1, After: 40 * time.Millisecond}, End{}),
			[]string{"1s", "A enters", "2s"}, []string{"1.04s crash A (1)"},
		},
		{
			"the holder is the client that acquired last", fault("pause", TheHolder, Trigger{At: 5 * time.Second}, End{Forever: true}),
			[]string{"A acquires", "3s", "B acquires", "9s", "heal"}, []string{"5s freeze B (1)"},
		},
		{
			"the holder, and no client holds", fault("crash", TheHolder, Trigger{At: time.Second}, End{}),
			[]string{"2s"}, nil,
		},
		{
			"the next holder is not the first", fault("crash", "A", once(Acquires, NextHolder), End{}),
			[]string{"A acquires", "A acquires", "1s", "B acquires"}, []string{"1s crash A (1)"},
		},
		{
			"that client is the one that reached the moment", fault("crash", ThatClient, Trigger{Moment: Acquires, Subject: AnyClient, Nth: 2, After: time.Second}, End{}),
			[]string{"A acquires", "1s", "C acquires", "B acquires", "3s"}, []string{"2s crash C (1)"},
		},
		{
			"that client, and none was named before", fault("crash", ThatClient, Trigger{At: time.Second}, End{}),
			[]string{"A acquires", "2s"}, nil,
		},
		{
			"until a moment", fault("pause", "A", once(Enters, "A"), End{Until: &Trigger{Moment: Acquires, Subject: "B", Nth: 1}}),
			[]string{"B acquires", "A enters", "3s", "C acquires", "B acquires"}, []string{"0s freeze A (1)", "3s thaw A (1)"},
		},
		{
			"healed before its end, once", fault("pause", "A", once(Enters, "A"), End{For: time.Minute}),
			[]string{"A enters", "2s", "heal", "2m"}, []string{"0s freeze A (1)", "2s thaw A (1)"},
		},
		{
			"forever outlasts the healing", fault("pause", "A", once(Enters, "A"), End{Forever: true}),
			[]string{"A enters", "heal", "1h"}, []string{"0s freeze A (1)"},
		},
		{
			"nothing begins after the healing", fault("crash", "A", once(Enters, "A"), End{}),
			[]string{"heal", "A enters"}, nil,
		},
		{
			"one command of one client", fault("drop", "reply", Trigger{Moment: Sends, Subject: "A", Command: "DEL", Nth: 1}, End{}),
			[]string{"A sends SET", "B sends DEL", "A is about to send DEL", "A sends DEL"}, []string{"0s drop reply of A's DEL"},
		},
		{
			"one request, late", fault("delay", "request", Trigger{Moment: AboutToSend, Subject: "A", Command: "SET", Nth: 1}, End{}, 12*time.Second),
			[]string{"A is about to send SET"}, []string{"0s delay request of A's SET by 12s"},
		},
		{
			"in the second round of any client", fault("crash", "C", Trigger{Moment: Releases, Subject: AnyClient, Round: 2, Nth: 1}, End{}),
			[]string{"A starts waiting", "B starts waiting", "A releases", "1s", "B starts waiting", "A releases", "2s", "B releases", "3s", "B releases"},
			[]string{"2s crash C (1)"},
		},
		{
			"the second one of the first round", fault("crash", "C", Trigger{Moment: Sends, Subject: "A", Command: "SET", Round: 1, Nth: 2}, End{}),
			[]string{"A starts waiting", "A sends SET", "A starts waiting", "A sends SET", "A sends SET"}, nil,
		},
		{
			"a failover", fault("fail-over", "operator", once(Enters, "A"), End{}),
			[]string{"A enters"}, []string{"0s fail over"},
		},
		{
			"the second of any commands", fault("drop", "reply", Trigger{Moment: Sends, Subject: "A", Command: AnyCommand, Nth: 2}, End{}),
			[]string{"A sends SET", "B sends SET", "A is about to send GET", "A sends DEL", "A sends GET"}, []string{"0s drop reply of A's DEL"},
		},
	})
}

// Moments after another fault are counted without the one at which that fault began.
func TestAfterAnotherFault(t *testing.T) {
	one := fault("crash", "A", Trigger{Moment: InSection, Subject: "A", Nth: 1, After: 2 * time.Second}, End{})
	two := fault("crash", "B", Trigger{Moment: InSection, Subject: "B", AfterFault: 1, Nth: 2}, End{})
	two.Number = 2
	at := fault("crash", "C", Trigger{Moment: InSection, Subject: "A", AfterFault: 1, Nth: 1}, End{})
	at.Number = 3
	for _, tt := range []struct {
		first  time.Duration
		script string
		want   string
	}{
		{2 * time.Second, "B B A B 2s B A B B", "2s crash A (1)\n2s crash C (3)\n2s crash B (2)"},
		{0, "A B A B", "0s crash A (1)\n0s crash C (3)\n0s crash B (2)"},
		{0, "A B", "0s crash A (1)"},
		{2 * time.Second, "B B B A B B B", ""},
	} {
		l := &lab{}
		one.Trigger.After = tt.first
		e := NewEngine([]Fault{one, two, at}, l, l)
		e.Start()
		for _, word := range strings.Fields(tt.script) {
			if d, err := time.ParseDuration(word); err == nil {
				l.until(d)
				continue
			}
			e.Observe(Moment{Kind: InSection, Subject: word})
		}
		if got := strings.Join(l.notes, "\n"); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.script, got, tt.want)
		}
	}
}

// A trigger that counts from a fault follows the new number of that fault; if the fault is gone, it
// counts from the beginning.
func TestRenumbered(t *testing.T) {
	of := func(number, behind int) Fault {
		until := &Trigger{Moment: Wakes, Subject: "A", AfterFault: behind, Nth: 1}
		f := fault("pause", "A", Trigger{Moment: Enters, Subject: "A", AfterFault: behind, Nth: 1}, End{Until: until})
		f.Number, f.Line = number, 10*number
		return f
	}
	var got []string
	for _, f := range Renumbered([]Fault{of(2, 1), of(3, 2), of(3, 2), of(7, 3), of(9, 8)}) {
		got = append(got, fmt.Sprint(f.Number, f.Line, f.Trigger.AfterFault, f.End.Until.AfterFault, " ", f.Text))
	}
	want := []string{
		"1 20 0 0 pause A when A enters until A wakes",
		"2 30 1 1 pause A when A enters after fault 1 until A wakes after fault 1",
		"3 30 1 1 pause A when A enters after fault 1 until A wakes after fault 1",
		"4 70 2 2 pause A when A enters after fault 2 until A wakes after fault 2",
		"5 90 0 0 pause A when A enters until A wakes",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

// Wants is true for every moment on which Observe would act. Worlds ask it first, as reporting a
// moment is expensive.
func TestWantsWhatItObserves(t *testing.T) {
	drop := func(who, command string) Fault {
		return fault("drop", "reply", Trigger{Moment: Sends, Subject: who, Command: command, Nth: 1}, End{})
	}
	holders, any := drop(TheHolder, "unlock"), drop("A", AnyCommand)
	ends := fault("pause", "A", Trigger{At: time.Second}, End{Until: &Trigger{Moment: HasReply, Subject: "B", Command: "GET", Nth: 1}})
	for _, tt := range []struct {
		fault                Fault
		kind                 MomentKind
		who, command, script string
		want                 bool
	}{
		{holders, Sends, "A", "EVAL", "unlock", true},
		{holders, Sends, "A", "EVAL", "renew", false},
		{holders, HasReply, "A", "EVAL", "unlock", false},
		{holders, Acquires, "A", "", "", true}, // to know the holder
		{holders, Enters, "A", "", "", false},
		{any, Sends, "A", "TXN", "", true},
		{any, Sends, "A", "EVAL", "unlock", true},
		{any, HasReply, "A", "TXN", "", false},
		{any, Sends, "B", "TXN", "", false},
		{any, Acquires, "A", "", "", false},
		{ends, HasReply, "B", "GET", "", true},
		{ends, HasReply, "A", "GET", "", false},
		{ends, HasReply, "B", "SET", "", false},
		{ends, Sends, "B", "GET", "", false},
	} {
		l := &lab{}
		e := NewEngine([]Fault{tt.fault}, l, l)
		if got := e.Wants(tt.kind, tt.who, tt.command, tt.script); got != tt.want {
			t.Errorf("%s: Wants(%v, %q, %q, %q) = %v", tt.fault.Text, tt.kind, tt.who, tt.command, tt.script, got)
		}
	}
}

// All durations of a fault are scaled, for the verb as well as in the text; its other arguments
// stay.
func TestScaled(t *testing.T) {
	at, second := Trigger{At: time.Second}, End{For: time.Second}
	tenth := func(d time.Duration) time.Duration { return d / 10 }
	for want, f := range map[string]Fault{
		"delay reply by 1200ms when A sends SET": fault("delay", "reply",
			Trigger{Moment: Sends, Subject: "A", Command: "SET", Nth: 1}, End{}, 12*time.Second),
		"pause A for 500ms every 1s": fault("pause", "A", Trigger{Every: 10 * time.Second}, End{For: 5 * time.Second}),
		"pause A 100ms after A enters until A wakes": fault("pause", "A",
			Trigger{Moment: Enters, Subject: "A", Nth: 1, After: time.Second}, End{Until: &Trigger{Moment: Wakes, Subject: "A", Nth: 1}}),
		"jump-clock A by +200ms at 100ms":             with("jump-clock", Args{Value: "A", Durations: durations("by", 2*time.Second)}, at, End{}),
		"lag 200ms for 100ms at 100ms":                with("lag", Args{Durations: durations("", 2*time.Second)}, at, second),
		"drift-clock A rate +7ppm for 100ms at 100ms": with("drift-clock", Args{Value: "A", Rates: map[string]int64{"rate": 7}}, at, second),
		"partition A from store for 100ms at 100ms":   with("partition", Args{Sides: [][]string{{"A"}, {"store"}}}, at, second),
		"evict lock from redis-2 at 100ms":            with("evict", Args{Value: "lock", Choices: map[string]string{"from": "redis-2"}}, at, End{}),
	} {
		got := f.Scaled(tenth)
		if got.Text != want || !reflect.DeepEqual(got.Verb.(verb).args, got.Args) {
			t.Errorf("got %q, %+v, want %q", got.Text, got.Verb, want)
		}
	}
}

// When two faults of one verb overlap on one node, the end of one does not undo the other.
func TestOverlapsOnOneNode(t *testing.T) {
	const s = time.Second
	at := func(from, to time.Duration, verb, node string, ppm int64) Fault {
		spec, ok := Lookup(verb)
		if !ok {
			t.Fatalf("no verb %s", verb)
		}
		return Make(0, spec, Args{Value: node, Rates: map[string]int64{"rate": ppm}}, Trigger{At: from}, End{For: to - from})
	}
	for _, tt := range []struct {
		faults []Fault
		want   []string
	}{
		{[]Fault{at(1*s, 6*s, "pause", "A", 0), at(5*s, 15*s, "pause", "A", 0)}, []string{"1s freeze A", "5s freeze A", "15s thaw A"}},
		{[]Fault{at(1*s, 11*s, "pause", "A", 0), at(5*s, 8*s, "pause", "A", 0)}, []string{"1s freeze A", "5s freeze A", "11s thaw A"}},
		{[]Fault{at(1*s, 6*s, "pause", "A", 0), at(5*s, 8*s, "pause", "B", 0)}, []string{"1s freeze A", "5s freeze B", "6s thaw A", "8s thaw B"}},
		{[]Fault{at(1*s, 11*s, "drift-clock", "A", 50000), at(5*s, 8*s, "drift-clock", "A", -30000)},
			[]string{"1s drift A by 50000", "5s drift A by -30000", "8s drift A by 50000", "11s drift A by 0"}},
		// Of several remaining faults the one that began last counts.
		{[]Fault{at(1*s, 20*s, "drift-clock", "A", 50000), at(3*s, 15*s, "drift-clock", "A", -30000), at(5*s, 8*s, "drift-clock", "A", 20000)},
			[]string{"1s drift A by 50000", "3s drift A by -30000", "5s drift A by 20000", "8s drift A by -30000", "15s drift A by 50000", "20s drift A by 0"}},
	} {
		l := &lab{}
		for i := range tt.faults {
			tt.faults[i].Number = i + 1
		}
		NewEngine(tt.faults, l, l).Start()
		l.until(20 * s)
		ok := len(l.notes) == len(tt.want)
		for i := range tt.want {
			ok = ok && strings.HasPrefix(l.notes[i], tt.want[i])
		}
		if !ok {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(l.notes, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

// A fault has had an effect when the world says so and it was long enough to be noticed.
func TestWithoutEffect(t *testing.T) {
	begins := Trigger{Moment: InSection, Subject: "A"}
	drift := func(ppm int64, length time.Duration) Fault {
		spec, _ := Lookup("drift-clock")
		return Make(1, spec, Args{Value: "A", Rates: map[string]int64{"rate": ppm}}, begins, End{For: length})
	}
	tests := []struct {
		name  string
		fault Fault
		acts  bool
		want  string
	}{
		{"acts", fault("pause", "A", begins, End{For: time.Second}), true, "[]"},
		{"does not act", fault("pause", "A", begins, End{For: time.Second}), false, "[1]"},
		{"just long enough to be noticed", fault("pause", "A", begins, End{For: time.Millisecond}), true, "[]"},
		{"too short", fault("pause", "A", begins, End{For: time.Millisecond - 1}), true, "[1]"},
		{"too short a delay", fault("slow", "A", begins, End{}, time.Nanosecond), true, "[1]"},
		{"a step back", fault("jump-clock", "A", begins, End{}, -time.Hour), true, "[]"},
		{"a restart may take no time", fault("restart", "A", begins, End{}, 0), true, "[]"},
		{"a rate that changes a clock by 999 us", drift(-999, time.Second), true, "[1]"},
		{"a rate that changes a clock by 1 ms", drift(-1000, time.Second), true, "[]"},
		{"never began", fault("pause", "A", Trigger{Moment: InSection, Subject: "B"}, End{For: time.Second}), false, "[]"},
	}
	for _, tt := range tests {
		l := &lab{}
		e := NewEngine([]Fault{tt.fault}, l, l)
		e.Start()
		e.Observe(Moment{Kind: InSection, Subject: "A"})
		if tt.acts {
			e.Acted(1)
		}
		if got := fmt.Sprint(e.WithoutEffect(time.Millisecond)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// In a trigger, and for a fault at an instant, "that client" is the one whose moment triggered the
// latest fault.
func TestThatClientOfAnEarlierFault(t *testing.T) {
	pause := fault("pause", ThatClient, Trigger{Moment: Acquires, Subject: AnyClient, Nth: 2}, End{For: 5 * time.Second})
	hang := fault("slow", ThatClient, Trigger{Moment: Enters, Subject: ThatClient, Nth: 1}, End{}, time.Minute)
	crash := fault("crash", ThatClient, Trigger{At: 10 * time.Second}, End{})
	for i, f := range []*Fault{&pause, &hang, &crash} {
		f.Number = i + 1
	}
	l := &lab{}
	e := NewEngine([]Fault{pause, hang, crash}, l, l)
	e.Start()
	if !e.Wants(Enters, "B", "", "") {
		t.Error("no fault waits for the moment of that client")
	}
	for _, who := range []string{"A", "B"} {
		e.Observe(Moment{Kind: Acquires, Subject: who})
		e.Observe(Moment{Kind: Enters, Subject: "A"})
		e.Observe(Moment{Kind: Enters, Subject: who})
	}
	l.until(20 * time.Second)
	if got, want := strings.Join(l.notes, "; "), "0s freeze B (1); 0s slow B by 1m0s; 5s thaw B (1); 10s crash B (3)"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// WantsKind is false once no fault waits for a moment of the kind any more.
func TestAFaultThatHasBegunForTheLastTimeWaitsForNothing(t *testing.T) {
	on := func(kind MomentKind, nth int) Trigger { return Trigger{Moment: kind, Subject: "A", Nth: nth} }
	once := with("pause", Args{Value: "A"}, on(Enters, 2), End{For: time.Second})
	always := with("pause", Args{Value: "B"}, on(Releases, 0), End{For: time.Second})
	untilThen := with("pause", Args{Value: "A"}, on(StartsWaiting, 1), End{Until: &Trigger{Moment: Acquires, Subject: "B", Nth: 1}})
	for i, f := range []*Fault{&once, &always, &untilThen} {
		f.Number = i + 1
	}
	l := &lab{}
	e := NewEngine([]Fault{once, always, untilThen}, l, l)
	for _, step := range []struct {
		reached MomentKind
		wants   string
	}{
		{NoMoment, "starts enters releases acquires"}, {Enters, "starts enters releases acquires"}, {StartsWaiting, "enters releases acquires"},
		{Enters, "releases acquires"}, {Releases, "releases acquires"},
	} {
		if step.reached != NoMoment {
			e.Observe(Moment{Kind: step.reached, Subject: "A"})
		}
		got := ""
		for _, kind := range []struct {
			MomentKind
			name string
		}{{StartsWaiting, "starts"}, {Enters, "enters"}, {Releases, "releases"}, {Acquires, "acquires"}} {
			if e.WantsKind(kind.MomentKind) {
				got += " " + kind.name
			}
		}
		if got != " "+step.wants {
			t.Errorf("after %v it wants%s, not %s", step.reached, got, step.wants)
		}
	}
}

// When a moment ends a fault early, the timer of its end does not end the fault's next activation.
func TestALateTimerDoesNotEndTheNextActivation(t *testing.T) {
	f := fault("pause", "A", Trigger{Moment: Enters, Subject: "B"}, End{For: 5 * time.Second, Until: &Trigger{Moment: Acquires, Subject: "B", Nth: 1}})
	got := play(t, f, "B enters", "2s", "B acquires", "3s", "B enters", "6s", "20s")
	want := []string{"0s freeze A (1)", "2s thaw A (1)", "3s freeze A (1)", "8s thaw A (1)"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
