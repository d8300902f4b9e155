package live

import (
	"context"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/real/livestore"
	"lockstep/internal/real/servers"
)

// The election timeouts of etcd: the shortest that it accepts, and the longest with which it still
// grants a lease of one second, which must be more than one and a half times as long.
const (
	fastestElection = 100 * time.Millisecond
	calmElection    = 600 * time.Millisecond
)

// cluster starts the members and waits until each is healthy. A plan that was scaled down may ask
// for a shorter election than etcd has. Without faults the timeout is long, so that a busy machine
// does not cause elections.
func cluster(w livestore.Wish) servers.Cluster {
	election := max(w.Election, fastestElection)
	if w.Calm {
		election = max(election, calmElection)
	}
	return servers.Cluster{
		Recipe: func(i int, members []*servers.Server) (servers.Recipe, error) {
			return recipe(i, members, w.Route, election)
		},
		Ready: healthy, Failing: "was not healthy", Cure: "try `etcd --version`",
	}
}

// recipe says where a member listens for its peers, and by what addresses all are known.
func recipe(i int, members []*servers.Server, route servers.Route, election time.Duration) (r servers.Recipe, err error) {
	var known, all []string
	for i, s := range members {
		known = append(known, s.Bus)
		if route != nil {
			known[i] = farAddress(i)
		}
		all = append(all, s.Name+"=http://"+known[i])
	}
	r = servers.Recipe{Args: args(members[i], election, known[i], strings.Join(all, ",")), Child: servers.Child("etcd")}
	if route != nil {
		var proxy string
		proxy, err = openPeerProxy(i, members, route)
		r.Env = map[string]string{"HTTP_PROXY": proxy, "http_proxy": proxy, "NO_PROXY": "", "no_proxy": ""}
	}
	return r, err
}

// args are the flags of one member. etcd wants the election timeout to be
// at least five heartbeats; ten are its own proportion.
func args(s *servers.Server, election time.Duration, known, cluster string) []string {
	client := "http://" + s.Addr
	return []string{
		"--name", s.Name, "--data-dir", filepath.Join(s.Dir, "data"),
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", "http://" + s.Bus, "--initial-advertise-peer-urls", "http://" + known,
		"--initial-cluster", cluster, "--initial-cluster-state", "new",
		"--heartbeat-interval", strconv.FormatInt(election.Milliseconds()/10, 10),
		"--election-timeout", strconv.FormatInt(election.Milliseconds(), 10),
		"--log-level", "error",
	}
}

// healthy reports whether the member has a leader. A client that connects earlier waits a
// second before it tries again.
func healthy(ctx context.Context, s *servers.Server) bool {
	var page struct {
		Health string `json:"health"`
	}
	return s.Ask(ctx, http.MethodGet, "/health", nil, &page) == nil && page.Health == "true"
}
