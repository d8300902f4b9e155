package sim

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// alone is a story of a single client A that works for a given time.
func alone(work time.Duration, list ...faults.Fault) plan.Plan {
	p := story(list[0])
	p.Faults, p.Clients, p.Lease = list, []string{"A"}, 10*time.Second
	p.Workload.Work = plan.Range{Min: work, Max: work}
	return p
}

// A server's leases end by its own clock: a step forward ends them, a step back extends them by as
// much.
func TestAStepOfTheServersClock(t *testing.T) {
	for _, tt := range []struct{ by, from, until time.Duration }{
		{20 * time.Second, time.Second, 1100 * time.Millisecond},
		{-5 * time.Second, 15 * time.Second, 15100 * time.Millisecond},
	} {
		p := alone(30*time.Second, lasting("jump-clock", 1, "redis-1", tt.by, at(time.Second), faults.End{}))
		h, _ := tell(t, p, "set-nx-lua")
		between(t, "after a step of "+tt.by.String()+" the lease ends", find(t, h, history.Expired, "redis-1").At, tt.from, tt.until)
	}
}

// A server that dies between execution and reply does not reply.
func TestADeadServerDoesNotReply(t *testing.T) {
	p := alone(time.Second, verb("crash", 1, "redis-1", onWire(faults.HasExecuted, "SET"), faults.End{}))
	p.Workload.Wait = time.Second
	_, got := tell(t, p, "set-nx-lua", history.Crashed, history.Replied, history.Acquired)
	expectLines(t, got, "redis-1 crashed")
}

// A fault that adds lag delays replication by as much.
func TestLagHoldsReplicationBack(t *testing.T) {
	p := alone(5*time.Second, lasting("lag", 1, "", 3*time.Second, onWire(faults.AboutToSend, "SET"), faults.End{For: 20 * time.Second}))
	p.Redis.Replicas, p.Redis.Lag = 1, time.Millisecond
	h, _ := tell(t, p, "set-nx-lua")
	granted := find(t, h, history.Granted, "redis-1").At.Duration()
	between(t, "replicated", find(t, h, history.Replicated, "redis-2").At, granted+3*time.Second, granted+3*time.Second+10*time.Millisecond)
}

// A primary refuses to write when its replica has been silent for longer than
// min-replicas-max-lag, in whole seconds: with 2 s, at the third second after the cut.
func TestAPrimaryWithoutReplicasRefuses(t *testing.T) {
	p := alone(0, apart(1, faults.Trigger{}, time.Minute, []string{"redis-1"}, []string{"redis-2"}))
	p.Redis.Replicas, p.Redis.MinReplicas, p.Redis.MinReplicasMaxLag = 1, 1, 2*time.Second
	p.Workload.Repeat, p.Workload.Rest = 60, plan.Range{Min: 100 * time.Millisecond, Max: 100 * time.Millisecond}
	p.Workload.Wait = 100 * time.Millisecond
	h, _ := tell(t, p, "set-nx-lua")
	var taken, refused int
	for _, e := range h.Events {
		if e.Kind != history.Executed || h.Role(e.Peer) != history.RoleClient || e.At > history.Instant(50*time.Second) {
			continue
		}
		no := strings.Contains(h.Text(e.Text), "NOREPLICAS")
		switch at := e.At.Duration(); {
		case no && at < 3*time.Second, !no && at > 3*time.Second:
			t.Errorf("at %v: %s", at, h.Text(e.Text))
		case no:
			refused++
		default:
			taken++
		}
	}
	if taken < 5 || refused < 5 {
		t.Errorf("%d commands were executed and %d refused", taken, refused)
	}
}

// sentinelStory has two replicas that are half a second behind, and three sentinels.
func sentinelStory(list ...faults.Fault) plan.Plan {
	p := alone(8*time.Second, list...)
	p.Redis.Replicas, p.Redis.Lag = 2, 500*time.Millisecond
	p.Redis.Failover.By, p.Redis.Failover.DownAfter, p.Redis.Failover.Election = plan.BySentinel, time.Second, time.Second
	return p
}

// One of three sentinels that cannot reach the primary does not replace it; two do.
func TestAFailoverNeedsAMajorityOfTheSentinels(t *testing.T) {
	at := faults.Trigger{At: time.Second}
	for _, tt := range []struct {
		lost []string
		want []string
	}{
		{[]string{"sentinel-1"}, nil},
		{[]string{"sentinel-1", "sentinel-2"}, []string{"redis-2 promoted"}},
	} {
		p := sentinelStory(apart(1, at, 6*time.Second, tt.lost, []string{"redis-1"}))
		_, got := tell(t, p, "set-nx-lua", history.Promoted)
		expectLines(t, got, tt.want...)
	}
}

// The sentinels promote the replica that has most of the primary's stream, whatever its place in
// their list.
func TestSentinelsChooseTheMostAdvancedReplica(t *testing.T) {
	dies := first(faults.Enters)
	dies.After = time.Second // redis-3 has the entry by then
	p := sentinelStory(
		apart(1, faults.Trigger{}, time.Minute, []string{"redis-1"}, []string{"redis-2"}),
		verb("fail-over", 2, plan.BySentinel, dies, faults.End{}))
	_, got := tell(t, p, "set-nx-lua", history.Promoted)
	expectLines(t, got, "redis-3 promoted")
}

// A leader without a majority commits nothing, so a client that reaches only this leader waits.
func TestAMinorityDoesNotServe(t *testing.T) {
	const length = 20 * time.Second
	for _, tt := range []struct{ lock, server string }{
		{"etcd-mutex", "etcd-"}, {"zk-sequential", "zk-"}, {"consul-session", "consul-"},
	} {
		p := alone(time.Second, apart(1, at(0), length, []string{"A", tt.server + "1"}, []string{tt.server + "2", tt.server + "3"}))
		p.Workload.Wait = time.Minute
		h := play(t, &p, tt.lock, 1)
		if got := find(t, h, history.Acquired, "A").At.Duration(); got < length {
			t.Errorf("%s: A acquires at %v, in a minority until %v", tt.lock, got, length)
		}
	}
}

// The others notice the death of a leader at once. An ensemble of ZooKeeper tolerates a silent
// leader for five ticks of 2 s; etcd and Consul count its silence in their elections.
func TestASilentLeaderIsReplacedLater(t *testing.T) {
	began := at(time.Second)
	dies := verb("fail-over", 1, plan.ByOperator, began, faults.End{})
	cut := func(d time.Duration) faults.Fault { return apart(1, began, d, []string{"1"}, []string{"2", "3"}) }
	pause := verb("pause", 1, "1", began, faults.End{For: 20 * time.Second})
	for _, tt := range []struct {
		lock, server string
		fault        faults.Fault
		promoted     string
	}{
		{"zk-sequential", "zk-", dies, "2s"},
		{"zk-sequential", "zk-", cut(20 * time.Second), "12s"},
		{"zk-sequential", "zk-", pause, "12s"},
		{"zk-sequential", "zk-", cut(9 * time.Second), ""},
		{"etcd-mutex", "etcd-", cut(20 * time.Second), "2s"},
		{"consul-session", "consul-", cut(20 * time.Second), "2s"},
	} {
		f := tt.fault
		f.Args.Sides = nil
		for _, side := range tt.fault.Args.Sides {
			var names []string
			for _, n := range side {
				names = append(names, tt.server+n)
			}
			f.Args.Sides = append(f.Args.Sides, names)
		}
		if f.Target == "1" {
			f.Target = tt.server + "1"
		}
		p := alone(30*time.Second, f)
		h := play(t, &p, tt.lock, 1)
		got := ""
		for _, e := range h.Events {
			if e.Kind == history.Promoted && got == "" {
				got = e.At.Duration().String()
			}
		}
		if got != tt.promoted {
			t.Errorf("%s, %s: another one leads at %q, want %q", tt.lock, f.Text, got, tt.promoted)
		}
	}
}

// A leader of Consul that has lost its majority keeps renewing sessions for half a second, until
// its leader lease ends.
func TestALeaderOfConsulRenewsAlone(t *testing.T) {
	renewal := func(cut time.Duration) (sent, replied time.Duration) {
		p := alone(20*time.Second, apart(1, at(cut), 10*time.Second, []string{"A", "consul-1"}, []string{"consul-2", "consul-3"}))
		h := play(t, &p, "consul-session", 1)
		for i, e := range h.Events {
			if e.Kind != history.Sent || !strings.HasPrefix(h.Text(e.Text), "RENEW") {
				continue
			}
			for _, r := range h.Events[i:] {
				if r.Kind == history.Replied && slices.Contains(causes(h, r), int32(i)) {
					return e.At.Duration(), r.At.Duration()
				}
			}
			return e.At.Duration(), 0
		}
		t.Fatal("nothing was renewed")
		return 0, 0
	}
	usual, _ := renewal(time.Hour)
	for _, tt := range []struct {
		before  time.Duration // the renewal
		replied bool
	}{{400 * time.Millisecond, true}, {600 * time.Millisecond, false}} {
		sent, replied := renewal(usual - tt.before)
		if sent != usual || (replied != 0) != tt.replied {
			t.Errorf("cut off %v before the renewal: sent at %v, want %v; a reply at %v", tt.before, sent, usual, replied)
		}
	}
}

// causes returns the chain of events that led to one.
func causes(h *history.History, e history.Event) []int32 {
	var all []int32
	for e.Cause != history.NoCause {
		all = append(all, e.Cause)
		e = h.Events[e.Cause]
	}
	return all
}

// A client learns of the new primary at once if it can reach it, even without sending anything. A
// client that is cut off from the new primary before the promotion stays with the old one until the
// cut heals.
func TestAClientLearnsOfAPromotionAtOnce(t *testing.T) {
	for _, tt := range []struct{ lock, server string }{{"set-nx-lua", "redis-"}, {"mysql-unique", "mysql-"}} {
		old, heir := tt.server+"1", tt.server+"2"
		cut := func(from, length time.Duration) faults.Fault {
			return apart(2, at(from), length, []string{"A"}, []string{heir})
		}
		for _, c := range []struct {
			what  string
			fault faults.Fault
			want  string
		}{
			{"cut off after the promotion", cut(3*time.Second, 20*time.Second), heir},
			{"cut off before it", cut(time.Second, 20*time.Second), old},
			{"cut off before it, for a while", cut(time.Second, 3*time.Second), heir},
		} {
			p := alone(8*time.Second, verb("promote", 1, "replica", at(2*time.Second), faults.End{}), c.fault)
			p.Redis.Replicas, p.Database("mysql").Replicas = 1, 1
			h := play(t, &p, tt.lock, 1)
			releasing := find(t, h, history.Releasing, "A").At
			for _, e := range h.Events {
				if e.Kind == history.Sent && h.Name(e.Node) == "A" && e.At >= releasing {
					if got := h.Name(e.Peer); got != c.want {
						t.Errorf("%s, %s: A releases at %s, want %s", tt.lock, c.what, got, c.want)
					}
					break
				}
			}
		}
	}
}

// A database's unsent changes are lost when it crashes.
func TestADatabasesReplicaLacksWhatWasUnderWay(t *testing.T) {
	dies := first(faults.Enters)
	dies.After = 100 * time.Millisecond
	p := withReplica(5 * time.Second)
	p.Clients, p.Database("mysql").Lag = []string{"A"}, 2*time.Second
	p.Faults = []faults.Fault{verb("fail-over", 1, plan.ByOperator, dies, faults.End{})}
	_, got := tell(t, p, "mysql-unique", history.Granted, history.Promoted, history.Replicated)
	expectLines(t, got, "mysql-1 granted lock", "mysql-2 promoted")
}

// How the resource treats tokens, by the definitions of the two fences.
func TestTheFence(t *testing.T) {
	type access struct {
		write   bool
		token   int64
		refused bool
	}
	read := func(token int64, refused bool) access { return access{false, token, refused} }
	write := func(token int64, refused bool) access { return access{true, token, refused} }
	for fence, accesses := range map[plan.Fence][]access{
		plan.FenceNone:           {write(5, false), write(4, false), read(3, false)},
		plan.FenceWrites:         {write(3, false), read(5, false), write(4, false), read(1, false), write(3, true), write(4, false), write(0, false), write(5, false)},
		plan.FenceReadsAndWrites: {write(3, false), read(5, false), write(4, true), read(4, true), write(5, false), write(0, false), read(6, false), write(5, true)},
	} {
		w := New()
		r := resource{w: w, fence: fence}
		c := &client{w: w}
		for i, a := range accesses {
			v := &visit{client: c, write: a.write, token: a.token, read: history.NoCause}
			if r.serve(v); v.refused != a.refused {
				t.Errorf("fence %s, access %d %+v: refused %t", fence, i+1, a, v.refused)
			}
		}
		w.Close()
	}
}

// Servers of NATS forward a request to their leader and forget it: writes are refused at once while
// the leader is dead, and lost while it is paused; reads need no leader.
func TestALossyClusterExecutesNothingOfItsLastLeader(t *testing.T) {
	began := at(time.Second)
	for _, tt := range []struct {
		fault   faults.Fault
		refused time.Duration // until B, which uses another server, learns that a write failed
	}{
		{verb("fail-over", 1, plan.ByOperator, began, faults.End{}), 2 * time.Millisecond},
		{verb("pause", 1, "nats-1", began, faults.End{For: 20 * time.Second}), 500 * time.Millisecond},
	} {
		p := plan.Default()
		p.Name, p.Clients, p.Faults = "lossy", []string{"A", "B"}, []faults.Fault{tt.fault}
		p.Network.Latency = plan.Range{Min: time.Millisecond, Max: time.Millisecond}
		p.Network.Timeout = 500 * time.Millisecond
		p.Workload.Work = plan.Range{Min: 8 * time.Second, Max: 8 * time.Second}
		h := play(t, &p, "nats-kv", 1)
		writes, reads, leads := map[int64]history.Instant{}, 0, 0
		for _, e := range h.Events {
			switch command, _, _ := strings.Cut(h.Text(e.Text), " "); {
			case e.Kind == history.Promoted:
				leads++
			case h.Name(e.Node) == "B" && e.Kind == history.Sent && command == "CREATE" && e.At.Duration() > time.Second && leads == 0:
				writes[e.Value] = e.At
			case e.Kind == history.Executed && writes[e.Value] != 0 && h.Name(e.Peer) == "B":
				t.Errorf("%s: what B wrote at %v was executed at %v", tt.fault.Text, writes[e.Value], e.At)
			case e.Kind == history.Executed && len(writes) > 0 && leads == 0:
				reads++
			case e.Kind == history.TimedOut && writes[e.Value] != 0 && h.Name(e.Node) == "B":
				if took := e.At.Sub(writes[e.Value]); took != tt.refused {
					t.Errorf("%s: B hears after %v that its write has failed, want %v", tt.fault.Text, took, tt.refused)
				}
			}
		}
		if len(writes) < 4 || reads < 3 || leads != 1 {
			t.Errorf("%s: %d writes and %d reads without a leader, and %d elections", tt.fault.Text, len(writes), reads, leads)
		}
	}
}
