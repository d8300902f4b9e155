package real

import (
	"context"
	"errors"

	goredis "github.com/redis/go-redis/v9"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/link"
	"lockstep/internal/real/servers"
	"lockstep/internal/store/redis"
)

// checkRedis returns an error if this world cannot start the Redis servers of a plan.
func checkRedis(p *plan.Plan, v *locks.Variant) error {
	if v.Servers.TairString {
		return errors.New("it needs Redis with the module TairString, which is not looked for: play it in the simulator")
	}
	if v.Servers.Redis84 {
		return errors.New("it needs Redis 8.4 or later, and the servers here are used as 7.0, whatever their version: play it in the simulator")
	}
	if p.InShards(plan.StoreOf(v)) {
		return checkCluster(p, v)
	}
	return nil
}

// anyRedis is the common part of all stores of Redis.
type anyRedis struct {
	*group
	first *member // the server that the lock's entry is on at the beginning; nil if it is on all of them
	heard monitors
}

func newRedis(g *group) store {
	switch {
	case g.h.variant.Store == locks.StoreRedisNodes:
		return &redisNodes{anyRedis{group: g}}
	case g.h.plan.InShards(plan.StoreOf(&g.h.variant)):
		return &redisCluster{anyRedis: anyRedis{group: g}}
	}
	return &redisGroup{anyRedis: anyRedis{group: g}}
}

// options returns the options of a server in a mesh. Demands of the lock's design override
// the plan.
func (r *anyRedis) options(place *peer) servers.RedisOptions {
	o := servers.RedisOptions{Name: place.name, Source: place.source, Announce: place.front.Addr()}
	if demands := &r.h.variant.Servers; demands.MinReplicas > 0 {
		o.MinReplicas, o.MinReplicasMaxLag = demands.MinReplicas, demands.MinReplicasMaxLag
	} else {
		o.MinReplicas, o.MinReplicasMaxLag = r.h.plan.Redis.MinReplicas, r.h.plan.Redis.MinReplicasMaxLag
	}
	return o
}

// launch starts one server.
func (r *anyRedis) launch(ctx context.Context, o servers.RedisOptions) (*member, error) {
	o.Launcher, o.Fsync = r.h.launcher, fsync(r.h.plan, &r.h.variant)
	o.Clock = touchesClock(r.h.plan, o.Name)
	s, err := servers.StartRedis(ctx, o)
	if err != nil {
		return nil, err
	}
	m := r.add(o.Name, s.Addr, s)
	err = r.setClocks([]*member{m})
	r.hear(ctx, m)
	return m, err
}

// again restarts a server, as a replica of another one unless upstream is empty.
func (r *anyRedis) again(ctx context.Context, m *member, upstream string) error {
	err := process(m).Restart(ctx, upstream)
	if err == nil {
		r.hear(ctx, m)
	}
	return err
}

// followRoles tracks the roles of servers that change them without the harness.
func (r *anyRedis) followRoles(members []*member, changed func(m *member, leads bool)) {
	for _, m := range members {
		client := goredis.NewClient(&goredis.Options{
			Addr: m.addr, Protocol: 2, DisableIdentity: true, MaxRetries: -1, DialerRetries: 1,
			DialTimeout: answerTime, ReadTimeout: answerTime, WriteTimeout: answerTime,
		})
		r.h.background.Go(func() {
			defer client.Close()
			r.followRole(m, lookAgainRedis, func(ctx context.Context) (leads bool, err error) {
				role, err := client.Do(ctx, "ROLE").Slice()
				return len(role) > 0 && role[0] == "master", err
			}, changed)
		})
	}
}

// protocol implements store.
func (r *anyRedis) protocol() link.Protocol { return link.Redis }

// fsync returns the fsync policy of a variant's servers; "" without files.
func fsync(p *plan.Plan, v *locks.Variant) string {
	policy := p.Redis.Persistence
	if v.Store == locks.StoreRedisNodes {
		policy = p.Redlock.Persistence
	}
	switch {
	case v.Servers.FsyncAlways:
		return plan.PersistAlways
	case policy == plan.PersistNone:
		return ""
	}
	return policy
}

// forgets reports whether a server that dies loses all entries.
func (r *anyRedis) forgets() bool { return fsync(r.h.plan, &r.h.variant) == "" }

// evict implements store: clients write to the primary, or to all servers.
func (r *anyRedis) evict(one *member) error {
	del := redis.Del(locks.Key)
	by := command{op: del.Op(), words: del.String()}
	for _, m := range r.members {
		if m != one && (one != nil || r.first != nil && m != r.leader) {
			continue
		}
		err := r.eviction(m, by, func(ctx context.Context) (session string, found bool, err error) {
			reply, err := process(m).Command(ctx, "DEL", locks.Key)
			return "", reply.IsInt(1), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// derive implements store.
func (r *anyRedis) derive(entries []entry) []entry {
	if grants, ok := r.account(entries); ok {
		return grants
	}
	return deriveGrants(entries, traits{byKey: true, apart: r.first == nil}, r.h.lease(), r.interference())
}

// redisNodes are the independent primaries of Redlock.
type redisNodes struct{ anyRedis }

// start implements store.
func (n *redisNodes) start(ctx context.Context, names []string) error {
	for _, name := range names {
		if _, err := n.launch(ctx, servers.RedisOptions{Name: name}); err != nil {
			return err
		}
	}
	return nil
}

// restart implements store.
func (n *redisNodes) restart(ctx context.Context, m *member) (empty bool, err error) {
	return n.forgets(), n.again(ctx, m, "")
}
