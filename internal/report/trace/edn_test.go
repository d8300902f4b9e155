package trace

import (
	"strings"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/timeline"
)

// Two clients and a crash, as Jepsen would have written it down.
func TestEDN(t *testing.T) {
	w := reporttest.NewWriter("set-nx-lua", "A", "B")
	w.Add(1, history.Waits, "A")
	w.Add(2, history.Acquired, "A", func(e *history.Event) { e.Token = 7 })
	w.Add(3, history.Waits, "B")
	w.Add(4, history.FaultBegan, "", func(e *history.Event) { e.Text = w.H.Intern("pause \"A\"\x1b[31m") })
	w.Add(5, history.Releasing, "A")
	w.Add(6, history.Released, "A")
	w.Add(7, history.Crashed, "B")
	w.Add(8, history.Waits, "B")
	w.Add(9, history.GaveUp, "B")
	w.Add(10, history.Waits, "A")
	w.Add(11, history.Acquired, "A")
	w.Add(12, history.LostLease, "A")
	w.Add(13, history.Waits, "A")
	w.Add(14, history.Acquired, "A")
	w.Add(15, history.Releasing, "A")
	w.Add(16, history.NotHeld, "A")
	w.Add(17, history.Waits, "A")
	const want = `{:index 0, :time 1000000, :process 0, :type :invoke, :f :acquire, :value nil}
{:index 1, :time 2000000, :process 0, :type :ok, :f :acquire, :value 7}
{:index 2, :time 3000000, :process 1, :type :invoke, :f :acquire, :value nil}
{:index 3, :time 4000000, :process :nemesis, :type :info, :f :start, :value "pause \"A\"\\x1b[31m"}
{:index 4, :time 5000000, :process 0, :type :invoke, :f :release, :value nil}
{:index 5, :time 6000000, :process 0, :type :ok, :f :release, :value nil}
{:index 6, :time 7000000, :process 1, :type :info, :f :acquire, :value nil}
{:index 7, :time 8000000, :process 2, :type :invoke, :f :acquire, :value nil}
{:index 8, :time 9000000, :process 2, :type :fail, :f :acquire, :value nil}
{:index 9, :time 10000000, :process 0, :type :invoke, :f :acquire, :value nil}
{:index 10, :time 11000000, :process 0, :type :ok, :f :acquire, :value nil}
{:index 11, :time 12000000, :process 0, :type :invoke, :f :release, :value nil}
{:index 12, :time 12000000, :process 0, :type :ok, :f :release, :value nil}
{:index 13, :time 13000000, :process 0, :type :invoke, :f :acquire, :value nil}
{:index 14, :time 14000000, :process 0, :type :ok, :f :acquire, :value nil}
{:index 15, :time 15000000, :process 0, :type :invoke, :f :release, :value nil}
{:index 16, :time 16000000, :process 0, :type :info, :f :release, :value nil}
{:index 17, :time 17000000, :process 3, :type :invoke, :f :acquire, :value nil}
`
	var out strings.Builder
	must.Do(t, EDN(&out, timeline.Of(w.H)))
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
