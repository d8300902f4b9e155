package faults_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/must"
	"lockstep/internal/scenario/scenariotest"
)

// lab is a world that notes what verbs do, and a scheduler whose time a test moves.
type lab struct {
	faults.World // for methods that no test here needs
	now          time.Duration
	notes        []string
	primary      string // the result of Resolve(ThePrimary); "" for the word itself
	later        []appointment
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
	if node == faults.ThePrimary && l.primary != "" {
		return l.primary
	}
	return node
}

func (l *lab) FaultBegan(int, string)      {}
func (l *lab) FaultEnded(int, string)      {}
func (l *lab) Freeze(f int, node string)   { l.note("freeze %s (%d)", node, f) }
func (l *lab) Thaw(f int, node string)     { l.note("thaw %s (%d)", node, f) }
func (l *lab) Crash(f int, node string)    { l.note("crash %s (%d)", node, f) }
func (l *lab) LoseHost(f int, node string) { l.note("lose host of %s (%d)", node, f) }
func (l *lab) DropCall(_ int, c faults.Call, h faults.Half) {
	l.note("drop %v of %s's %s", h, c.Client, c.Command)
}
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
func (l *lab) DelayCall(_ int, c faults.Call, h faults.Half, d time.Duration) {
	l.note("delay %v of %s's %s by %v", h, c.Client, c.Command, d)
}

// read reads faults as a file of three clients lists them.
func read(t *testing.T, texts ...string) []faults.Fault {
	t.Helper()
	return scenariotest.Story(t, "set-nx-lua", append([]string{"clients=[A, B, C]", "servers.redis.replicas=2"}, texts...)...).Faults
}

// play runs a script against an engine, and returns the notes: "A acquires" reports a moment, "5s"
// moves time on, "heal" heals.
func play(t *testing.T, list []faults.Fault, script string) string {
	t.Helper()
	l := &lab{}
	e := faults.NewEngine(list, l, l)
	e.Start()
	for _, line := range strings.Split(script, "; ") {
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
	return strings.Join(l.notes, "; ")
}

func parseMoment(t *testing.T, line string) faults.Moment {
	t.Helper()
	subject, phrase, _ := strings.Cut(line, " ")
	for _, p := range faults.MomentPhrases() {
		before, after, onWire := strings.Cut(p.Text, "%s")
		rest, ok := strings.CutPrefix(phrase, before)
		if !ok || (!onWire && rest != "") || !strings.HasSuffix(rest, after) {
			continue
		}
		m := faults.Moment{Kind: p.Kind, Subject: subject}
		if onWire {
			m.Call = faults.Call{Client: subject, ID: 7, Command: strings.TrimSuffix(rest, after)}
		}
		return m
	}
	t.Fatalf("no moment %q", line)
	return faults.Moment{}
}

func TestEngine(t *testing.T) {
	const every = "A is in its critical section; "
	for _, tt := range []struct{ name, fault, script, want string }{
		{"an instant", "at: 2s, crash: A", "1s; 5s", "2s crash A (1)"},
		{"every so often, until healed", "every: 3s, pause: A, for: 1s", "7s; heal; 20s",
			"3s freeze A (1); 4s thaw A (1); 6s freeze A (1); 7s thaw A (1)"},
		{"a moment of one client, once", "when: A is in its critical section, pause: A, for: 1s",
			"B is in its critical section; 1s; " + every + "5s; A is in its critical section", "1s freeze A (1); 2s thaw A (1)"},
		{"the second time", "when: any client acquires the 2nd time, crash: B", "A acquires; 1s; C acquires; A acquires", "1s crash B (1)"},
		{"every time", "when: A enters every time, slow: A, by: 1m", "A enters; 1s; A enters", "0s slow A by 1m0s; 1s slow A by 1m0s"},
		{"a while after the moment", "when: A enters, after: 40ms, crash: A", "1s; A enters; 2s", "1.04s crash A (1)"},
		{"the holder is the client that acquired last", "at: 5s, pause: the holder, forever: true", "A acquires; 3s; B acquires; 9s; heal", "5s freeze B (1)"},
		{"the holder, and no client holds", "at: 1s, crash: the holder", "2s", ""},
		{"the next holder is not the first", "when: the next holder acquires, crash: A", "A acquires; A acquires; 1s; B acquires", "1s crash A (1)"},
		{"that client is the one that reached the moment", "when: any client acquires the 2nd time, after: 1s, crash: that client",
			"A acquires; 1s; C acquires; B acquires; 3s", "2s crash C (1)"},
		{"until a moment", "when: A enters, pause: A, until: B acquires", "B acquires; A enters; 3s; C acquires; B acquires", "0s freeze A (1); 3s thaw A (1)"},
		{"healed before its end, once", "when: A enters, pause: A, for: 1m", "A enters; 2s; heal; 2m", "0s freeze A (1); 2s thaw A (1)"},
		{"forever outlasts the healing", "when: A enters, pause: A, forever: true", "A enters; heal; 1h", "0s freeze A (1)"},
		{"nothing begins after the healing", "when: A enters, crash: A", "heal; A enters", ""},
		{"one command of one client", "when: A sends DEL, drop: reply",
			"A sends SET; B sends DEL; A is about to send DEL; A sends DEL", "0s drop reply of A's DEL"},
		{"one request, late", "when: A is about to send SET, delay: request, by: 12s", "A is about to send SET", "0s delay request of A's SET by 12s"},
		{"in the second round of any client", "when: any client releases in its 2nd round, crash: C",
			"A starts waiting; B starts waiting; A releases; 1s; B starts waiting; A releases; 2s; B releases; 3s; B releases", "2s crash C (1)"},
		{"the second one of the first round", "when: A sends SET in its 1st round the 2nd time, crash: C",
			"A starts waiting; A sends SET; A starts waiting; A sends SET; A sends SET", ""},
		{"a failover", "when: A enters, fail-over: operator", "A enters", "0s fail over"},
		{"the second of any commands", "when: A sends any command the 2nd time, drop: reply",
			"A sends SET; B sends SET; A is about to send GET; A sends DEL; A sends GET", "0s drop reply of A's DEL"},

		{"two nodes apart", "when: A enters, partition: [A, store], for: 2s", "A enters; 3s",
			"0s partition [A] from [store], both ways: true; 2s heal partition 1"},
		{"three sides, each apart from each", "when: A enters, partition: [A, B, [C, redis-1]], for: 2s", "A enters",
			"0s partition [A] from [B], both ways: true; 0s partition [A] from [C redis-1], both ways: true; " +
				"0s partition [B] from [C redis-1], both ways: true"},
		{"the holder is looked up when the partition begins", "at: 1s, partition: [[the holder, the primary], [C, replicas]], for: 2s",
			"A acquires; B acquires; 2s; C acquires; 5s", "1s partition [B the primary] from [C replicas], both ways: true; 3s heal partition 1"},
		{"no client holds", "at: 1s, partition: [the holder, store], for: 2s", "5s", ""},
		{"the holder on both sides", "at: 1s, cut: [the holder, A], for: 2s", "A acquires; 5s", ""},
		{"one way", "when: A enters, cut: [A, store], for: 2s", "A enters; heal",
			"0s partition [A] from [store], both ways: false; 0s heal partition 1"},
		{"a restart", "when: A enters, restart: redis-2, down: 500ms", "A enters", "0s restart redis-2 after 500ms"},
		{"a clock steps back", "when: A enters, jump-clock: B, by: -12s", "A enters", "0s jump B by -12s"},
		{"a clock runs fast for a while", "when: A enters, drift-clock: the primary, rate: +5%, for: 2s", "A enters; 3s",
			"0s drift the primary by 50000 ppm; 2s drift the primary by 0 ppm"},
		{"slow replication for a while", "when: A enters, lag: 3s, for: 2s", "A enters; 3s", "0s lag 3s; 2s lag 0s"},
		{"the work hangs", "when: A enters, hang: the holder", "A acquires; A enters", "0s slow A by 8760h0m0s"},
		{"the entry is dropped", "when: A enters, evict: lock", "A enters", "0s evict"},
		{"the entry is dropped on one server", "when: A enters, evict: lock, from: redis-2", "A enters", "0s evict redis-2"},
		{"a second primary", "when: A enters, promote: replica", "A enters", "0s promote"},
	} {
		must.Equalf(t, play(t, read(t, tt.fault), tt.script), tt.want, "%s", tt.name)
	}
	nameless := read(t, "when: A acquires, crash: that client")
	nameless[0].Trigger = faults.Trigger{At: time.Second} // which no file may say
	must.Equalf(t, play(t, nameless, "A acquires; 2s"), "",
		"that client, and none was named before")
}

// Moments after another fault are counted without the one at which that fault began.
func TestAfterAnotherFault(t *testing.T) {
	for _, tt := range []struct{ after, script, want string }{
		{"2s", "B B A B 2s B A B B", "2s crash A (1); 2s crash C (3); 2s crash B (2)"},
		{"0s", "A B A B", "0s crash A (1); 0s crash C (3); 0s crash B (2)"},
		{"0s", "A B", "0s crash A (1)"},
		{"2s", "B B B A B B B", ""},
	} {
		list := read(t, "when: A is in its critical section, after: "+tt.after+", crash: A",
			"when: B is in its critical section after fault 1 the 2nd time, crash: B",
			"when: A is in its critical section after fault 1, crash: C")
		script := strings.NewReplacer("A", "A is in its critical section", "B", "B is in its critical section", " ", "; ").Replace(tt.script)
		must.Equalf(t, play(t, list, script), tt.want, "%s", tt.script)
	}
}

// A trigger that counts from a fault follows the new number of that fault; if the fault is gone, it
// counts from the beginning.
func TestRenumbered(t *testing.T) {
	pause := read(t, "when: A enters, pause: A, until: A wakes")[0]
	of := func(number, behind int) faults.Fault {
		f, until := pause, *pause.End.Until
		f.Trigger.AfterFault, until.AfterFault = behind, behind
		f.Number, f.Line, f.End.Until = number, 10*number, &until
		return f
	}
	var got []string
	for _, f := range faults.Renumbered([]faults.Fault{of(2, 1), of(3, 2), of(3, 2), of(7, 3), of(9, 8)}) {
		got = append(got, fmt.Sprint(f.Number, f.Line, f.Trigger.AfterFault, f.End.Until.AfterFault, " ", f.Text))
	}
	want := []string{
		"1 20 0 0 pause A when A enters until A wakes",
		"2 30 1 1 pause A when A enters after fault 1 until A wakes after fault 1",
		"3 30 1 1 pause A when A enters after fault 1 until A wakes after fault 1",
		"4 70 2 2 pause A when A enters after fault 2 until A wakes after fault 2",
		"5 90 0 0 pause A when A enters until A wakes",
	}
	must.Equal(t, strings.Join(got, "\n"), strings.Join(want, "\n"))
}

// Wants is true for every moment on which Observe would act. Worlds ask it first, as reporting a
// moment is expensive.
func TestWantsWhatItObserves(t *testing.T) {
	const holders, any = "when: the holder sends unlock, drop: reply", "when: A sends any command, drop: reply"
	const ends = "at: 1s, pause: A, until: B has the reply of GET"
	for _, tt := range []struct {
		fault                string
		kind                 faults.MomentKind
		who, command, script string
		want                 bool
	}{
		{holders, faults.Sends, "A", "EVAL", "unlock", true},
		{holders, faults.Sends, "A", "EVAL", "renew", false},
		{holders, faults.HasReply, "A", "EVAL", "unlock", false},
		{holders, faults.Acquires, "A", "", "", true}, // to know the holder
		{holders, faults.Enters, "A", "", "", false},
		{any, faults.Sends, "A", "TXN", "", true},
		{any, faults.Sends, "A", "EVAL", "unlock", true},
		{any, faults.HasReply, "A", "TXN", "", false},
		{any, faults.Sends, "B", "TXN", "", false},
		{any, faults.Acquires, "A", "", "", false},
		{ends, faults.HasReply, "B", "GET", "", true},
		{ends, faults.HasReply, "A", "GET", "", false},
		{ends, faults.HasReply, "B", "SET", "", false},
		{ends, faults.Sends, "B", "GET", "", false},
	} {
		l := &lab{}
		e := faults.NewEngine(read(t, tt.fault), l, l)
		must.Equalf(t, e.Wants(tt.kind, tt.who, tt.command, tt.script), tt.want,
			"%s: Wants(%v, %q, %q, %q)", tt.fault, tt.kind, tt.who, tt.command, tt.script)
	}
}

// All durations of a fault are scaled, for the verb as well as in the text; its other arguments
// stay.
func TestScaled(t *testing.T) {
	for text, want := range map[string]string{
		"when: A sends SET, delay: reply, by: 12s":            "delay reply by 1200ms when A sends SET",
		"every: 10s, pause: A, for: 5s":                       "pause A for 500ms every 1s",
		"when: A enters, after: 1s, pause: A, until: A wakes": "pause A 100ms after A enters until A wakes",
		"at: 1s, jump-clock: A, by: +2s":                      "jump-clock A by +200ms at 100ms",
		"at: 1s, lag: 2s, for: 1s":                            "lag 200ms for 100ms at 100ms",
		"at: 1s, drift-clock: A, rate: +7ppm, for: 1s":        "drift-clock A rate +7ppm for 100ms at 100ms",
		"at: 1s, partition: [A, store], for: 1s":              "partition A from store for 100ms at 100ms",
		"at: 1s, evict: lock, from: redis-2":                  "evict lock from redis-2 at 100ms",
	} {
		got := read(t, text)[0].Scaled(func(d time.Duration) time.Duration { return d / 10 })
		must.Equalf(t, got.Text, want, "%s is scaled to", text)
	}
}

// When two faults of one verb overlap on one node, the end of one does not undo the other.
func TestOverlapsOnOneNode(t *testing.T) {
	const fast, slow = ", drift-clock: A, rate: +5%, for: ", ", drift-clock: A, rate: -3%, for: "
	for _, tt := range []struct {
		faults []string
		want   string
	}{
		{[]string{"at: 1s, pause: A, for: 5s", "at: 5s, pause: A, for: 10s"}, "1s freeze A (1); 5s freeze A (2); 6s freeze A (2); 15s thaw A (2)"},
		{[]string{"at: 1s, pause: A, for: 10s", "at: 5s, pause: A, for: 3s"}, "1s freeze A (1); 5s freeze A (2); 8s freeze A (1); 11s thaw A (1)"},
		{[]string{"at: 1s, pause: A, for: 5s", "at: 5s, pause: B, for: 3s"}, "1s freeze A (1); 5s freeze B (2); 6s thaw A (1); 8s thaw B (2)"},
		{[]string{"at: 1s" + fast + "10s", "at: 5s" + slow + "3s"},
			"1s drift A by 50000 ppm; 5s drift A by -30000 ppm; 8s drift A by 50000 ppm; 11s drift A by 0 ppm"},
		// Of several remaining faults the one that began last counts.
		{[]string{"at: 1s" + fast + "19s", "at: 3s" + slow + "12s", "at: 5s, drift-clock: A, rate: +2%, for: 3s"},
			"1s drift A by 50000 ppm; 3s drift A by -30000 ppm; 5s drift A by 20000 ppm; " +
				"8s drift A by -30000 ppm; 15s drift A by 50000 ppm; 20s drift A by 0 ppm"},
	} {
		must.Equalf(t, play(t, read(t, tt.faults...), "20s"), tt.want, "%q", tt.faults)
	}
}

// A fault has had an effect when the world says so and it was long enough to be noticed.
func TestWithoutEffect(t *testing.T) {
	const begins = "when: A is in its critical section every time, "
	for _, tt := range []struct {
		name, fault string
		acts        bool
		want        string
	}{
		{"acts", begins + "pause: A, for: 1s", true, "[]"},
		{"does not act", begins + "pause: A, for: 1s", false, "[1]"},
		{"just long enough to be noticed", begins + "pause: A, for: 1ms", true, "[]"},
		{"too short", begins + "pause: A, for: 999999ns", true, "[1]"},
		{"too short a delay", begins + "slow: A, by: 1ns", true, "[1]"},
		{"a step back", begins + "jump-clock: A, by: -1h", true, "[]"},
		{"a restart may take no time", begins + "restart: A, down: 0s", true, "[]"},
		{"never began", "when: B is in its critical section, pause: A, for: 1s", false, "[]"},
	} {
		l := &lab{}
		e := faults.NewEngine(read(t, tt.fault), l, l)
		e.Start()
		e.Observe(faults.Moment{Kind: faults.InSection, Subject: "A"})
		if tt.acts {
			e.Acted(1)
		}
		must.Equalf(t, fmt.Sprint(e.WithoutEffect(time.Millisecond)), tt.want, "%s", tt.name)
	}
}

// On a side, "that client" is named as its moment names it.
func TestASideNamesThatClient(t *testing.T) {
	for moment, want := range map[string]string{
		"A acquires":          "the network splits A and the replicas from the store for 5 s",
		"the holder acquires": "the network splits the holder and the replicas from the store for 5 s",
		"any client acquires": "the network splits that client and the replicas from the store for 5 s",
	} {
		f := read(t, "when: "+moment+", partition: [[that client, replicas], [store]], for: 5s")[0]
		must.Equalf(t, f.Action().English(), want, "when %s", moment)
		must.Equalf(t, f.Sentence().English(), want+" when "+strings.Replace(moment, "acquires", "gets the lock", 1), "when %s", moment)
	}
}

// In a trigger, and for a fault at an instant, "that client" is the one whose moment triggered the
// latest fault.
func TestThatClientOfAnEarlierFault(t *testing.T) {
	list := read(t, "when: any client acquires the 2nd time, pause: that client, for: 5s",
		"when: that client enters, slow: that client, by: 1m", "at: 10s, crash: that client")
	if l := (&lab{}); !faults.NewEngine(list, l, l).Wants(faults.Enters, "B", "", "") {
		t.Error("no fault waits for the moment of that client")
	}
	got := play(t, list, "A acquires; A enters; A enters; B acquires; A enters; B enters; 20s")
	must.Equal(t, got, "0s freeze B (1); 0s slow B by 1m0s; 5s thaw B (1); 10s crash B (3)")
}

// WantsKind is false once no fault waits for a moment of the kind any more.
func TestAFaultThatHasBegunForTheLastTimeWaitsForNothing(t *testing.T) {
	l := &lab{}
	e := faults.NewEngine(read(t, "when: A enters the 2nd time, pause: A, for: 1s",
		"when: A releases every time, pause: B, for: 1s", "when: A starts waiting, pause: A, until: B acquires"), l, l)
	for _, step := range []struct {
		reached faults.MomentKind
		wants   string
	}{
		{faults.NoMoment, "starts enters releases acquires"}, {faults.Enters, "starts enters releases acquires"}, {faults.StartsWaiting, "enters releases acquires"},
		{faults.Enters, "releases acquires"}, {faults.Releases, "releases acquires"},
	} {
		if step.reached != faults.NoMoment {
			e.Observe(faults.Moment{Kind: step.reached, Subject: "A"})
		}
		got := ""
		for _, kind := range []struct {
			faults.MomentKind
			name string
		}{{faults.StartsWaiting, "starts"}, {faults.Enters, "enters"}, {faults.Releases, "releases"}, {faults.Acquires, "acquires"}} {
			if e.WantsKind(kind.MomentKind) {
				got += " " + kind.name
			}
		}
		must.Equalf(t, got, " "+step.wants, "after %v it wants", step.reached)
	}
}

// When a moment ends a fault early, the timer of its end does not end the fault's next activation.
func TestALateTimerDoesNotEndTheNextActivation(t *testing.T) {
	list := read(t, "when: B enters every time, pause: A, until: B acquires")
	list[0].End.For = 5 * time.Second
	got := play(t, list, "B enters; 2s; B acquires; 3s; B enters; 6s; 20s")
	must.Equal(t, got, "0s freeze A (1); 2s thaw A (1); 3s freeze A (1); 8s thaw A (1)")
}

// The primary is looked up when a fault begins, and the end of the fault acts on the same server.
func TestThePrimaryIsLookedUpOnce(t *testing.T) {
	l := &lab{primary: "redis-1"}
	faults.NewEngine(read(t, "at: 1s, pause: the primary, for: 5s", "at: 3s, partition: [[A, the primary], B], for: 1s"), l, l).Start()
	l.until(2 * time.Second)
	l.primary = "redis-2"
	l.until(9 * time.Second)
	want := "1s freeze redis-1 (1)\n3s partition [A redis-2] from [B], both ways: true\n4s heal partition 2\n6s thaw redis-1 (1)"
	must.Equal(t, strings.Join(l.notes, "\n"), want)
}
