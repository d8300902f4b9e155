package servers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/real/images"
	"lockstep/internal/real/osproc"
)

// EtcdOptions says how to start an etcd cluster. The zero value is one member
// with the fastest timers that etcd is happy with.
type EtcdOptions struct {
	Name     string          // in messages, and of the directories: etcd-1, etcd-2; "etcd" when empty
	Members  int             // 1 when 0
	Program  string          // path of etcd; looked up when empty
	Scratch  *osproc.Scratch // where the directories go; one of its own when nil
	Launcher Launcher        // where they run; as children with directories in Scratch when nil
	// Election is the election timeout, at least 100 ms, which is also the
	// default; a leader shows itself ten times in it. Leases are not shorter than
	// one and a half of it, rounded up to whole seconds.
	Election time.Duration
	// Route, if set, is how members reach each other. It is called for each pair of
	// them before any runs, and again when a try to start them has failed.
	Route Route
}

const fastestElection = 100 * time.Millisecond

// StartEtcd starts the members of a cluster and returns when all of them answer.
// Stop has to be called on each of them.
func StartEtcd(ctx context.Context, o EtcdOptions) ([]*Server, error) {
	if o.Name == "" {
		o.Name = "etcd"
	}
	o.Members = max(o.Members, 1)
	o.Election = max(o.Election, fastestElection)
	return together(ctx, startTime, func(ctx context.Context) ([]*Server, error) { return startMembers(ctx, o) })
}

// startMembers makes one try, with ports and directories of its own. The members
// that it has started are returned with an error, too.
func startMembers(ctx context.Context, o EtcdOptions) ([]*Server, error) {
	var names, listen, cluster []string
	for i := range o.Members {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		names = append(names, o.Name+"-"+strconv.Itoa(i+1))
		listen = append(listen, loopback(port))
	}
	known := listen
	if o.Route != nil {
		known = farAddresses(o.Members)
	}
	for i, name := range names {
		cluster = append(cluster, name+"=http://"+known[i])
	}
	var members []*Server
	for i, name := range names {
		s := &Server{Name: name, product: images.Etcd, launcher: launcherOr(o.Launcher, o.Scratch)}
		members = append(members, s)
		var proxy string
		if o.Route != nil {
			var err error
			if proxy, err = s.openPeerProxy(i, listen, o.Route); err != nil {
				return members, err
			}
		}
		if err := s.startEtcd(ctx, o, listen[i], known[i], proxy, strings.Join(cluster, ",")); err != nil {
			return members, err
		}
	}
	for _, s := range members {
		if err := s.waitHealthy(ctx); err != nil {
			return members, err
		}
	}
	return members, nil
}

// startEtcd starts a member that listens for its peers on one address and is known
// to them by another.
func (s *Server) startEtcd(ctx context.Context, o EtcdOptions, listen, known, proxy, cluster string) error {
	if _, err := s.settle(ctx); err != nil {
		return err
	}
	r := Recipe{
		Args:  etcdArgs(s, o.Election, listen, known, cluster),
		Child: func(context.Context) (*exec.Cmd, error) { return childOf(o.Program, "etcd") },
	}
	if proxy != "" {
		r.Env = map[string]string{"HTTP_PROXY": proxy, "http_proxy": proxy, "NO_PROXY": "", "no_proxy": ""}
	}
	return s.launch(ctx, r)
}

// etcdArgs are the flags of one member. etcd wants the election timeout to be
// at least five heartbeats; ten are its own proportion.
func etcdArgs(s *Server, election time.Duration, listen, known, cluster string) []string {
	client := "http://" + s.Addr
	return []string{
		"--name", s.Name, "--data-dir", filepath.Join(s.Dir, "data"),
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", "http://" + listen, "--initial-advertise-peer-urls", "http://" + known,
		"--initial-cluster", cluster, "--initial-cluster-state", "new",
		"--heartbeat-interval", strconv.FormatInt(election.Milliseconds()/10, 10),
		"--election-timeout", strconv.FormatInt(election.Milliseconds(), 10),
		"--log-level", "error",
	}
}

// waitHealthy waits until the member says that it has a leader. A client that
// connects before that waits a second before it tries again.
func (s *Server) waitHealthy(ctx context.Context) error {
	return s.await(ctx, wait{
		first: 5 * time.Millisecond, longest: 5 * time.Millisecond,
		failing: "was not healthy on " + s.Addr, ended: s.etcdFailed,
	}, func() (bool, error) { return s.healthy(ctx), nil })
}

// healthy asks the member's page about its health.
func (s *Server) healthy(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	reply, err := s.exchange(ctx, http.MethodGet, "/health", nil)
	if err != nil {
		return false
	}
	defer reply.Body.Close()
	var page struct {
		Health string `json:"health"`
	}
	return json.NewDecoder(reply.Body).Decode(&page) == nil && page.Health == "true"
}

func (s *Server) etcdFailed() error {
	return s.failedAtStart("try `etcd --version`, and free memory and disk space")
}

// LeadsEtcd reports whether the member says that it leads its cluster.
func (s *Server) LeadsEtcd(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var status struct {
		Header struct {
			Member string `json:"member_id"`
		} `json:"header"`
		Leader string `json:"leader"`
	}
	err := s.ask(ctx, "/v3/maintenance/status", struct{}{}, &status)
	return err == nil && status.Leader != "" && status.Leader == status.Header.Member
}

// etcdKey is an entry of etcd as its gateway to JSON says it; numbers are texts.
type etcdKey struct {
	Key   []byte `json:"key"`
	Lease int64  `json:"lease,string"`
}

// Revoke ends the lease of a key, or of the one that was created first below the key
// and a slash, as an operator would; a key without a lease it deletes. It returns the
// lease as histories call it, "" for none; found is false when there is no such key.
func (s *Server) Revoke(ctx context.Context, key string) (lease string, found bool, err error) {
	type get struct {
		Key    []byte `json:"key"`
		End    []byte `json:"range_end,omitempty"`
		Limit  int64  `json:"limit,omitempty"`
		Order  string `json:"sort_order,omitempty"`
		Target string `json:"sort_target,omitempty"`
	}
	for _, what := range []get{
		{Key: []byte(key)},
		{Key: []byte(key + "/"), End: []byte(key + "0"), Limit: 1, Order: "ASCEND", Target: "CREATE"},
	} {
		var got struct {
			KVs []etcdKey `json:"kvs"`
		}
		if err := s.ask(ctx, "/v3/kv/range", what, &got); err != nil {
			return "", false, err
		}
		if len(got.KVs) == 0 {
			continue
		}
		kv := got.KVs[0]
		if kv.Lease == 0 {
			return "", true, s.ask(ctx, "/v3/kv/deleterange", get{Key: kv.Key}, &struct{}{})
		}
		return strconv.FormatInt(kv.Lease, 16), true, s.ask(ctx, "/v3/lease/revoke", map[string]string{"ID": strconv.FormatInt(kv.Lease, 10)}, &struct{}{})
	}
	return "", false, nil
}

// ask sends one request to the member's gateway to JSON.
func (s *Server) ask(ctx context.Context, path string, question, answer any) error {
	reply, err := s.exchange(ctx, http.MethodPost, path, question)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s with %s", s.Name, path, reply.Status)
	}
	return json.NewDecoder(reply.Body).Decode(answer)
}
