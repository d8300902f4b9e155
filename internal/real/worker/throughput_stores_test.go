package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/servers"
	"lockstep/internal/store"
	"lockstep/internal/store/sql"
)

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
