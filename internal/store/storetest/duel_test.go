package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/store"
)

// say is a request of a store that echoes it: at once, or "wait" after the request "wake".
type say string

func (s say) AppendText(buf []byte) []byte { return append(append(buf, "SAY "...), s...) }
func (s say) Op() history.Op               { return history.Op{Name: "SAY"} }

// echo is the model of that store.
type echo struct {
	waiting []uint64
	store.Base
	due time.Duration
}

func (e *echo) Exec(_ store.Clock, id uint64, c store.Conn, op store.Op) (store.Answer, bool) {
	if _, ours := op.(say); !ours {
		panic("storetest: a request of another store: " + ports.Name(op))
	}
	switch op {
	case say("wait"):
		e.waiting = append(e.waiting, id)
		return store.Answer{}, false
	case say("wake"):
		e.wake()
	case say("no"):
		return store.Refused(errors.New("no")), true
	case say("push"):
		e.Out.Pushes = append(e.Out.Pushes, store.Push{Conn: c, Value: 7})
		e.Out.Drops = append(e.Out.Drops, c)
	}
	return store.Answer{Value: string(op.(say))}, true
}

func (e *echo) wake() {
	for _, id := range e.waiting {
		e.Late(id, store.Answer{Value: "woken"})
	}
	e.waiting = nil
}

func (e *echo) Due() (time.Duration, bool)        { return e.due, e.due > 0 }
func (e *echo) Tick(store.Clock)                  { e.wake() }
func (e *echo) Lead(store.Clock)                  {}
func (e *echo) Evict(store.Clock, string) bool    { return false }
func (e *echo) Kept(history.NodeID) []store.Entry { return nil }

// duel compares the model with a server that differs only in the given answers.
func duel(t testing.TB, lies map[say]any) *Duel {
	woken := make(chan bool)
	return &Duel{T: t, Model: &echo{}, Waits: func(int) bool { time.Sleep(time.Millisecond); return true }, Real: func(_ store.Conn, r ports.Request) (any, error) {
		switch lie, lies := lies[r.(say)]; {
		case lies:
			return lie, nil
		case r == say("no"):
			return nil, errors.New("no")
		case r == say("wake"):
			close(woken)
		case r == say("wait"):
			<-woken
			return "woken", nil
		}
		return string(r.(say)), nil
	}}
}

func TestADuelFindsWhatDiffers(t *testing.T) {
	for _, tt := range []struct {
		name string
		lies map[say]any
		asks []say
		want string
	}{
		{"nothing", nil, []say{"a", "no", "wait", "b", "wake"}, ""},
		{"a value", map[say]any{"a": "b"}, []say{"a"}, "SAY a: another answer\nmodel  string a\nserver string b\nafter 1 requests"},
		{"a type", map[say]any{"a": say("a")}, []say{"a"}, "server storetest.say a"},
		{"an error", map[say]any{"no": nil}, []say{"no"}, "model  error: no\nserver <nil> <nil>"},
		{"a late answer", map[say]any{"wait": "wake"}, []say{"wait"}, "SAY wait waits in the model, and the server answers string wake"},
	} {
		failsWith(t, tt.name, tt.want, func(t testing.TB) {
			d := duel(t, tt.lies)
			for _, r := range tt.asks {
				d.Do(r)
			}
			d.Demand(1, "SAY")
		})
	}
	failsWith(t, "a request that must not wait", "the model keeps SAY wait waiting", func(t testing.TB) {
		d := duel(t, nil)
		d.Waits = nil
		d.Do(say("wait"))
	})
}

func TestADuelCountsAndKeepsWhatComesOut(t *testing.T) {
	d, other := duel(t, nil), store.Conn{ID: 2, Client: 2}
	for _, r := range []say{"a", "no", "wait", "wake"} {
		d.Do(r)
	}
	d.DoAs(other, say("push"))
	d.Demand(1, "SAY", "SAY refused", "SAY waits", "SAY, late")
	if heard := d.Heard(other); len(heard) != 1 || heard[0] != 7 || len(d.Heard(other)) != 0 || d.Dropped(Conn) || !d.Dropped(other) {
		t.Errorf("the other connection received %v, was dropped: %v", heard, d.Dropped(other))
	}
	said := failures(t, func(t testing.TB) {
		d.T = t
		d.Demand(2, "SAY waits")
		d.Due()
	})
	if !strings.Contains(said, `only 1 times "SAY waits"`) || !strings.Contains(said, "nothing is due") {
		t.Errorf("it says %q", said)
	}
}

// A difference is reported with the fewest requests that still show it.
func TestADuelShowsTheFewestRequestsThatDiffer(t *testing.T) {
	requests, spoilt := []say{"x", "spoil", "y", "no", "ask", "z"}, false
	said := failures(t, func(t testing.TB) {
		d := duel(t, nil)
		d.Reset = func() { spoilt = false }
		d.Real = func(_ store.Conn, r ports.Request) (any, error) {
			spoilt = spoilt || r == say("spoil")
			switch {
			case r == say("no"):
				return nil, errors.New("no")
			case spoilt && r == say("ask"):
				return "spoilt", nil
			}
			return string(r.(say)), nil
		}
		d.Run(len(requests), func() ports.Request { return requests[d.Asked] })
	})
	if want := "after 5 requests, the last of them:\nSAY spoil\nSAY ask\n"; !strings.HasSuffix(said, want) || !strings.Contains(said, "server string spoilt") {
		t.Errorf("it says %q, want %q at its end", said, want)
	}
}

// Each batch starts empty, and next may send requests itself.
func TestADuelEmptiesBothBeforeEachBatch(t *testing.T) {
	d, began := duel(t, nil), []int{}
	d.Reset = func() { began = append(began, d.Asked) }
	d.Run(2*batch+1, func() ports.Request {
		d.Do(say("a"))
		return nil
	})
	must.Slicesf(t, began, []int{0, batch, 2 * batch}, "it started over after … requests")
}

func TestADuelComparesWhatIsTold(t *testing.T) {
	for _, tt := range []struct {
		told []any
		want string
	}{{[]any{8, 7}, ""}, {[]any{7}, `the model tells ["int 7" "int 8"], the server ["int 7"]`}, {[]any{7, "8"}, `"string 8"`}} {
		failsWith(t, tt.told, tt.want, func(t testing.TB) {
			d := duel(t, nil)
			d.Hears = func(store.Conn) []any { return tt.told }
			c := d.Open(2)
			d.Model.(*echo).Out.Pushes = []store.Push{{Conn: c, Value: 8}}
			d.DoAs(c, say("push"))
			d.Demand(2, "told")
		})
	}
}

// A request waits on its connection until the server answers or the connection ends.
func TestADuelKnowsWhatWaits(t *testing.T) {
	d, asked, heard := duel(t, nil), 0, []string{}
	a, b := d.Open(2), d.Open(2)
	d.Waits = func(count int) bool { asked++; return asked > 3 && count == len(d.waiting) }
	d.Answered = func(c store.Conn, r ports.Request, a store.Answer) {
		heard = append(heard, fmt.Sprint(c.ID, ports.Name(r), a.Value))
	}
	d.DoAs(a, say("wait"))
	if asked != 4 || a == b || d.Waiting(a) != say("wait") || d.Waiting(b) != nil {
		t.Errorf("after %d questions %v waits on the one, %v on the other", asked, d.Waiting(a), d.Waiting(b))
	}
	d.DoAs(b, say("wait"))
	d.Closed(b)
	d.Do(say("wake"))
	if want := []string{"1SAYwake", "2SAYwoken"}; d.Waiting(a) != nil || d.Waiting(b) != nil || !slices.Equal(heard, want) {
		t.Errorf("answered are %q, want %q", heard, want)
	}
}

// ticking is an echo whose ticks also wake the requests of the server.
type ticking struct {
	*echo
	woken chan bool
}

func (m ticking) Tick(now store.Clock) {
	close(m.woken)
	m.echo.Tick(now)
}

func TestADuelLetsTimePass(t *testing.T) {
	began, woken := time.Now(), make(chan bool)
	d := duel(t, nil)
	d.Model = ticking{&echo{due: 30 * time.Millisecond}, woken}
	d.Now = func() store.Clock { return store.Clock{Mono: time.Since(began)} }
	d.Real = func(store.Conn, ports.Request) (any, error) { <-woken; return "woken", nil }
	d.Pass(time.Hour) // no request waits
	d.Do(say("wait"))
	if d.Pass(-time.Hour); d.Waiting(Conn) == nil {
		t.Error("more time has passed than may")
	}
	if d.Pass(time.Hour); d.Waiting(Conn) != nil || time.Since(began) < 30*time.Millisecond {
		t.Errorf("after %v %v waits", time.Since(began), d.Waiting(Conn))
	}
}

// failsWith runs a part of a test, which has to fail with a message, or pass for "".
func failsWith(t *testing.T, what any, want string, part func(t testing.TB)) {
	t.Helper()
	if said := failures(t, part); (said == "") != (want == "") || !strings.Contains(said, want) {
		t.Errorf("%v: it says %q, want %q", what, said, want)
	}
}

// failures runs a part of a test with a separate testing.TB, and returns its failure messages.
func failures(t *testing.T, part func(t testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	func() {
		defer func() {
			if got := recover(); got != nil && got != any(r) {
				panic(got)
			}
		}()
		part(r)
	}()
	return r.said
}

type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Errorf(format string, args ...any) { r.said += fmt.Sprintf(format, args...) + "\n" }

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(r)
}
