package advice

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/campaign/results/resultstest"
	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/say"
)

// breaks is the definition of whether some of these kinds cause an outcome.
func breaks(l *results.ExploredLock, outcomes, kinds []string) bool {
	for _, outcome := range outcomes {
		for _, s := range l.Breaks[outcome] {
			all := true
			for _, k := range s.Kinds {
				all = all && slices.Contains(kinds, k)
			}
			if all {
				return true
			}
		}
	}
	return false
}

// Every question has an answer, which is right about whether a lock survives.
func TestAnswersAreTrueOfTheSearch(t *testing.T) {
	x := resultstest.Explored(t)
	survived := 0
	for _, q := range Questions() {
		a := To(q, &Facts{Explored: x})
		h := q.have()
		if h.fits == nil {
			if a.Best != nil || a.Sentence().Empty() || !(Question{a.Nearest, q.IfTwo, q.Tokens}).Known() {
				t.Errorf("%v: %+v", q, a)
			}
			continue
		}
		v, _ := locks.Lookup(a.Best.Lock)
		l := x.Lock(a.Best.Lock)
		if !h.fits(&v) || locks.Misprint(v.ID) || l.Defect() || !locks.Main(v.ID) {
			t.Errorf("%v: %s is no answer", q, v.ID)
		}
		if broken := breaks(l, a.Must, a.Expected); broken == a.Survives() {
			t.Errorf("%v: %s has the verdict %s, and breaks: %v", q, v.ID, a.Best.Verdict, broken)
		}
		if a.Survives() {
			survived++
			continue
		}
		for i := range x.Locks { // no other one survives
			o, _ := locks.Lookup(x.Locks[i].Lock)
			if locks.Main(o.ID) && h.fits(&o) && !breaks(&x.Locks[i], a.Must, a.Expected) {
				t.Errorf("%v: %s survives", q, o.ID)
			}
		}
		for _, e := range a.Instead {
			if to := To(e.Question, &Facts{Explored: x}); breaks(x.Lock(e.Lock), to.Must, to.Expected) {
				t.Errorf("%v: instead %+v, which breaks", q, e)
			}
		}
		if len(a.Instead) == 0 {
			t.Errorf("%v: none survives, and nothing is said that would", q)
		}
	}
	if survived < 5 {
		t.Errorf("%d answers survive", survived)
	}
}

// An unknown outcome is not a success.
func TestAnAnswerIsNoSurerThanTheSearch(t *testing.T) {
	q := Question{"etcd", Damage, Yes}
	for _, tt := range []struct {
		name   string
		change func(*results.ExploredLock)
		want   string
		says   say.Template
	}{
		{"as stored", func(*results.ExploredLock) {}, results.Survived, say.UseLock},
		{"pairs drawn", func(l *results.ExploredLock) { l.Searched = results.Sampled }, results.NoneFound, say.MayDo},
		{"pairs not searched", func(l *results.ExploredLock) { l.Searched = "" }, results.NotSearched, say.MayDo},
		{"a doubt", func(l *results.ExploredLock) { l.Doubts = []string{"one"} }, results.Unknown, say.MayDo},
		{"by a pair", func(l *results.ExploredLock) {
			l.Breaks["damage"] = []results.CutSet{{Kinds: []string{"lost-reply", "restart"}}}
		}, results.Broken, say.NoLockKeeps},
		{"by what is not expected", func(l *results.ExploredLock) {
			l.Breaks["damage"] = []results.CutSet{{Kinds: []string{"evict"}}, {Kinds: []string{"client-clock", "restart"}}}
		}, results.Survived, say.UseLock},
	} {
		x := resultstest.Explored(t)
		for _, id := range []string{"etcd-txn", "etcd-mutex"} {
			tt.change(x.Lock(id))
		}
		if a := To(q, &Facts{Explored: x}); a.Best.Verdict != tt.want || !a.Sentence().Is(tt.says) {
			t.Errorf("%s: %s, %s", tt.name, a.Best.Verdict, a.Sentence().English())
		}
	}
	// Neither a lock that breaks without a fault nor one that was not walked is a candidate.
	x := resultstest.Explored(t)
	x.Lock("etcd-txn").Breaks["overlap"] = []results.CutSet{{Kinds: []string{}}}
	x.Lock("etcd-mutex").Complete = 0
	if a := To(q, &Facts{Explored: x}); a.Best != nil && strings.HasPrefix(a.Best.Lock, "etcd") {
		t.Errorf("%s", a.Best.Lock)
	}
}

// An overlap is acceptable only where the resource checks tokens, also if the search found no
// damage.
func TestTokensDecide(t *testing.T) {
	x := resultstest.Explored(t)
	yes, no := To(Question{"etcd", Damage, Yes}, &Facts{Explored: x}), To(Question{"etcd", Damage, No}, &Facts{Explored: x})
	if !yes.Survives() || no.Survives() || !yes.Best.Fenced {
		t.Errorf("%+v, %+v", yes.Best, no.Best)
	}
	if len(no.Instead) != 1 || no.Instead[0].Question != yes.Question {
		t.Errorf("%+v", no.Instead)
	}
	heads := func(a *Answer) (out []string) {
		for _, l := range a.Lines() {
			out = append(out, l.Head.English())
		}
		return out
	}
	if h := heads(&yes); !slices.Contains(h, "Two can still hold it at once") || slices.Contains(h, "What would help") {
		t.Errorf("%q", h)
	}
	if h := heads(&no); !slices.Contains(h, "If the resource checks nothing") || !slices.Contains(h, "What would help") {
		t.Errorf("%q", h)
	}
}

// A lock broken by a script of the matrix counts as broken only if the fault is expected; otherwise
// the answer says so.
func TestAScriptOfTheMatrixBreaksALock(t *testing.T) {
	q := Question{"etcd", Damage, Yes}
	for _, tt := range []struct {
		kinds   []string
		way     checker.Way
		breaks  bool
		beyond  string
		scripts int
	}{
		{[]string{"restart"}, checker.Damage, true, "", 1},
		{[]string{"restart"}, checker.Overlap, false, "", 0}, // which is no harm where the resource checks
		{[]string{"restart", "evict"}, checker.Damage, false, "evict", 0},
	} {
		f := &Facts{Explored: resultstest.Explored(t), Scripts: map[string][]Script{}}
		for i := range f.Explored.Locks {
			f.Scripts[f.Explored.Locks[i].Lock] = []Script{{Code: "XX", Kinds: tt.kinds, Way: tt.way}}
		}
		a := To(q, f)
		if a.Survives() == tt.breaks || len(a.Best.Scripts) != tt.scripts || strings.Join(a.Best.Beyond, " ") != tt.beyond {
			t.Errorf("%v by %s: %+v", tt.kinds, tt.way, a.Best)
		}
		if says := a.Sentence(); says.Is(say.NoLockKeeps) != tt.breaks {
			t.Errorf("%v by %s: %s", tt.kinds, tt.way, says.English())
		}
	}
}

// The answer says what was measured without a check of tokens, for expected faults, or that nothing
// was.
func TestWithoutACheckIsSaidAsMeasured(t *testing.T) {
	x := resultstest.Explored(t)
	for _, tt := range []struct {
		played []results.Unchecked
		want   say.Template
	}{
		{nil, say.UncheckedUnknown},
		{[]results.Unchecked{{Kinds: []string{"evict"}, Damaged: true}}, say.UncheckedUnknown},
		{[]results.Unchecked{{Kinds: []string{"pause"}}}, say.UncheckedHolds},
		{[]results.Unchecked{{Kinds: []string{"pause"}, Damaged: true}, {Kinds: []string{"cut"}}}, say.UncheckedBreaks},
	} {
		for _, tokens := range []string{Yes, No} {
			a := To(Question{"etcd", Damage, tokens}, &Facts{Explored: x, Unchecked: map[string][]results.Unchecked{"etcd-txn": tt.played}})
			lines := a.Lines()
			at := slices.IndexFunc(lines, func(l Line) bool { return l.Head.English() == "If the resource checks nothing" })
			if a.Best.Lock != "etcd-txn" || at < 0 || !lines[at].Text.Is(tt.want) {
				t.Errorf("%s, %v: %+v", tokens, tt.played, lines)
			}
		}
	}
}

// The matrix says where a fault is not expected: with every store of the lock, or with some.
func TestWhatIsNotExpected(t *testing.T) {
	for _, tt := range []struct {
		lock    string
		kinds   []string
		where   int
		nowhere bool
	}{
		{"mysql-unique-ttl", []string{"fail-over"}, 1, true},
		{"set-nx-lua", []string{"fail-over"}, 1, false}, // with one Redis, and not with a replica
		{"etcd-txn", []string{"fail-over"}, 0, false},
		{"etcd-txn", []string{"evict"}, 1, true},
		{"etcd-txn", nil, 0, false},
		{"no-such-lock", []string{"evict"}, 0, false},
	} {
		if where, nowhere := NotExpectedWith(tt.lock, tt.kinds); len(where) != tt.where || nowhere != tt.nowhere {
			t.Errorf("%s, %v: %v, %v", tt.lock, tt.kinds, where, nowhere)
		}
	}
}

// No cell of expected kinds contradicts an answer that survives.
func TestTheMatrixContradictsNoAnswer(t *testing.T) {
	m, x, looked := resultstest.Matrix(t), resultstest.Explored(t), 0
	for _, q := range Questions() {
		a := To(q, &Facts{Explored: x})
		if !a.Survives() {
			continue
		}
		for _, c := range m.Cells {
			column, ok := matrix.Lookup(c.Fault)
			expected := ok
			for _, k := range column.Kinds() {
				expected = expected && slices.Contains(a.Expected, k.Kind)
			}
			if c.Lock != a.Best.Lock || !expected {
				continue
			}
			looked++
			if slices.Contains(a.Must, "damage") && c.Damage || slices.Contains(a.Must, "no-progress") && c.Letter == "D" {
				t.Errorf("%v: %s survives, and the matrix has %s under %s, damage %v", q, c.Lock, c.Letter, c.Fault, c.Damage)
			}
		}
	}
	if looked < 100 {
		t.Errorf("only %d cells were looked at", looked)
	}
}
