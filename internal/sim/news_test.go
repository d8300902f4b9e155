package sim

import (
	"context"
	"errors"
	"testing"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/store/etcd"
)

// newsOf is no lock: A puts a key after three seconds, of which B's watch brings the news.
type newsOf struct {
	locks.Deps
	heard *time.Duration
}

func (l newsOf) Acquire(ctx context.Context) (locks.Lease, error) {
	store, err := etcd.Client{Port: l.Port}, errors.New("this is no lock")
	if l.Owner == "A" {
		_ = l.Env.Sleep(ctx, 3*time.Second)
		_, _ = store.Do(ctx, etcd.Op{Kind: etcd.Put, Key: "news"})
		return nil, err
	}
	watch, failed := store.Watch(ctx, etcd.Watch{Key: "news"})
	if failed == nil {
		defer watch.Close()
		if _, failed = watch.Next(ctx); failed == nil && l.Owner == "B" && *l.heard == 0 {
			*l.heard = l.Env.Mono()
		}
	}
	return nil, err
}

// A server of a cluster that is cut off from its leader, or stands still, has no news for its
// clients.
func TestACutOffServerHasNoNews(t *testing.T) {
	for fault, want := range map[string]time.Duration{
		"at: 1s, partition: [A, store], for: 1s":                         3 * time.Second,
		"at: 1s, partition: [[B, etcd-2], [A, etcd-1, etcd-3]], for: 6s": 7 * time.Second,
		"at: 1s, partition: [etcd-2, [etcd-1, etcd-3]], for: 6s":         7 * time.Second,
		"at: 1s, pause: etcd-2, for: 6s":                                 7 * time.Second,
	} {
		var heard time.Duration
		p := story(t, "etcd-mutex", "workload={stagger: 0s, wait: up to 10s}", "network.latency=1ms", fault)
		must.Get(PlayVariant(t.Context(), p, locks.Variant{
			ID: "news", Store: etcd.ID, LeaseUnit: time.Second,
			New: func(d locks.Deps) locks.Lock { return newsOf{d, &heard} },
		}, 1))(t)
		if heard < want || heard > want+100*time.Millisecond {
			t.Errorf("%s: B hears at %v, want %v", fault, heard, want)
		}
	}
}
