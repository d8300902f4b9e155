package sim

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
)

// late delays one half of a command of A's by three seconds.
func late(half, command string, nth int) string {
	return fmt.Sprintf("when: A is about to send %s the %dth time, delay: %s, by: 3s", command, nth, half)
}

// overtakes returns the first request or reply of A's that arrived before an earlier one, or "".
func overtakes(h *history.History) string {
	last := map[string]int32{}
	for _, e := range h.Events {
		server := e.Node
		switch {
		case e.Kind == history.Executed && h.Name(e.Peer) == "A":
		case e.Kind == history.Replied && h.Name(e.Node) == "A":
			server = e.Peer
		default:
			continue
		}
		key := fmt.Sprint(e.Kind, " ", h.Name(server))
		if before, ok := last[key]; ok && e.Cause < before {
			return fmt.Sprintf("%v at %v: %s after %s", e.Kind, e.At, h.Text(h.Events[e.Cause].Text), h.Text(h.Events[before].Text))
		}
		last[key] = e.Cause
	}
	return ""
}

// A client of etcd has one connection to each server, so a late request or reply delays everything
// behind it, whichever task sent that.
func TestALateMessageHoldsUpWhatIsBehindIt(t *testing.T) {
	tests := 0
	for _, v := range locks.Simulated() {
		if v.Store != locks.StoreEtcd {
			continue
		}
		for _, half := range []string{"request", "reply"} {
			for nth := 1; nth <= 6; nth++ {
				h := play(t, story(t, v.ID, "workload={work: 8s, wait: up to 60s}", "network.timeout=2s",
					"servers.etcd.nodes=1", // among several it is random when a request is executed
					late(half, faults.AnyCommand, nth)))
				must.Equalf(t, overtakes(h), "",
					"%s, the %s of command %d is late", v.ID, half, nth)
				tests++
			}
		}
	}
	if tests < 36 {
		t.Errorf("%d tests only", tests)
	}
}

// With a pool of connections, a late request is overtaken, even by its own retry.
func TestAPoolHasAnotherConnection(t *testing.T) {
	h := play(t, story(t, "set-nx-lua", "clients=[A]", "workload.work=3s", "network.timeout=1s", late("request", "SET", 1)))
	if got := overtakes(h); !strings.Contains(got, "SET") {
		t.Errorf("the late SET was not overtaken: %q", got)
	}
}

// A partition that begins meanwhile holds back a late message, and nothing overtakes that message
// when the partition ends.
func TestALateMessageMeetsAPartition(t *testing.T) {
	for _, tt := range []struct {
		from, length, want time.Duration
	}{
		{2 * time.Second, 4 * time.Second, 6 * time.Second}, // it would arrive after 3 s
		{time.Second, time.Second, 3 * time.Second},         // and does when nothing is in the way any more
		{4 * time.Second, time.Second, 3 * time.Second},     // or not yet
		{0, 2 * time.Second, 3 * time.Second},               // it was sent into the partition
	} {
		h := play(t, story(t, "etcd-txn", "clients=[A]", "network.timeout=10s", "servers.etcd.nodes=1", late("request", "TXN", 1),
			fmt.Sprintf("when: A is about to send TXN, after: %v, partition: [A, store], for: %v", tt.from, tt.length)))
		var sent history.Instant
		for _, e := range h.Events {
			if e.Kind == history.Sent && strings.HasPrefix(h.Text(e.Text), "TXN") && sent == 0 {
				sent = e.At
			}
			if e.Kind == history.Executed && e.Cause >= 0 && h.Events[e.Cause].At == sent && sent > 0 && h.Name(e.Peer) == "A" {
				must.Equalf(t, e.At.Sub(sent).Round(20*time.Millisecond), tt.want,
					"a partition from %v on for %v: executed after", tt.from, tt.length)
				break
			}
		}
		must.Equalf(t, overtakes(h), "", "a partition from %v on for %v", tt.from, tt.length)
	}
}
