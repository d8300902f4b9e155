package sim

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/store/redis"
)

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
	tests := []struct {
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
	}
	for _, tt := range tests {
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
