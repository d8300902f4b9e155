package live

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"lockstep/internal/real/livestore"
	"lockstep/internal/real/servers"
	"lockstep/internal/store/consul"
)

// Servers spread addresses by gossip, so each has one address for all others, which Raft and
// requests to the leader use. The gossip itself bypasses all links: it only says which servers are
// there, and no session here depends on it.

// host is the loopback address that server i, counted from 0, listens on for the others and calls
// them from; front is the address that it advertises. There are two because Consul advertises the
// port that it listens on.
func host(i int) string  { return fmt.Sprintf("127.0.1.%d", i+1) }
func front(i int) string { return fmt.Sprintf("127.0.2.%d", i+1) }

// cluster says how servers are started: a server is ready when its client gets a session.
func cluster(w livestore.Wish) servers.Cluster {
	least := cmp.Or(leastSession*consul.Second(w.Settings), time.Second)
	from, gossip := host, []string(nil) // gossip: where servers find each other at first
	return servers.Cluster{
		Prepare: func(members []*servers.Server) (err error) {
			var known []string
			if w.Fronts != nil {
				known, err = w.Fronts(front, host)
			} else {
				from = front // no fronts
				known, err = addresses(len(members))
			}
			for i := range known {
				members[i].Bus = known[i]
			}
			if err == nil {
				gossip, err = addresses(len(members))
			}
			return err
		},
		Recipe: func(i int, members []*servers.Server) (servers.Recipe, error) {
			file := filepath.Join(members[i].ConfigDir(), "consul.json")
			return servers.Recipe{
				Args:  []string{"agent", "-config-file", file},
				Files: map[string]string{file: servers.JSON(config(members[i], least, from(i), gossip, i))},
				Child: servers.Child("consul"),
			}, nil
		},
		Ready:   func(ctx context.Context, s *servers.Server) bool { return grantsSessions(ctx, s, least) },
		Failing: "granted no session", Cure: "try `consul version`",
	}
}

// addresses has an address of each server for the others.
func addresses(members int) (all []string, err error) {
	for i := range members {
		addr, err := servers.FreeAddr(front(i))
		if err != nil {
			return nil, err
		}
		all = append(all, addr)
	}
	return all, nil
}

// config is the file consul.json. A dead server stays a member, so that a majority is one
// of all servers. The smallest multiplier of Raft is what Consul recommends for production:
// an election after a second without a leader, which no setting can shorten.
func config(s *servers.Server, least time.Duration, host string, gossip []string, self int) map[string]any {
	off := map[string]bool{"enabled": false}
	return map[string]any{
		"server": true, "bootstrap_expect": len(gossip), "node_name": s.Name, "data_dir": filepath.Join(s.Dir, "data"),
		"client_addr": "127.0.0.1", "bind_addr": host, "serf_lan": front(self), "advertise_addr": front(self),
		"ports": map[string]int{
			"http": servers.Port(s.Addr), "server": servers.Port(s.Bus), "serf_lan": servers.Port(gossip[self]),
			"serf_wan": -1, "dns": -1, "grpc": -1, "grpc_tls": -1,
		},
		"retry_join": slices.Delete(slices.Clone(gossip), self, self+1), "retry_interval": "100ms", "session_ttl_min": least.String(),
		"performance": map[string]int{"raft_multiplier": 1},
		// All clients and links have the same address; 0 is no limit.
		"limits":    map[string]int{"http_max_conns_per_client": 0, "rpc_max_conns_per_client": 0},
		"autopilot": map[string]bool{"cleanup_dead_servers": false},
		"connect":   off, "peering": off, "disable_update_check": true, "disable_coordinates": true,
		"disable_keyring_file": true, "log_level": "warn", "skip_leave_on_interrupt": true,
	}
}

// grantsSessions reports whether a client of the server gets a session: then the cluster has
// a leader that knows this server.
func grantsSessions(ctx context.Context, s *servers.Server, ttl time.Duration) bool {
	var made struct{ ID string }
	wish := map[string]any{"TTL": ttl.String(), "LockDelay": "0s", "NodeChecks": []string{}}
	if s.Ask(ctx, http.MethodPut, "/v1/session/create", wish, &made) != nil {
		return false
	}
	return s.Ask(ctx, http.MethodPut, "/v1/session/destroy/"+made.ID, nil, nil) == nil
}
