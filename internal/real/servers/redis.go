package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/real/osproc"
)

// RedisOptions says how to start a Redis server. The zero value is a primary
// that keeps everything in memory.
type RedisOptions struct {
	Name      string          // in messages and as the name of its directory; "redis" when empty
	Program   string          // path of redis-server; looked up when empty
	Scratch   *osproc.Scratch // where its directory goes; one of its own when nil
	ReplicaOf string          // host:port of the primary, or of a proxy before it; "" for a primary
	// Fsync is when the append-only file reaches the disk: everysec or always; "" for
	// a server without such a file, which forgets everything when it dies.
	Fsync string
	// MinReplicas refuses writes while fewer replicas have been heard of within
	// MinReplicasMaxLag, which Redis knows in whole seconds only; it is rounded up.
	MinReplicas       int
	MinReplicasMaxLag time.Duration
}

// Server is a running server process.
type Server struct {
	Name string
	Addr string // host:port on the loopback interface
	Dir  string

	process *osproc.Process
	redis   RedisOptions    // as it was started, for Restart
	own     *osproc.Scratch // non-nil when the server made it
}

// Times that a start may take before it counts as failed. A server is ready
// within ten milliseconds on a machine at rest.
const (
	startTime     = 20 * time.Second
	startAttempts = 5
)

// StartRedis starts a Redis server and returns when it answers.
func StartRedis(ctx context.Context, o RedisOptions) (*Server, error) {
	if o.Name == "" {
		o.Name = "redis"
	}
	if o.Program == "" {
		program, err := Find("redis-server")
		if err != nil {
			return nil, err
		}
		o.Program = program
	}
	s := &Server{Name: o.Name, redis: o}
	scratch := o.Scratch
	if scratch == nil {
		own, err := osproc.NewScratch()
		if err != nil {
			return nil, err
		}
		scratch, s.own = own, own
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var err error
	for range startAttempts {
		if err = s.start(ctx, o, scratch); !errors.Is(err, errPortTaken) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// errPortTaken: the port was free when it was chosen, and taken a moment later.
var errPortTaken = errors.New("the port was taken by somebody else meanwhile")

// start tries one port. Each try gets a fresh directory: a replica leaves a
// dump of its primary in it even when saving is off, and a later start in the
// same directory would load the old keys, stale locks among them.
func (s *Server) start(ctx context.Context, o RedisOptions, scratch *osproc.Scratch) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	dir, err := scratch.Fresh(o.Name)
	if err != nil {
		return err
	}
	s.Dir, s.Addr = dir, net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	return s.spawn(ctx, o)
}

// spawn starts the process on the port and in the directory that were chosen.
func (s *Server) spawn(ctx context.Context, o RedisOptions) error {
	log, err := os.Create(filepath.Join(s.Dir, "log"))
	if err != nil {
		return fmt.Errorf("no log for %s: %w: free some space, or set TMPDIR to a directory that can be written", o.Name, err)
	}
	defer log.Close() // the child has its own
	_, port, _ := net.SplitHostPort(s.Addr)
	cmd := exec.Command(o.Program, redisArgs(port, s.Dir, &o)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.Dir, log, log
	process, err := osproc.Start(cmd)
	if err != nil {
		return err
	}
	s.process = process
	if err := s.waitReady(ctx); err != nil {
		return errors.Join(err, process.Kill())
	}
	return nil
}

// Restart starts a server that has been killed on its port and in its directory
// again, as a replica of another one unless replicaOf is empty. Without an
// append-only file it comes back empty: the dump that replication leaves behind
// is removed, since no such server is asked to keep one.
//
// A server that was killed has lost nothing of its file, whatever Fsync says: what
// it wrote is in the memory of the operating system. Only the death of the whole
// machine would show the difference.
func (s *Server) Restart(ctx context.Context, replicaOf string) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	s.redis.ReplicaOf = replicaOf
	if s.redis.Fsync == "" {
		if err := os.Remove(filepath.Join(s.Dir, dumpFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s cannot be made to forget: %w", s.Name, err)
		}
	}
	for {
		err := s.spawn(ctx, s.redis)
		if !errors.Is(err, errPortTaken) || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(portPause):
		}
	}
}

const (
	// dumpFile is where a full sync is stored, with saving off as well.
	dumpFile = "dump.rdb"
	// portPause is between two tries to have an old port back.
	portPause = 20 * time.Millisecond
)

// redisArgs are the flags of a server.
//
// repl-diskless-sync no: the default sends the first sync to a replica without
// a file, but waits five seconds for more replicas to come (a flag cures that),
// and in a quarter of the starts another second until the replica has confirmed
// it, in which writes are kept back. With a file it takes ten milliseconds more
// and never that second. Replicas get the flag too, since after a fail-over it
// is they who serve.
//
// hz: WAIT and expiry are as coarse as the server's timer, 100 ms by default,
// which is a lot of a one-second lease.
func redisArgs(port, dir string, o *RedisOptions) []string {
	args := []string{
		"--port", port, "--bind", "127.0.0.1", "--protected-mode", "no",
		"--save", "", "--dir", dir, "--dbfilename", dumpFile, "--daemonize", "no",
		"--repl-diskless-sync", "no", "--hz", "100",
	}
	if o.Fsync == "" {
		args = append(args, "--appendonly", "no")
	} else {
		args = append(args, "--appendonly", "yes", "--appendfsync", o.Fsync)
	}
	if o.ReplicaOf != "" {
		host, port, _ := net.SplitHostPort(o.ReplicaOf)
		args = append(args, "--replicaof", host+" "+port)
	}
	if o.MinReplicas > 0 {
		seconds := (o.MinReplicasMaxLag + time.Second - 1) / time.Second
		args = append(args, "--min-replicas-to-write", strconv.Itoa(o.MinReplicas),
			"--min-replicas-max-lag", strconv.Itoa(int(max(seconds, 1))))
	}
	return args
}

// freePort finds a port that is free now. It may be taken before the server
// binds it; port 0 is no way out, it switches TCP off in Redis.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("no free port on 127.0.0.1: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// waitReady waits until the server answers. It asks for the number of the
// process: when somebody else has got the port, a foreign server may answer
// while ours is still on its way to fail.
func (s *Server) waitReady(ctx context.Context) error {
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		select {
		case <-s.process.Done():
			return s.startFailed()
		case <-ctx.Done():
			return fmt.Errorf("%s did not answer on %s: %w: is the machine overloaded?", s.Name, s.Addr, context.Cause(ctx))
		case <-time.After(pause):
		}
		info, err := s.Info(ctx, "server")
		if err != nil {
			continue
		}
		if info["process_id"] != strconv.Itoa(s.Pid()) {
			return errPortTaken
		}
		// INFO is answered while the append-only file is still being read.
		if disk, err := s.Info(ctx, "persistence"); err == nil && disk["loading"] == "0" {
			return nil
		}
	}
}

func (s *Server) startFailed() error {
	log := s.LastLog()
	if strings.Contains(log, "Address already in use") {
		return errPortTaken
	}
	return fmt.Errorf("%s ended at its start (%s): %s: try `redis-server --version`, and free memory and disk space", s.Name, s.process.Ended(), log)
}

// LastLog returns the last line of the server's log with something in it.
func (s *Server) LastLog() string {
	raw, err := os.ReadFile(filepath.Join(s.Dir, "log"))
	if err != nil {
		return "no log"
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
