package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"

	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/proto"
	"lockstep/internal/real/servers"
	"lockstep/internal/store"
	"lockstep/internal/store/sql"
)

// taker takes a lock and gives it back, once.
type taker struct {
	name string
	pair func(ctx context.Context) error
}

// BenchmarkThroughput takes and releases one uncontended lock on one redis-server with one
// connection: our set-nx-lua through the port of a worker, and common libraries. They take turns in
// short rounds, each of which begins with another one, so that a busy machine slows down all of
// them. The figures are medians over the rounds: pairs per second, and the rates of ours relative
// to each library in the same round.
//
//	port      set-nx-lua through the port; the events are discarded
//	recorded  the same, with every event written to a harness that reads it
//	tapped    bsm-redislock through the tap that a run puts on its connection
//
// A client of a run is as fast as "recorded". "port" is to be compared with the libraries, which
// record nothing, either.
func BenchmarkThroughput(b *testing.B) {
	s := livetest.Redis(b, servers.RedisOptions{})
	ours := []taker{
		{"port", throughPort(b, s.Addr, deaf{})},
		{"recorded", throughPort(b, s.Addr, listening(b))},
		{"tapped", throughTap(b, s.Addr, listening(b))},
	}
	theirs := []taker{
		{"redislock", withRedislock(b, s.Addr)},
		{"redsync", withRedsync(b, s.Addr)},
		{"go-redis", withGoRedis(b, s.Addr)},
	}
	all := append(slices.Clone(ours), theirs...)
	const pairs = 200
	took := inTurn(b, all, pairs)
	for _, t := range all {
		b.ReportMetric(pairs/median(took[t.name]).Seconds(), t.name+"/s")
	}
	for _, our := range ours {
		for _, their := range theirs {
			b.ReportMetric(ratio(took, their, our), our.name+":"+their.name)
		}
	}
}

// inTurn measures all of them in turn, and returns the durations of their rounds.
func inTurn(b *testing.B, all []taker, pairs int) map[string][]time.Duration {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	play := func(t taker) time.Duration {
		began := time.Now()
		for range pairs {
			if err := t.pair(ctx); err != nil {
				b.Fatalf("%s: %v", t.name, err)
			}
		}
		return time.Since(began)
	}
	for _, t := range all {
		play(t) // makes connections and sessions, and loads scripts
	}
	took := map[string][]time.Duration{}
	for round := 0; b.Loop(); round++ {
		for i := range all {
			t := all[(i+round)%len(all)]
			took[t.name] = append(took[t.name], play(t))
		}
	}
	return took
}

// ratio is the median of the durations of one relative to those of another.
func ratio(took map[string][]time.Duration, one, other taker) float64 {
	var ratios []float64
	for i, d := range took[other.name] {
		ratios = append(ratios, float64(took[one.name][i])/float64(d))
	}
	return median(ratios)
}

func median[T cmp.Ordered](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// deaf is a harness that ignores all messages.
type deaf struct{}

func (deaf) Send(any) error    { return nil }
func (deaf) Receive(any) error { select {} }

// listening is a harness that reads all messages.
func listening(b *testing.B) harness {
	b.Helper()
	conn, end, err := proto.Pair()
	if err != nil {
		b.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, end) }()
	b.Cleanup(func() { conn.Close() })
	return conn
}

func benchDeps(w *worker) locks.Deps {
	w.start.Timeout = 3 * time.Second
	env := newEnv(w, "bench")
	return locks.Deps{
		Env: env, Name: "lock", Owner: "A", Lease: 10 * time.Second, Retry: 100 * time.Millisecond, Timeout: w.start.Timeout,
	}
}

func throughPort(b *testing.B, addr string, h harness) func(context.Context) error {
	w := &worker{conn: h}
	d := benchDeps(w)
	w.redis = []*lines{newLines(addr, w.start.Timeout)}
	b.Cleanup(func() { w.redis[0].Close() })
	d.Redis = &port{w, w.primary}
	v, _ := locks.Lookup("set-nx-lua")
	w.turns.take()
	return pairOf(v.New(d))
}

func throughTap(b *testing.B, addr string, h harness) func(context.Context) error {
	w := &worker{conn: h}
	d := benchDeps(w)
	w.start.Endpoints = []string{addr}
	v, _ := locks.Lookup("bsm-redislock")
	lock := must.Get(w.newLibrary(&v, d))(b)
	w.turns.take()
	return pairOf(lock)
}

func pairOf(lock locks.Lock) func(context.Context) error {
	return func(ctx context.Context) error {
		lease, err := lock.Acquire(ctx)
		if err != nil {
			return err
		}
		return lease.Release(context.Background())
	}
}

func client(b *testing.B, addr string) *redis.Client {
	c := redis.NewClient(&redis.Options{Addr: addr})
	b.Cleanup(func() { c.Close() })
	return c
}

func withRedislock(b *testing.B, addr string) func(context.Context) error {
	c := redislock.New(client(b, addr))
	return func(ctx context.Context) error {
		lock, err := c.Obtain(ctx, "lock", 10*time.Second, nil)
		if err != nil {
			return err
		}
		return lock.Release(context.Background())
	}
}

func withRedsync(b *testing.B, addr string) func(context.Context) error {
	r := redsync.New(goredis.NewPool(client(b, addr)))
	return func(ctx context.Context) error {
		m := r.NewMutex("lock", redsync.WithExpiry(10*time.Second))
		if err := m.LockContext(ctx); err != nil {
			return err
		}
		_, err := m.UnlockContext(context.Background())
		return err
	}
}

func withGoRedis(b *testing.B, addr string) func(context.Context) error {
	c := client(b, addr)
	unlock := redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`)
	return func(ctx context.Context) error {
		if err := c.SetNX(ctx, "lock", "a token of 32 characters, always", 10*time.Second).Err(); err != nil {
			return err
		}
		return unlock.Run(context.Background(), c, []string{"lock"}, "a token of 32 characters, always").Err()
	}
}

// BenchmarkThroughputOfStores takes and releases uncontended locks on real servers of all kinds,
// through the ports of workers: with one client, and with sixteen that each have a lock of their
// own. The stores take turns in short rounds, as in BenchmarkThroughput. The figures are medians
// over the rounds: pairs per second, and the rate relative to one redis-server in the same round.
//
// Only "redis-fsync" waits for its disk (see package servers), and all servers share one machine
// with their clients, so the figures compare processor time and the number of messages, not disks
// or networks.
func BenchmarkThroughputOfStores(b *testing.B) {
	stores := storesToMeasure(b)
	for _, clients := range []int{1, 16} {
		b.Run(fmt.Sprintf("%d-clients", clients), func(b *testing.B) {
			var all []taker
			for _, s := range stores {
				all = append(all, taker{s.name, crowdOn(b, s, clients)})
			}
			measureInTurn(b, all, clients)
		})
	}
}

// measured is a store with the lock that is taken there.
type measured struct {
	name, lock string
	connect    func(b *testing.B, w *worker, d *locks.Deps)
}

func storesToMeasure(b *testing.B) []measured {
	var out []measured
	onRedis := func(name string, o servers.RedisOptions) {
		s := livetest.Redis(b, o)
		out = append(out, measured{name, "set-nx-lua", func(b *testing.B, w *worker, d *locks.Deps) {
			w.redis = []*lines{newLines(s.Addr, w.start.Timeout)}
			b.Cleanup(func() { w.redis[0].Close() })
			d.Redis = &port{w, w.primary}
		}})
	}
	onRedis("redis", servers.RedisOptions{})
	onRedis("redis-fsync", servers.RedisOptions{Name: "redis-fsync", Fsync: "always"})
	onQuorum := func(id store.ID, lock string, wish livestore.Wish) {
		for _, wish.Members = range []int{1, 3} {
			var addrs []string
			for _, m := range livetest.Start(b, id, wish).Members {
				addrs = append(addrs, m.Addr)
			}
			name := fmt.Sprintf("%s-of-%d", id, wish.Members)
			out = append(out, measured{name, lock, func(b *testing.B, w *worker, d *locks.Deps) {
				p := must.Get(newStorePort(w, livestore.Of(id), addrs, w.dialDirectly))(b)
				d.Port = p
			}})
		}
	}
	onQuorum(locks.StoreEtcd, "etcd-mutex", livestore.Wish{Election: time.Second})
	onQuorum(locks.StoreZooKeeper, "zk-ephemeral", livestore.Wish{Settings: store.Settings{2 * time.Second}})
	db := startStore(b, sql.MySQLID)
	db.setUp(b, benchWorker())
	return append(out, measured{"mariadb", "mysql-unique", func(b *testing.B, w *worker, d *locks.Deps) { d.Port = db.port(b, w, w.dialDirectly) }})
}

func benchWorker() *worker {
	w := &worker{conn: deaf{}}
	w.start.Timeout = 3 * time.Second
	w.turns.take()
	return w
}

// crowdOn is one acquisition and release by each of some clients at once, each with its own lock.
func crowdOn(b *testing.B, s measured, clients int) func(context.Context) error {
	b.Helper()
	v, ok := locks.Lookup(s.lock)
	if !ok {
		b.Fatalf("no lock %s", s.lock)
	}
	var pairs []func(context.Context) error
	for i := range clients {
		w := benchWorker()
		d := benchDeps(w)
		d.Lease = time.Minute // a busy machine may be late with its renewals
		d.Name = fmt.Sprintf("lock-%s-%d-%d", s.name, clients, i)
		s.connect(b, w, &d)
		lock := v.New(d)
		pairs = append(pairs, func(ctx context.Context) (err error) {
			var lease locks.Lease
			if err = insist(func() error { lease, err = lock.Acquire(ctx); return err }); err == nil {
				err = insist(func() error { return lease.Release(context.Background()) })
			}
			return err
		})
	}
	return func(ctx context.Context) error {
		var all sync.WaitGroup
		errs := make([]error, clients)
		for i, pair := range pairs {
			all.Go(func() { errs[i] = pair(ctx) })
		}
		all.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// insist repeats a statement that a database has rolled back to end a deadlock. Rows next to each
// other in an index suffice for one, and many locks share a table.
func insist(do func() error) error {
	for {
		err := do()
		var refused *sql.Error
		if !errors.As(err, &refused) || refused.Number != 1213 {
			return err
		}
	}
}

// measureInTurn reports the medians of all rates, and of their ratios to the first one.
func measureInTurn(b *testing.B, all []taker, clients int) {
	const pairs = 40
	took := inTurn(b, all, pairs)
	for _, t := range all {
		b.ReportMetric(pairs*float64(clients)/median(took[t.name]).Seconds(), t.name+"/s")
		b.ReportMetric(ratio(took, all[0], t), t.name+":"+all[0].name)
	}
}
