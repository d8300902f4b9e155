package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/real/osproc"
)

// EtcdOptions says how to start an etcd cluster. The zero value is one member
// with the fastest timers that etcd is happy with.
type EtcdOptions struct {
	Name    string          // in messages, and of the directories: etcd-1, etcd-2; "etcd" when empty
	Members int             // 1 when 0
	Program string          // path of etcd; looked up when empty
	Scratch *osproc.Scratch // where the directories go; one of its own when nil
	// Election is the election timeout, at least 100 ms, which is also the
	// default; a leader shows itself ten times in it. Leases are not shorter than
	// one and a half of it, rounded up to whole seconds.
	Election time.Duration
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
	if o.Program == "" {
		program, err := Find("etcd")
		if err != nil {
			return nil, err
		}
		o.Program = program
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var err error
	for range startAttempts {
		var members []*Server
		if members, err = startMembers(ctx, o); err == nil {
			return members, nil
		}
		for _, s := range members {
			err = errors.Join(err, s.Stop())
		}
		if !errors.Is(err, errPortTaken) {
			break
		}
	}
	return nil, err
}

// startMembers makes one try, with ports and directories of its own. The members
// that it has started are returned with an error, too.
func startMembers(ctx context.Context, o EtcdOptions) ([]*Server, error) {
	var names, peers, cluster []string
	for i := range o.Members {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		names = append(names, o.Name+"-"+strconv.Itoa(i+1))
		peers = append(peers, "http://127.0.0.1:"+strconv.Itoa(port))
		cluster = append(cluster, names[i]+"="+peers[i])
	}
	var members []*Server
	for i, name := range names {
		s := &Server{Name: name}
		members = append(members, s)
		if err := s.startEtcd(o, peers[i], strings.Join(cluster, ",")); err != nil {
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

func (s *Server) startEtcd(o EtcdOptions, peer, cluster string) error {
	scratch := o.Scratch
	if scratch == nil {
		own, err := osproc.NewScratch()
		if err != nil {
			return err
		}
		scratch, s.own = own, own
	}
	dir, err := scratch.Fresh(s.Name)
	if err != nil {
		return err
	}
	s.Dir = dir
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return fmt.Errorf("no log for %s: %w: free some space, or set TMPDIR to a directory that can be written", s.Name, err)
	}
	defer log.Close() // the child has its own
	port, err := freePort()
	if err != nil {
		return err
	}
	s.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	cmd := exec.Command(o.Program, etcdArgs(s, o.Election, peer, cluster)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	s.process, err = osproc.Start(cmd)
	return err
}

// etcdArgs are the flags of one member. etcd wants the election timeout to be
// at least five heartbeats; ten are its own proportion.
func etcdArgs(s *Server, election time.Duration, peer, cluster string) []string {
	client := "http://" + s.Addr
	return []string{
		"--name", s.Name, "--data-dir", filepath.Join(s.Dir, "data"),
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
		"--initial-cluster", cluster, "--initial-cluster-state", "new",
		"--heartbeat-interval", strconv.FormatInt(election.Milliseconds()/10, 10),
		"--election-timeout", strconv.FormatInt(election.Milliseconds(), 10),
		"--log-level", "error",
	}
}

// waitHealthy waits until the member says that it has a leader. A client that
// connects before that waits a second before it tries again.
func (s *Server) waitHealthy(ctx context.Context) error {
	for {
		select {
		case <-s.Done():
			return s.etcdFailed()
		case <-ctx.Done():
			return fmt.Errorf("%s was not healthy on %s: %w: is the machine overloaded?", s.Name, s.Addr, context.Cause(ctx))
		case <-time.After(5 * time.Millisecond):
		}
		if s.healthy(ctx) {
			break
		}
	}
	select {
	case <-s.Done(): // it was somebody else who answered on that port
		return s.etcdFailed()
	default:
		return nil
	}
}

// healthy asks the member's page about its health.
func (s *Server) healthy(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Addr+"/health", nil)
	if err != nil {
		return false
	}
	request.Close = true
	reply, err := http.DefaultClient.Do(request)
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
	log := s.LastLog()
	if strings.Contains(log, "address already in use") {
		return errPortTaken
	}
	return fmt.Errorf("%s ended at its start (%s): %s: try `etcd --version`, and free memory and disk space", s.Name, s.process.Ended(), log)
}
