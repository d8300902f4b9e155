package consul

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// ID is the store of locks that keep their entries in Consul.
const ID store.ID = "consul"

func init() {
	store.Register(store.Store{
		ID: ID, Place: 5, Node: "consul", Title: "Consul", About: "A cluster of Consul.",
		// A leader steps down after half a second, its followers wait for one to two seconds, may
		// split their votes, and look for the new leader every half second.
		Timing:   store.Timing{Election: 2500 * time.Millisecond},
		Topology: store.Quorum, Requests: []string{"SESSION", "RENEW", "DESTROY", "ACQUIRE", "RELEASE", "GET"},
		Programs: []store.Program{{Name: "consul", Install: "make consul", Built: true, Version: []string{"version"}}},
		Settings: []store.Setting{{
			Name: "second", Example: "1s", Least: time.Millisecond, Default: time.Second,
			Doc: "What counts as a second for the shortest session, 10 of them, and for the fixed times of the client library, 1ms or more; --scale shortens it.",
		}},
		// A renewal only resets a timer of the leader (session_endpoint.go, Renew).
		Consent: map[history.Effect]store.Consent{history.KeepsAlive: store.OfLeader},
		Evict:   evict,
		New:     func(s store.Setup) store.Model { return New(Second(s.Settings)) },
	})
}

// Second is the length of a second for Consul's shortest session and the fixed times of its client
// library: less than one in a story that is scaled down.
func Second(s store.Settings) time.Duration { return s[0] }

// evict destroys the session that has locked a key.
func evict(ask func(store.Op) (any, error), key string) (session string, found bool, err error) {
	kv, err := store.Value[KV](ask(Get{Key: key}))
	if err != nil || kv.Session == "" {
		return "", false, err
	}
	_, err = ask(DestroySession{Session: kv.Session})
	return kv.Session, true, err
}
