// Package servers starts real servers on the loopback interface, as child processes or in other
// places, and stops them without leaving anything behind.
package servers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/real/images"
	"lockstep/internal/real/redisconn"
	"lockstep/internal/store/redis"
)

// Server is a running server.
type Server struct {
	Name    string
	Addr    string // host:port on the loopback interface
	Bus     string // host:port for the other servers of a cluster
	Dir     string // of its files, as the server sees it
	Process        // nil before the first start

	product    images.Product
	launcher   Launcher
	place      Place            // nil before the first start
	said       Clip             // logs of former processes
	unread     bool             // said lacks the log of the last process
	mark       string           // see Mark
	recipe     Recipe           // of the last start
	close      func() error     // see AtStop; may be nil
	redis      RedisOptions     // for Restart
	alone      *Alone           // nil unless started by StartAlone
	clock      *clock           // of libfaketime; nil for the host's
	watches    *SentinelOptions // nil for all but sentinels
	configured string           // mark of the configuration that a sentinel has
}

// move gives the server a fresh place, and removes its old one.
func (s *Server) move(ctx context.Context) error {
	s.remember()
	if s.place != nil {
		if err := s.place.Remove(); err != nil {
			return err
		}
		s.place = nil
	}
	place, err := s.launcher.Place(ctx, s.product, s.Name)
	if err != nil {
		return err
	}
	s.place, s.Dir = place, place.Dir()
	return nil
}

// settle gives the server a fresh place, and addresses with free ports; to one that the user has
// started, its own.
func (s *Server) settle(ctx context.Context) error {
	if err := s.move(ctx); err != nil {
		return err
	}
	if r, ok := s.place.(Resident); ok {
		s.Addr = r.Addr()
		return nil
	}
	var noAddr, noBus error
	s.Addr, noAddr = FreeAddr("127.0.0.1")
	s.Bus, noBus = FreeAddr("127.0.0.1")
	return errors.Join(noAddr, noBus)
}

// launch starts the server's process in its place.
func (s *Server) launch(ctx context.Context, r Recipe) error {
	s.remember()
	s.recipe = r
	if s.clock != nil {
		env, err := s.clock.begin(s.place)
		if err != nil {
			return err
		}
		r.Env, r.Faketime, r.Threads = env, true, s.alone.Threads
	}
	process, err := s.place.Start(ctx, r)
	if err == nil {
		s.Process, s.unread = process, true
	}
	return err
}

// ended reports whether the server's process has ended.
func (s *Server) ended() bool {
	select {
	case <-s.Done():
		return true
	default:
		return false
	}
}

// Stop kills the server and removes its place. It may be called twice.
func (s *Server) Stop() error {
	s.quit()
	var errs []error
	if s.Process != nil && !s.resident() {
		errs = append(errs, s.Kill())
	}
	s.remember()
	if s.place != nil {
		errs = append(errs, s.place.Remove())
		s.place = nil
	}
	if s.close != nil {
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}

// LastLog returns the last line of the server's log that is not blank.
func (s *Server) LastLog() string {
	if s.place == nil {
		return "no log"
	}
	return lastLine(s.place.Log())
}

// failedAtStart is the error of a process that has ended before it was ready, ErrPortTaken if
// its log says so. cure is what to do.
func (s *Server) failedAtStart(cure string) error {
	log := s.place.Log()
	if bytes.Contains(bytes.ToLower(log), []byte("address already in use")) {
		return s.portTaken(lastLine(log))
	}
	if full := s.fullDisk(nil); full != nil {
		cure = full.Error()
	}
	return fmt.Errorf("%s ended at its start (%s); %s: %s", s.Name, s.Ended(), s.lastWords(), cure)
}

// DeathTime bounds the wait for the news of a process's end, of which its connections learn first.
const DeathTime = 250 * time.Millisecond

// OrDied is the error of a server whose process has ended before it was ready, instead of one that
// follows from that.
func (s *Server) OrDied(err error) error {
	if err == nil {
		return nil
	}
	select {
	case <-s.Done():
		return s.failedAtStart("free memory and disk space")
	case <-time.After(DeathTime):
		return err
	}
}

// portTaken is the error of a server whose port was taken, with the last line of its log.
func (s *Server) portTaken(log string) error {
	return fmt.Errorf("%s ended at its start (%s): %s: %w: try again, and see with `ss -ltnp` who takes the ports", s.Name, s.Ended(), log, ErrPortTaken)
}

// whileAlive returns a context that ends with the server's process: its port may then
// belong to another process, which may never answer.
func (s *Server) whileAlive(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	ended := s.Done() // of this process, not of the next one
	go func() {
		select {
		case <-ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// lastLine returns the last line of an output that is neither blank nor a frame of a stack trace of
// Java, which stand behind what happened.
func lastLine(output []byte) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	at := len(lines) - 1
	for at > 0 && stackFrame.MatchString(lines[at]) {
		at--
	}
	return strings.TrimSpace(lines[at])
}

var stackFrame = regexp.MustCompile(`^\s*(?:at \S+\(|\.\.\. \d+ more|$)`)

// commandTime bounds one command: a frozen server never answers.
const commandTime = 5 * time.Second

// Command sends one command of Redis on a new connection, bypassing all links.
func (s *Server) Command(ctx context.Context, args ...string) (redis.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	reply, err := redisconn.Ask(ctx, s.Addr, args...)
	if err != nil {
		return reply, fmt.Errorf("%s did not do %s: %w", s.Name, strings.Join(args, " "), err)
	}
	return reply, nil
}

// Info returns one section of the server's INFO.
func (s *Server) Info(ctx context.Context, section string) (map[string]string, error) {
	reply, err := s.Command(ctx, "INFO", section)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for line := range strings.Lines(reply.Str) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			out[key] = value
		}
	}
	return out, nil
}

// WaitReplicas returns when the replicas are in step with this primary.
//
// Connections are not enough. After the first sync, the primary may hold back its stream of
// writes until it has heard from the replica, and a lock acquired meanwhile would be lost in a
// failover that it should survive. So a message goes through the stream, and all replicas have
// to have it. The primary also has to know that they have it, which it learns once per second:
// until then WAIT waits for writes that have long arrived. (WAIT itself cannot ask for this:
// its question goes through the stream, too, and the answer does not include it.)
func (s *Server) WaitReplicas(ctx context.Context, replicas []*Server) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	err := s.Soon(ctx, notTogether, func(ctx context.Context) (bool, error) { return s.connected(ctx, replicas) }, replicas...)
	if err != nil {
		return err
	}
	message := []string{"PUBLISH", "lockstep", "in step"}
	if s.redis.Cluster != nil {
		message = []string{"FLUSHALL"} // PUBLISH would go over the cluster's bus
	}
	if _, err := s.Command(ctx, message...); err != nil {
		return err
	}
	info, err := s.Info(ctx, "replication")
	if err != nil {
		return err
	}
	target, err := strconv.ParseInt(info["master_repl_offset"], 10, 64)
	if err != nil {
		return fmt.Errorf("%s does not say how far its replication is: %w", s.Name, err)
	}
	err = s.Soon(ctx, notTogether, func(ctx context.Context) (bool, error) {
		info, err := s.Info(ctx, "replication")
		if err != nil {
			return false, err
		}
		if good, counts := info["min_slaves_good_slaves"]; counts && good < strconv.Itoa(s.redis.MinReplicas) {
			return false, nil // the primary still refuses writes
		}
		for _, r := range replicas {
			info, err := r.Info(ctx, "replication")
			if err != nil {
				return false, err
			}
			if at, err := strconv.ParseInt(info["slave_repl_offset"], 10, 64); err != nil || at < target {
				return false, err
			}
		}
		return true, nil
	}, replicas...)
	if err != nil {
		return err
	}
	return s.Soon(ctx, notTogether, func(ctx context.Context) (bool, error) {
		info, err := s.Info(ctx, "replication")
		return known(info) >= len(replicas), err
	}, replicas...)
}

// notTogether is what a server failed to do that waits for others, see Soon.
const notTogether = "did not come together with the others"

// known counts the replicas that have confirmed all of the primary's stream. info is the
// primary's INFO replication, in which each replica has a line such as
//
//	slave0:ip=127.0.0.1,port=7001,state=online,offset=235,lag=0
func known(info map[string]string) (n int) {
	has := "offset=" + info["master_repl_offset"]
	for key, line := range info {
		if strings.HasPrefix(key, "slave") && slices.Contains(strings.Split(line, ","), has) {
			n++
		}
	}
	return n
}

// connected asks both ends: while the primary still counts a connected replica as syncing, WAIT
// does not count that replica.
func (s *Server) connected(ctx context.Context, replicas []*Server) (bool, error) {
	info, err := s.Info(ctx, "replication")
	if err != nil {
		return false, err
	}
	online := 0
	for key, value := range info {
		if strings.HasPrefix(key, "slave") && strings.Contains(value, "state=online") {
			online++
		}
	}
	for _, r := range replicas {
		info, err := r.Info(ctx, "replication")
		if err != nil {
			return false, err
		}
		if info["master_link_status"] != "up" {
			return false, nil
		}
	}
	return online >= len(replicas), nil
}
