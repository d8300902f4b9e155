package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/store/redis"
)

// A server's leases end by its own clock: a step forward ends them, a step back extends them by as
// much.
func TestAStepOfTheServersClock(t *testing.T) {
	for by, ends := range map[string]time.Duration{"+20s": time.Second, "-5s": 15 * time.Second} {
		h := play(t, story(t, "set-nx-lua", "clients=[A]", "workload.work=30s", "at: 1s, jump-clock: redis-1, by: "+by))
		between(t, "after a step of "+by+" the lease ends", find(t, h, history.Expired, "redis-1").At, ends, ends+100*time.Millisecond)
	}
}

// A server that dies between execution and reply does not reply.
func TestADeadServerDoesNotReply(t *testing.T) {
	_, got := playEvents(t, story(t, "set-nx-lua", "clients=[A]", "workload.wait=up to 1s", "when: A has SET executed, crash: redis-1"),
		history.Crashed, history.Replied, history.Acquired)
	expectLines(t, got, "redis-1 crashed")
}

// A fault that adds lag delays replication by as much.
func TestLagHoldsReplicationBack(t *testing.T) {
	h := play(t, story(t, "set-nx-lua", "clients=[A]", "workload.work=5s", "servers.redis={replicas: 1, lag: 1ms}",
		"when: A is about to send SET, lag: 3s, for: 20s"))
	granted := find(t, h, history.Granted, "redis-1").At.Duration()
	between(t, "replicated", find(t, h, history.Replicated, "redis-2").At, granted+3*time.Second, granted+3*time.Second+10*time.Millisecond)
}

// A primary refuses to write when its replica has been silent for longer than
// min-replicas-max-lag, in whole seconds: with 2 s, at the third second after the cut.
func TestAPrimaryWithoutReplicasRefuses(t *testing.T) {
	h := play(t, story(t, "set-nx-lua", "clients=[A]", "workload={work: 0s, repeat: 60 times, rest: 100ms, wait: up to 100ms}",
		"servers.redis={replicas: 1, min-replicas: 1, min-replicas-max-lag: 2s}", "at: 0s, partition: [redis-1, redis-2], for: 1m"))
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

// watched is a story of A on a primary with two replicas that are half a second behind, and three
// sentinels.
func watched(t *testing.T, more ...string) *plan.Plan {
	return story(t, "set-nx-lua", append([]string{"clients=[A]", "workload.work=8s",
		"servers.redis={replicas: 2, lag: 500ms, failover: {by: sentinel, down-after: 1s, election: 1s}}"}, more...)...)
}

// One of three sentinels that cannot reach the primary does not replace it; two do.
func TestAFailoverNeedsAMajorityOfTheSentinels(t *testing.T) {
	for lost, want := range map[string][]string{"sentinel-1": nil, "[sentinel-1, sentinel-2]": {"redis-2 promoted"}} {
		_, got := playEvents(t, watched(t, "at: 1s, partition: ["+lost+", redis-1], for: 6s"), history.Promoted)
		expectLines(t, got, want...)
	}
}

// The sentinels promote the replica that has most of the primary's stream, whatever its place in
// their list.
func TestSentinelsChooseTheMostAdvancedReplica(t *testing.T) {
	_, got := playEvents(t, watched(t, "at: 0s, partition: [redis-1, redis-2], for: 1m",
		"when: A enters, after: 1s, fail-over: sentinel"), history.Promoted) // redis-3 has the entry by then
	expectLines(t, got, "redis-3 promoted")
}

// A leader without a majority commits nothing, so a client that reaches only this leader waits.
func TestAMinorityDoesNotServe(t *testing.T) {
	const length = 20 * time.Second
	for _, tt := range []struct{ lock, server string }{
		{"etcd-mutex", "etcd-"}, {"zk-sequential", "zk-"}, {"consul-session", "consul-"},
	} {
		h := play(t, story(t, tt.lock, "clients=[A]", "workload.wait=up to 1m",
			fmt.Sprintf("at: 0s, partition: [[A, %[1]s1], [%[1]s2, %[1]s3]], for: 20s", tt.server)))
		if got := find(t, h, history.Acquired, "A").At.Duration(); got < length {
			t.Errorf("%s: A acquires at %v, in a minority until %v", tt.lock, got, length)
		}
	}
}

// The others notice the death of a leader at once. An ensemble of ZooKeeper tolerates a silent
// leader for five ticks of 2 s; etcd and Consul count its silence in their elections.
func TestASilentLeaderIsReplacedLater(t *testing.T) {
	const dies, cut, pause = "fail-over: operator", "partition: [x-1, [x-2, x-3]], for: ", "pause: x-1, for: 20s"
	for _, tt := range []struct{ lock, server, fault, promoted string }{
		{"zk-sequential", "zk-", dies, "2s"},
		{"zk-sequential", "zk-", cut + "20s", "12s"},
		{"zk-sequential", "zk-", pause, "12s"},
		{"zk-sequential", "zk-", cut + "9s", ""},
		{"etcd-mutex", "etcd-", cut + "20s", "2s"},
		{"consul-session", "consul-", cut + "20s", "2s"},
	} {
		fault := strings.ReplaceAll("at: 1s, "+tt.fault, "x-", tt.server)
		h := play(t, story(t, tt.lock, "clients=[A]", "workload.work=30s", fault))
		got := ""
		for _, e := range h.Events {
			if e.Kind == history.Promoted && got == "" {
				got = e.At.Duration().String()
			}
		}
		must.Equalf(t, got, tt.promoted, "%s, %s: another one leads at", tt.lock, fault)
	}
}

// A leader of Consul that has lost its majority keeps renewing sessions for half a second, until
// its leader lease ends.
func TestALeaderOfConsulRenewsAlone(t *testing.T) {
	renewal := func(cut time.Duration) (sent, replied time.Duration) {
		h := play(t, story(t, "consul-session", "clients=[A]", "workload.work=20s",
			fmt.Sprintf("at: %dns, partition: [[A, consul-1], [consul-2, consul-3]], for: 10s", cut)))
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
	for lock, store := range map[string]string{"set-nx-lua": "redis", "mysql-unique": "mysql"} {
		old, successor := store+"-1", store+"-2"
		for _, c := range []struct{ what, at, length, want string }{
			{"cut off after the promotion", "3s", "20s", successor},
			{"cut off before it", "1s", "20s", old},
			{"cut off before it, for a while", "1s", "3s", successor},
		} {
			h := play(t, story(t, lock, "clients=[A]", "workload.work=8s", "servers."+store+".replicas=1", "at: 2s, promote: replica",
				fmt.Sprintf("at: %s, partition: [A, %s], for: %s", c.at, successor, c.length)))
			releasing := find(t, h, history.Releasing, "A").At
			for _, e := range h.Events {
				if e.Kind == history.Sent && h.Name(e.Node) == "A" && e.At >= releasing {
					must.Equalf(t, h.Name(e.Peer), c.want, "%s, %s: A releases at", lock, c.what)
					break
				}
			}
		}
	}
}

// A server that is paused does not notice that a client hangs up: its session ends afterwards.
func TestAPausedServerEndsNoSession(t *testing.T) {
	h := play(t, story(t, "pg-advisory", "when: A enters, pause: postgres-1, for: 5s", "when: A enters, after: 1s, crash: A"))
	if ended, on := find(t, h, history.Expired, "postgres-1").At, find(t, h, history.Thawed, "postgres-1").At; ended < on {
		t.Errorf("A's session ends at %v, and the server goes on at %v", ended, on)
	}
}

// A database's unsent changes are lost when it crashes.
func TestADatabasesReplicaLacksWhatWasUnderWay(t *testing.T) {
	_, got := playEvents(t, withReplica(t, "clients=[A]", "workload.work=5s", "servers.mysql.lag=2s",
		"when: A enters, after: 100ms, fail-over: operator"), history.Granted, history.Promoted, history.Replicated)
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
	for fault, refused := range map[string]time.Duration{ // until B, which uses another server, learns that a write failed
		"at: 1s, fail-over: operator": 2 * time.Millisecond, "at: 1s, pause: nats-1, for: 20s": 500 * time.Millisecond,
	} {
		h := play(t, story(t, "nats-kv", "network={latency: 1ms, timeout: 500ms}", "workload={work: 8s, wait: up to 60s}", fault))
		writes, reads, leads := map[int64]history.Instant{}, 0, 0
		for _, e := range h.Events {
			switch command, _, _ := strings.Cut(h.Text(e.Text), " "); {
			case e.Kind == history.Promoted:
				leads++
			case h.Name(e.Node) == "B" && e.Kind == history.Sent && command == "CREATE" && e.At.Duration() > time.Second && leads == 0:
				writes[e.Value] = e.At
			case e.Kind == history.Executed && writes[e.Value] != 0 && h.Name(e.Peer) == "B":
				t.Errorf("%s: what B wrote at %v was executed at %v", fault, writes[e.Value], e.At)
			case e.Kind == history.Executed && len(writes) > 0 && leads == 0:
				reads++
			case e.Kind == history.TimedOut && writes[e.Value] != 0 && h.Name(e.Node) == "B":
				must.Equalf(t, e.At.Sub(writes[e.Value]), refused,
					"%s: B hears after … that its write has failed", fault)
			}
		}
		if len(writes) < 4 || reads < 3 || leads != 1 {
			t.Errorf("%s: %d writes and %d reads without a leader, and %d elections", fault, len(writes), reads, leads)
		}
	}
}

// withReplica is a story of a lock in a database with one replica.
func withReplica(t *testing.T, more ...string) *plan.Plan {
	return story(t, "mysql-unique", append([]string{
		"servers.mysql={replicas: 1, lag: 10ms}", "workload.wait=up to 1m"}, more...)...)
}

// B cannot reach the new primary and keeps asking the old one, which has restarted as a replica and
// so refuses to write, as MariaDB does.
func TestAReplicaRefusesWritesOfClients(t *testing.T) {
	h := play(t, withReplica(t, "at: 0s, partition: [B, mysql-2], for: 20s",
		"when: A enters, fail-over: operator", "when: A enters, after: 2s, restart: mysql-1, down: 10ms"))
	refused := 0
	for _, e := range h.Events {
		if e.Kind == history.Replied && h.Name(e.Node) == "B" && h.Name(e.Peer) == "mysql-1" &&
			h.Text(e.Text) == "ERROR 1290 (HY000): The MariaDB server is running with the --read-only option so it cannot execute this statement" {
			refused++
		}
	}
	if refused == 0 {
		t.Error("the old primary refused nothing")
	}
	if got := find(t, h, history.Acquired, "B"); got.At < history.Instant(20*time.Second) {
		t.Errorf("B acquired at %v, when it could only reach a replica", got.At)
	}
}

// A replica receives rows that are inserted after a restart of its primary.
func TestAReplicaFollowsAPrimaryThatCameBack(t *testing.T) {
	h := play(t, withReplica(t, "clients=[A]", "workload.work=5s",
		"at: 0s, restart: mysql-1, down: 10ms", "when: A enters, after: 1s, fail-over: operator"))
	must.Equalf(t, h.Name(find(t, h, history.Replicated, "mysql-2").Owner), "A",
		"the replica has the row of")
	find(t, h, history.Released, "A")
}

// A statement's timeout (this lock sets one second) keeps running while its server is paused, and
// ends the statement at the thaw even if no other request arrives.
func TestAPauseOfADatabaseExtendsNoTimeout(t *testing.T) {
	const frozen, thawed = 2500 * time.Millisecond, 3300 * time.Millisecond
	h := play(t, story(t, "mysql-for-update", "workload={work: 20s, wait: up to 1m}",
		fmt.Sprintf("at: %v, pause: mysql-1, for: %v", frozen, thawed-frozen)))
	for _, e := range h.Events {
		if e.Kind == history.Executed && strings.HasPrefix(h.Text(e.Text), "ERROR 1205") && e.At.Duration() > frozen {
			if e.At.Duration() != thawed {
				t.Errorf("B has waited until %v, want the thaw at %v", e.At, thawed)
			}
			return
		}
	}
	t.Error("B's wait never ended")
}

// asks sends one command and is no lock.
type asks struct {
	locks.Deps
	cmd redis.Cmd
}

func (l asks) Acquire(ctx context.Context) (locks.Lease, error) {
	return nil, errors.Join(l.Redis.Do(ctx, l.cmd).Err, errors.New("this is no lock"))
}

// A server is a Redis 7.0 with only those extensions that the lock declares. Otherwise a lock that
// forgot to declare one would work in the simulator only.
func TestAServerHasOnlyWhatTheLockAskedFor(t *testing.T) {
	newer, tair := redis.Command("DELEX", "lock", "IFEQ", "x"), redis.Command("CAD", "lock", "x")
	for _, tt := range []struct {
		name    string
		cmd     redis.Cmd
		servers locks.Servers
		refused bool
	}{
		{"DELEX on Redis 7.0", newer, locks.Servers{}, true},
		{"DELEX with the module TairString", newer, locks.Servers{TairString: true}, true},
		{"DELEX on Redis 8.4", newer, locks.Servers{Redis84: true}, false},
		{"CAD on Redis 7.0", tair, locks.Servers{}, true},
		{"CAD on Redis 8.4", tair, locks.Servers{Redis84: true}, true},
		{"CAD with the module TairString", tair, locks.Servers{TairString: true}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := story(t, "set-nx-lua", "clients=[A]", "workload.wait=up to 1s")
			h := must.Get(PlayVariant(t.Context(), p, locks.Variant{
				ID: "asks", Store: locks.StoreRedis, LeaseUnit: time.Millisecond, Servers: tt.servers,
				New: func(d locks.Deps) locks.Lock { return asks{d, tt.cmd} },
			}, 1))(t)
			refused := slices.ContainsFunc(h.Events, func(e history.Event) bool {
				return e.Kind == history.Replied && strings.Contains(h.Text(e.Text), "unknown command")
			})
			must.Equalf(t, refused, tt.refused, "refused")
		})
	}
}
