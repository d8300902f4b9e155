package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/real/osproc"
)

// ConsulOptions says how to start a Consul cluster. The zero value is one server.
type ConsulOptions struct {
	Name     string          // in messages, and of the directories: consul-1, consul-2; "consul" when empty
	Members  int             // 1 when 0
	Program  string          // path of consul; looked up when empty
	Scratch  *osproc.Scratch // where the directories go; one of its own when nil
	Launcher Launcher        // where they run; as children with directories in Scratch when nil
	// LeastTTL is the shortest session that the servers grant, a second when 0. Consul
	// comes with ten.
	LeastTTL time.Duration
	// Fronts, if set, is how servers reach each other. It returns for each of them the
	// address by which all others know it, on the host ConsulFront. Who calls there calls
	// from ConsulHost, and is to be led to the same port of the called one's ConsulHost.
	// It is called before any runs, and again when a try to start them has failed.
	Fronts func() ([]string, error)
}

// ConsulHost is the loopback address that a server, counted from 0, listens on for the
// others and calls them from; ConsulFront is the one by which they know it. A server has
// the same port on both, so there have to be two: Consul tells its address, its gossip
// included, but no other port than it listens on.
func ConsulHost(i int) string { return fmt.Sprintf("127.0.1.%d", i+1) }

// ConsulFront: see ConsulHost.
func ConsulFront(i int) string { return fmt.Sprintf("127.0.2.%d", i+1) }

// StartConsul starts the servers of a cluster and returns when a client of any of them
// gets a session. Stop has to be called on each of them.
func StartConsul(ctx context.Context, o ConsulOptions) ([]*Server, error) {
	if o.Name == "" {
		o.Name = "consul"
	}
	o.Members = max(o.Members, 1)
	if o.LeastTTL == 0 {
		o.LeastTTL = time.Second
	}
	return together(ctx, slowStartTime, func(ctx context.Context) ([]*Server, error) { return startConsuls(ctx, o) })
}

// startConsuls makes one try, with ports and directories of its own. The servers that it
// has started are returned with an error, too.
func startConsuls(ctx context.Context, o ConsulOptions) ([]*Server, error) {
	known, host := make([]string, o.Members), ConsulHost
	if o.Fronts != nil {
		var err error
		if known, err = o.Fronts(); err != nil {
			return nil, err
		}
	} else {
		host = ConsulFront // nobody stands between
		for i := range known {
			port, err := freePort()
			if err != nil {
				return nil, err
			}
			known[i] = net.JoinHostPort(ConsulFront(i), strconv.Itoa(port))
		}
	}
	var gossip []string // addresses at which servers find each other at first
	var members []*Server
	for i := range o.Members {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		gossip = append(gossip, net.JoinHostPort(ConsulFront(i), strconv.Itoa(port)))
	}
	for i := range o.Members {
		s := &Server{Name: o.Name + "-" + strconv.Itoa(i+1), Bus: known[i], launcher: launcherOr(o.Launcher, o.Scratch)}
		members = append(members, s)
		if err := s.startConsul(ctx, &o, host(i), gossip, gossip[i]); err != nil {
			return members, err
		}
	}
	for _, s := range members {
		err := s.await(ctx, wait{
			first: 10 * time.Millisecond, longest: 20 * time.Millisecond,
			failing: "granted no session on " + s.Addr, ended: s.consulFailed,
		}, func() (bool, error) {
			for _, other := range members { // without one of them there is no cluster at first
				if other.ended() {
					return false, other.consulFailed()
				}
			}
			return s.grantsSessions(ctx, o.LeastTTL), nil
		})
		if err != nil {
			return members, err
		}
	}
	return members, nil
}

func (s *Server) startConsul(ctx context.Context, o *ConsulOptions, host string, all []string, gossip string) error {
	if _, err := s.settle(ctx); err != nil {
		return err
	}
	text, err := json.MarshalIndent(consulConfig(s, o, host, all, gossip), "", "  ")
	if err != nil {
		return err
	}
	config := filepath.Join(s.place.ConfigDir(), "consul.json")
	return s.launch(ctx, Recipe{
		Args:  []string{"agent", "-config-file", config},
		Files: map[string]string{config: string(text)},
		Child: func(context.Context) (*exec.Cmd, error) { return childOf(o.Program, "consul") },
	})
}

// consulConfig is the file consul.json. A server that is dead stays a member, so that a
// majority is one of all. The least multiplier of Raft is what Consul recommends for
// production: a second without a sign of the leader, and then an election; no setting
// makes it shorter.
func consulConfig(s *Server, o *ConsulOptions, host string, all []string, gossip string) map[string]any {
	number := func(address string) int {
		_, port, _ := net.SplitHostPort(address)
		n, _ := strconv.Atoi(port) // ours
		return n
	}
	front, _, _ := net.SplitHostPort(gossip)
	off := map[string]bool{"enabled": false}
	return map[string]any{
		"server": true, "bootstrap_expect": o.Members, "node_name": s.Name, "data_dir": filepath.Join(s.Dir, "data"),
		"client_addr": "127.0.0.1", "bind_addr": host, "serf_lan": front, "advertise_addr": front,
		"ports": map[string]int{
			"http": number(s.Addr), "server": number(s.Bus), "serf_lan": number(gossip),
			"serf_wan": -1, "dns": -1, "grpc": -1, "grpc_tls": -1,
		},
		"retry_join": slices.DeleteFunc(slices.Clone(all), func(a string) bool { return a == gossip }), "retry_interval": "100ms", "session_ttl_min": o.LeastTTL.String(),
		"performance": map[string]int{"raft_multiplier": 1},
		// All clients, and all links, have one address; 0 is no limit.
		"limits":    map[string]int{"http_max_conns_per_client": 0, "rpc_max_conns_per_client": 0},
		"autopilot": map[string]bool{"cleanup_dead_servers": false},
		"connect":   off, "peering": off, "disable_update_check": true, "disable_coordinates": true,
		"disable_keyring_file": true, "log_level": "warn", "skip_leave_on_interrupt": true,
	}
}

func (s *Server) consulFailed() error {
	return s.failedAtStart("try `consul version`, and free memory and disk space")
}

// grantsSessions reports whether a client of the server gets a session: the cluster has a
// leader then, and that knows this server.
func (s *Server) grantsSessions(ctx context.Context, ttl time.Duration) bool {
	var made struct{ ID string }
	wish := map[string]any{"TTL": ttl.String(), "LockDelay": "0s", "NodeChecks": []string{}}
	if s.consul(ctx, http.MethodPut, "/v1/session/create", wish, &made) != nil {
		return false
	}
	return s.consul(ctx, http.MethodPut, "/v1/session/destroy/"+made.ID, nil, nil) == nil
}

// LeadsConsul reports whether the server says that it leads its cluster.
func (s *Server) LeadsConsul(ctx context.Context) bool {
	var leader string
	err := s.consul(ctx, http.MethodGet, "/v1/status/leader", nil, &leader)
	return err == nil && leader == s.Bus
}

// Destroy ends the session that has locked a key, as an operator would; found is false
// when no session has.
func (s *Server) Destroy(ctx context.Context, key string) (session string, found bool, err error) {
	var keys []struct{ Session string }
	err = s.consul(ctx, http.MethodGet, "/v1/kv/"+url.PathEscape(key), nil, &keys)
	if errors.Is(err, errNoKey) || err == nil && (len(keys) == 0 || keys[0].Session == "") {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	session = keys[0].Session
	return session, true, s.consul(ctx, http.MethodPut, "/v1/session/destroy/"+session, nil, nil)
}

var errNoKey = errors.New("consul has no such key")

// consul sends one request past all links. body and answer may be nil.
func (s *Server) consul(ctx context.Context, method, path string, body, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	reply, err := s.exchange(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	switch {
	case reply.StatusCode == http.StatusNotFound:
		return errNoKey
	case reply.StatusCode != http.StatusOK:
		said, _ := io.ReadAll(io.LimitReader(reply.Body, 1000)) // it is only for the message
		return fmt.Errorf("%s answered %s %s with %s: %s", s.Name, method, path, reply.Status, strings.TrimSpace(string(said)))
	case answer == nil:
		return nil
	}
	return json.NewDecoder(reply.Body).Decode(answer)
}
