package trace

import (
	"strings"
	"testing"

	"lockstep/internal/history/historytest"
	"lockstep/internal/must"
	"lockstep/internal/timeline"
)

// Two clients and a crash, as Jepsen would have written it down.
func TestEDN(t *testing.T) {
	h := historytest.Read("1ms A waits; 2ms A acquired token=7; 3ms B waits; 4ms - fault-began text=pause \"A\"\x1b[31m; " +
		"5ms A releasing; 6ms A released; 7ms B crashed; 8ms B waits; 9ms B gave-up; 10ms A waits; 11ms A acquired; " +
		"12ms A lost-lease; 13ms A waits; 14ms A acquired; 15ms A releasing; 16ms A not-held; 17ms A waits")
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
	must.Do(t, EDN(&out, timeline.Of(h)))
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
