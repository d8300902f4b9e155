package checker

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
)

// verdicts prints the verdicts in the order of All, with one letter each.
func verdicts(j *Judgement) string {
	out := ""
	for _, f := range j.Findings {
		out += string(f.Verdict[0])
	}
	return out
}

// contended is the beginning of a run that puts the lock to the test and ends in
// an orderly way: B waits for A.
const contended = `0 A waits; 0 S granted owner=A peer=A; 0 A acquired; 0.1 B waits
	1 R read peer=A; 2 R write-accepted peer=A value=1 cause=4; 2 B sent peer=S; 2 S executed peer=B cause=6
	3 A releasing; 3 S removed owner=A peer=A; 3 A released
	3 S granted owner=B peer=B; 3.1 B acquired; 3.2 R read peer=B value=1; 4 R write-accepted peer=B value=2 cause=13; 5 B releasing
	5 S removed owner=B peer=B; `

// underFault is a fault and a client that waits from then on.
const underFault = `6 S granted owner=A peer=A; 6 A acquired; 6 B waits; 6 A fault-began value=1; 6 S executed peer=B; 7 A releasing; 7 S removed owner=A peer=A
	7 S granted owner=B peer=B; 7 B acquired; 8 B releasing; 8 S removed owner=B peer=B`

// two have the lock at once.
const two = "6 S granted owner=A; 6 A acquired; 6 S granted owner=B; 6 B acquired; "

// outlived is a hold whose entry ends at 16 s, and a client that has sent a request, event 20.
const outlived = "6 S granted owner=A peer=A; 6 A acquired; 6 B waits; 6 B sent peer=S; 16 S expired owner=A"

const quietEnd = "; 90 - healed; 90 P waits; 90.1 P acquired; 91 P releasing"

// untilBAcquires are the values of a pause that lasts until a moment.
const untilBAcquires = `{"verb":"pause","value":"A","when":{"moment":"starts waiting","subject":"A","nth":1},"end":{"until":{"moment":"acquires","subject":"B"}}}`

// Healing takes no time in the simulator: what ended before it ended by itself.
func TestAnEndLongBeforeTheHealing(t *testing.T) {
	for backend, want := range map[string]bool{history.Sim: false, history.Process: true} {
		h := history.New(history.Header{Backend: backend, Faults: []history.Fault{{Number: 1, Values: untilBAcquires}}})
		ended := h.Add(history.Event{At: 5, Kind: history.FaultEnded, Value: 1})
		h.Add(history.Event{At: 9, Kind: history.Healed})
		must.Equalf(t, EndNeverCame(h, ended), want, "%s: the end never came", backend)
	}
}

func TestJudge(t *testing.T) {
	fault := history.Fault{Number: 1, Verb: "pause", Text: "pause A"}
	until := fault
	until.Values = untilBAcquires
	for _, tt := range []struct {
		name     string
		give     string
		faults   []history.Fault
		verdicts string // mutual-exclusion no-lost-update no-stale-write owner-only-release progress
		letter   Letter
		reason   string // of the first finding
	}{
		{"nothing", "", nil, "uuuuu", LetterUnknown, "no client acquired the lock"},
		{"safe", contended + quietEnd, nil, "kkkkk", LetterSafe, ""},
		{"no contention", "0 A waits; 0 A acquired; 1 S removed owner=A peer=A; 2 A releasing; 3 B waits; 3 B acquired; 4 B releasing" + quietEnd, nil,
			"uuuuk", LetterUnknown, "no client ever had to wait for another"},
		{"the fault fired", contended + underFault + quietEnd, []history.Fault{fault}, "kkkkk", LetterSafe, ""},
		{"the fault had no effect", contended + underFault + quietEnd + "; 99 - without-effect value=1", []history.Fault{fault},
			"uuuuu", LetterUnknown, "fault 1 had no effect: pause A"},
		{"its end came", contended + underFault + "; 7 A fault-ended value=1; 7 A thawed; 9 B finished" + quietEnd, []history.Fault{until}, "kkkkk", LetterSafe, ""},
		{"its end never came", contended + underFault + "; 90 A fault-ended value=1; 90 A thawed" + quietEnd, []history.Fault{until},
			"uuuuu", LetterUnknown, "the end of fault 1 never came: A pauses when it starts waiting until B gets the lock"},
		{"the end of a repetition never came", contended + underFault + "; 7 A fault-ended value=1; 9 A fault-began value=1; 90 A fault-ended value=1" + quietEnd,
			[]history.Fault{until}, "kkkkk", LetterSafe, ""},
		{"it was to last for so long", contended + underFault + "; 90 A fault-ended value=1; 90 A thawed" + quietEnd, []history.Fault{fault}, "kkkkk", LetterSafe, ""},
		{"no client wanted the lock from the fault on", contended + "6 A fault-began value=1" + quietEnd, []history.Fault{fault},
			"uuuuk", LetterUnknown, "no clients competed for the lock after fault 1: pause A"},
		{"the probe alone", contended + "6 A acquired; 6 A fault-began value=1; 90 - healed; 90 P waits; 91 A releasing; 91 P acquired; 92 P releasing",
			[]history.Fault{fault}, "uuuuk", LetterUnknown, "no clients competed for the lock after fault 1: pause A"},
		{"contention before the second fault only", contended + underFault + "; 9 B fault-began value=2" + quietEnd,
			[]history.Fault{fault, {Number: 2, Verb: "drop"}}, "uuuuk", LetterUnknown, "no clients competed for the lock after fault 2: drop"},
		{"a fault that comes again counts from the first time", contended + underFault + "; 9 A fault-began value=1" + quietEnd, []history.Fault{fault},
			"kkkkk", LetterSafe, ""},
		{"a storm of which one fault came about", contended + underFault + "; 20 - fault-began value=2" + quietEnd + "; 99 - without-effect value=2",
			[]history.Fault{{Number: 1, Verb: "pause"}, {Number: 2, Verb: "crash"}, {Number: 3, Verb: "drop"}}, "kkkkk", LetterSafe, ""},
		{"a storm of which nothing came about", contended + "6 - fault-began value=2" + quietEnd + "; 99 - without-effect value=2",
			[]history.Fault{{Number: 2, Verb: "crash"}, {Number: 3, Verb: "drop"}},
			"uuuuu", LetterUnknown, "none of the drawn faults had an effect"},
		{"a storm after all clients have gone", contended + "6 - fault-began value=2" + quietEnd, []history.Fault{{Number: 2, Verb: "crash"}},
			"uuuuk", LetterUnknown, "no clients competed for the lock after any of the drawn faults"},
		{"a storm that has drawn nothing", contended + quietEnd, nil, "uuuuu", LetterUnknown, "this seed drew no fault"},
		{"the drawn fault came, the planned one did not", contended + strings.Replace(underFault, "value=1", "value=2", 1) + quietEnd,
			[]history.Fault{fault, {Number: 2, Verb: "drop", Drawn: true}}, "uuuuu", LetterUnknown, "fault 1 never fired: pause A"},
		{"the planned fault came, none of the drawn ones did", contended + underFault + quietEnd,
			[]history.Fault{fault, {Number: 2, Verb: "drop", Drawn: true}, {Number: 3, Verb: "drop", Drawn: true}},
			"uuuuu", LetterUnknown, "none of the drawn faults had an effect"},
		{"the planned fault came, and a drawn one", contended + strings.Replace(underFault, "value=1", "value=1; 6 A fault-began value=2", 1) + quietEnd,
			[]history.Fault{fault, {Number: 2, Verb: "drop", Drawn: true}, {Number: 3, Verb: "drop", Drawn: true}}, "kkkkk", LetterSafe, ""},
		{"asked after the entry", contended + outlived + "; 18 S executed peer=B; 20 A releasing" + quietEnd, nil, "kkkkk", LetterDelay, ""},
		{"asked by a client with a place in a queue", contended + outlived + "; 17 S granted owner=B; 18 S executed peer=B; 20 A releasing; 27 S expired owner=B" + quietEnd,
			nil, "kkkkk", LetterDelay, ""},
		{"asked once more after a request that was given up", contended + outlived + "; 16 S executed peer=B cause=20; 17 B timed-out cause=20; 18 S executed peer=B; 20 A releasing" + quietEnd,
			nil, "kkkkk", LetterDelay, ""},
		{"asked by a client that its own forgotten entry keeps out", contended + outlived + "; 16 S executed peer=B cause=20; 16 S granted owner=B cause=22; 17 B timed-out cause=20; 18 S executed peer=B; 20 A releasing; 27 S expired owner=B" + quietEnd,
			nil, "uuukk", LetterUnknown, "A held the lock from 16.000 s until 20.000 s, perhaps without an entry in the store, and no other client asked for it"},
		{"asked late, by a request that counts", contended + outlived + "; 18 S executed peer=B cause=20; 20 A releasing" + quietEnd, nil, "kkkkk", LetterDelay, ""},
		{"asked late, by a request that was given up", contended + outlived + "; 17 B timed-out cause=20; 18 S executed peer=B cause=20; 20 A releasing" + quietEnd,
			nil, "uuukk", LetterUnknown, "A held the lock from 16.000 s until 20.000 s, perhaps without an entry in the store, and no other client asked for it"},
		{"kept out by the entry of a dead client", contended + "6 S granted owner=A peer=A; 6 A fault-began value=1; 6 A crashed; 7 B waits; 7 S executed peer=B; 20 S expired owner=A; 21 S granted owner=B; 21 B acquired; 22 B releasing" + quietEnd,
			[]history.Fault{fault}, "kkkkk", LetterDelay, ""},
		{"the fault never fired", contended + quietEnd, []history.Fault{fault}, "uuuuu", LetterUnknown, "fault 1 never fired: pause A"},
		{"another fault fired", contended + "6 A fault-began value=2" + quietEnd, []history.Fault{fault}, "uuuuu", LetterUnknown, "fault 1 never fired: pause A"},
		{"two of three never fired", contended + "6 A fault-began value=2" + quietEnd,
			[]history.Fault{fault, {Number: 2, Verb: "drop"}, {Number: 3, Verb: "drop"}},
			"uuuuu", LetterUnknown, "fault 1 never fired: pause A; fault 3 never fired: drop"},
		{"broken stays broken", contended + two + quietEnd, []history.Fault{fault}, "buuuu", LetterV, ""},
		{"V", contended + two + "7 A releasing; 7 B releasing" + quietEnd, nil, "bkkkk", LetterV, ""},
		{"F", contended + "6 S granted owner=B; 6 B acquired; 6 A waits; 6 S removed owner=B peer=A; 6.5 S executed peer=A; 7 B releasing" + quietEnd, nil, "kkkbk", LetterF, ""},
		{"VF", contended + two + "6 S removed owner=B peer=A; 7 A releasing; 7 B releasing" + quietEnd, nil, "bkkbk", LetterVF, ""},
		{"D", contended + "90 - healed; 90 P waits; 190 P gave-up", nil, "kkkkb", LetterStuck, ""},
		{"D without contention", "0 A waits; 1 A crashed; 90 - healed; 90 P waits; 190 P gave-up", nil, "uuuub", LetterStuck, "no client acquired the lock"},
		{"V before D", contended + two + "90 - healed; 90 P waits; 190 P gave-up", nil, "bkkkb", LetterV, ""},
		{"L", contended + "6 A acquire-failed" + quietEnd, nil, "kkkkk", LetterDelay, ""},
		{"cut short", contended + "6 - cut-short", nil, "uuuuu", LetterUnknown, "the run was cut short"},
		{"cut short after V", contended + two + "7 - cut-short", nil, "buuuu", LetterV, ""},
		{"no quiet period", contended, nil, "kkkku", LetterSafe, ""},
		{"a robbery in doubt", contended + "6 S may-have-removed owner=B peer=A" + quietEnd, nil, "kkkuk", LetterUnknown, ""},
	} {
		h := parse(tt.give)
		h.Header.Faults, h.Header.Drawn = tt.faults, strings.HasPrefix(tt.name, "a storm")
		j := Judge(h)
		if got := verdicts(&j); got != tt.verdicts || j.Letter != tt.letter || j.Findings[0].Reason.English() != tt.reason {
			t.Errorf("%s: got %s %s %q, want %s %s %q", tt.name,
				got, j.Letter, j.Findings[0].Reason.English(), tt.verdicts, tt.letter, tt.reason)
		}
		must.Equalf(t, j.Letter == LetterUnknown, !j.WhyUnknown().Empty(),
			"%s: the letter is %s, because of %q", tt.name, j.Letter, j.WhyUnknown().English())
	}
}

// What stands behind the last event that is there may be a violation. A run of this
// program says where it ends; a log from elsewhere cannot.
func TestAHistoryWithoutItsEnd(t *testing.T) {
	broken := contended + two + "7 A releasing; 7 B releasing" + quietEnd
	for _, tt := range []struct {
		name, give, backend string
		whole               bool
		verdicts            string
		letter              Letter
	}{
		{"whole", contended + quietEnd, history.Sim, true, "kkkkk", LetterSafe},
		{"cut off", contended + quietEnd, history.Sim, false, "uuuuu", LetterUnknown},
		{"cut off, of real servers", contended + quietEnd, history.Process, false, "uuuuu", LetterUnknown},
		{"cut off after a violation", broken, history.Sim, false, "buuuu", LetterV},
		{"from elsewhere", contended + quietEnd, "production", false, "kkkkk", LetterSafe},
	} {
		h := parse(tt.give)
		h.Header.Backend, h.Whole = tt.backend, tt.whole
		if j := Judge(h); verdicts(&j) != tt.verdicts || j.Letter != tt.letter {
			t.Errorf("%s: got %s %s, want %s %s", tt.name, verdicts(&j), j.Letter, tt.verdicts, tt.letter)
		}
	}
}

func TestJudgeFacts(t *testing.T) {
	h := parse("0 A waits; 0 A acquired; 1 B waits; 2 A fault-began value=7; 3 B acquired; 5 A releasing; 6 A fault-began value=7; 6 A acquired; 8 B releasing")
	h.Header.Faults = []history.Fault{{Number: 3, Verb: "crash"}, {Number: 7, Verb: "pause"}}
	j := Judge(h)
	if j.Acquired != 3 || j.Overlap != 4*time.Second || !j.Waited || j.History != h {
		t.Errorf("got %+v", j)
	}
	if len(j.Faults) != 2 || j.Faults[0].Times != 0 || j.Faults[1].Times != 2 {
		t.Errorf("faults %+v", j.Faults)
	}
	if f := j.Finding(MutualExclusionID); f.Count != 2 {
		t.Errorf("got %+v", f)
	}
	if f := j.Finding("beauty"); f.Verdict != Unknown || f.Reason.Empty() {
		t.Errorf("got %+v", f)
	}
}

func TestContention(t *testing.T) {
	for _, tt := range []struct {
		name, give string
		want       bool
	}{
		{"nothing", "", false},
		{"waits for a holder", "0 A acquired; 1 B waits", true},
		{"is overtaken", "0 B waits; 1 A acquired", true},
		{"waits for itself", "0 A acquired; 1 A waits; 2 A acquired", false},
		{"comes after a release", "0 A acquired; 1 A releasing; 2 B waits; 3 B acquired", false},
		{"comes after a crash", "0 A acquired; 1 A crashed; 2 B waits", false},
		{"comes after a loss", "0 A acquired; 1 A lost-lease; 2 B waits", false},
		{"gave up before", "0 B waits; 1 B gave-up; 2 A acquired", false},
		{"died before", "0 B waits; 1 B crashed; 2 A acquired", false},
		{"finished before", "0 B waits; 1 B finished; 2 A acquired", false},
		{"both only wait", "0 A waits; 0 B waits; 9 A gave-up", false},
		{"kept out by an orphan", "0 A waits; 0 S granted owner=A; 1 A crashed; 2 B waits", true},
		{"an orphan that comes later", "0 B waits; 0 S granted owner=A", true},
		{"an orphan that has expired", "0 S granted owner=A; 1 S expired owner=A; 2 B waits", false},
		{"an orphan that another replaced", "0 S granted owner=A; 1 S granted owner=B; 1 S expired owner=A; 2 C waits", true},
		{"its own orphan", "0 A waits; 0 S granted owner=A; 1 A waits", false},
		{"a failure beside a holder", "0 A acquired; 1 B acquire-failed", true},
		{"a failure alone", "0 A acquired; 1 A acquire-failed", false},
	} {
		must.Equalf(t, Judge(parse(tt.give)).Waited, tt.want, "%s", tt.name)
	}
}

func TestDelayed(t *testing.T) {
	for _, tt := range []struct {
		name, give string
		lease      time.Duration
		scale      int64
		want       bool
	}{
		{"nothing", "", 10 * time.Second, 0, false},
		{"a holder may take its time", "0 A acquired; 1 B waits; 60 A releasing; 60.1 B acquired", 0, 0, false},
		{"a dead holder", "0 A acquired; 1 B waits; 2 A crashed; 10 B acquired", 10 * time.Second, 0, true},
		{"just within lease/4", "0 B waits; 2.5 B acquired", 10 * time.Second, 0, false},
		{"just over lease/4", "0 B waits; 2.500000001 B acquired", 10 * time.Second, 0, true},
		{"just within 1 s", "0 B waits; 1 B acquired", time.Second, 0, false},
		{"just over 1 s", "0 B waits; 1.001 B acquired", time.Second, 0, true},
		{"1 s scaled to 0.1 s", "0 B waits; 0.11 B acquired", time.Second / 10, 100_000, true},
		{"within 1 s scaled to 0.1 s", "0 B waits; 0.1 B acquired", time.Second / 10, 100_000, false},
		{"one waits, then another", "0 B waits; 2 B crashed; 2.1 C waits; 4 C acquired", 10 * time.Second, 0, false},
		{"one waits on for another", "0 B waits; 1 C waits; 2 B crashed; 4 C acquired", 10 * time.Second, 0, true},
		{"a frozen waiter", "0 B waits; 1 B froze; 30 B thawed; 31 B acquired", 10 * time.Second, 0, false},
		{"others wait behind a frozen one", "0 B waits; 1 B froze; 2 C waits; 30 B thawed; 31 B acquired", 10 * time.Second, 0, true},
		{"a frozen client that starts to run", "0 B waits; 0 B froze; 0 B crashed; 1 B waits; 30 B acquired", 10 * time.Second, 0, true},
		{"never served", "0 B waits; 30 - healed", 10 * time.Second, 0, true},
		{"served elsewhere", "0 B waits; 1 A acquired; 3 A releasing; 5 B acquired", 10 * time.Second, 0, false},
		{"told of a loss", "0 A acquired; 0 B waits; 1 A lost-lease; 4 B acquired", 10 * time.Second, 0, true},
		{"acquire failed", "0 B acquire-failed", 10 * time.Second, 0, true},
		{"release failed", "0 B release-failed", 10 * time.Second, 0, true},
		{"gave up", "0 B gave-up", 10 * time.Second, 0, true},
		{"finished", "0 B waits; 1 B finished; 30 - healed", 10 * time.Second, 0, false},
	} {
		h := parse(tt.give)
		h.Header.Lease, h.Header.ScalePPM = tt.lease, tt.scale
		must.Equalf(t, survey(h).delayed, tt.want, "%s", tt.name)
	}
}

func TestProgressNeedsALease(t *testing.T) {
	h := parse("9 - healed; 10 P waits; 110 P gave-up")
	for _, lease := range []time.Duration{0, -1} {
		h.Header.Lease = lease
		if f := checkProgress(h); f.Verdict != Unknown {
			t.Errorf("lease %v: got %+v", lease, f)
		}
	}
	h.Header.Lease = 1<<63 - 1
	if f := checkProgress(h); f.Verdict != Unknown {
		t.Errorf("got %+v", f)
	}
}

func TestProgressFactorIsThePlans(t *testing.T) {
	if ProgressFactor != plan.ProbeFactor {
		t.Errorf("the checker waits %d leases, the probe %d", ProgressFactor, plan.ProbeFactor)
	}
}

func TestFindingsKeepTheFirstViolations(t *testing.T) {
	var story strings.Builder
	story.WriteString("0 A acquired\n")
	for i := range MaxViolations + 5 {
		fmt.Fprintf(&story, "%d B acquired\n%d S removed owner=A peer=B\n%d.1 R write-accepted peer=A\n%d.2 B releasing\n", i+1, i+1, i+1, i+1)
	}
	j := Judge(parse(story.String()))
	for _, id := range []string{MutualExclusionID, OwnerOnlyReleaseID, NoStaleWriteID} {
		f := j.Finding(id)
		if f.Count != MaxViolations+5 || len(f.Violations) != MaxViolations || f.Violations[0].From/1e9 != 1 {
			t.Errorf("%s: %d, kept %d", id, f.Count, len(f.Violations))
		}
	}
}

func TestRegisterTwicePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the second registration was taken")
		}
	}()
	Register(Property{ID: ProgressID})
}

// Judge must survive anything: nodes that do not exist, causes that point
// forwards, times that go backwards.
func TestJudgeNeverPanics(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range rounds(t, 20_000) {
		h := history.New(history.Header{Lease: time.Duration(r.Uint64())})
		for range r.IntN(3) {
			roles := []history.Role{history.RoleClient, history.RoleProbe, history.RoleResource, "king"}
			h.Header.Nodes = append(h.Header.Nodes, history.Node{Role: roles[r.IntN(4)]})
		}
		for range r.IntN(20) {
			h.Add(history.Event{
				At: history.Instant(r.Uint64()), Value: int64(r.Uint64()), Cause: int32(r.IntN(30) - 5),
				Node: history.NodeID(r.IntN(5) * (1 + 99*r.IntN(2))), Peer: history.NodeID(r.IntN(5)), Owner: history.NodeID(r.IntN(70000)),
				Kind: history.Kind(r.IntN(50)), Text: history.TextID(r.IntN(3)),
			})
		}
		j := Judge(h, ids()...)
		checkShape(t, &j)
		history.Holds(h)
	}
}

// ids are those of all properties, core or not.
func ids() (all []string) {
	for _, p := range All() {
		all = append(all, p.ID)
	}
	return all
}

// checkShape checks what every report relies on.
func checkShape(t *testing.T, j *Judgement) {
	if len(j.Findings) != len(All()) || j.Letter == "" {
		t.Fatalf("incomplete: %+v", j)
	}
	for _, f := range j.Findings {
		if (f.Verdict == Broken) != (f.Count > 0) || len(f.Violations) != min(f.Count, MaxViolations) ||
			(f.Verdict == Unknown) != !f.Reason.Empty() {
			t.Fatalf("%+v", f)
		}
		for _, v := range f.Violations {
			if len(v.Clients) == 0 || len(v.Events) == 0 {
				t.Fatalf("no evidence: %+v", v)
			}
			for i, e := range v.Events {
				if int(e) >= len(j.History.Events) || e < 0 || i > 0 && e <= v.Events[i-1] {
					t.Fatalf("events out of order: %+v", v)
				}
			}
		}
	}
}

func FuzzJudge(f *testing.F) {
	for _, id := range []string{MutualExclusionID, ProgressID, NoLostUpdateID, NoStaleWriteID, OwnerOnlyReleaseID} {
		for _, tt := range tables[id] {
			var buf bytes.Buffer
			must.Do(f, history.WriteJSONL(&buf, parse(tt.give)))
			f.Add(buf.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		all, err := history.ReadAllJSONL(bytes.NewReader(in))
		if err != nil || len(all) != 1 {
			return
		}
		h := all[0]
		j := Judge(h, ids()...)
		checkShape(t, &j)
		if diff := compare(h); diff != "" && len(h.Events) < 200 {
			t.Fatalf("%s\n%s", diff, describe(h))
		}
	})
}
