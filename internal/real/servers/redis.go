package servers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"lockstep/internal/real/images"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/witness"
)

// RedisOptions says how to start a Redis server. The zero value is a primary
// that keeps everything in memory.
type RedisOptions struct {
	Name      string          // in messages and as the name of its directory; "redis" when empty
	Program   string          // path of redis-server; looked up when empty
	Scratch   *osproc.Scratch // where its directory goes; one of its own when nil
	Launcher  Launcher        // where it runs; as a child with a directory in Scratch when nil
	ReplicaOf string          // host:port of the primary, or of a proxy before it; "" for a primary
	// Fsync is when the append-only file reaches the disk: everysec or always; "" for
	// a server without such a file, which forgets everything when it dies.
	Fsync string
	// MinReplicas refuses writes while fewer replicas have been heard of within
	// MinReplicasMaxLag, which Redis knows in whole seconds only; it is rounded up.
	MinReplicas       int
	MinReplicasMaxLag time.Duration
	// Source is the loopback address that the server connects from, so that a
	// link.Front knows it; "" for any.
	Source string
	// Announce is the host:port under which others are told to find the server;
	// "" for its own address.
	Announce string
	// Cluster makes the server a node of a Redis Cluster; nil for none. See FormCluster.
	Cluster *ClusterOptions
	// Clock starts the server under libfaketime: SetClock and JumpClock need it.
	Clock bool
}

// Times that a start may take before it counts as failed. A server is ready
// within ten milliseconds on a machine at rest, and one that dies is noticed at once: this
// is for a machine that has other things to do.
const (
	startTime     = 2 * time.Minute
	startAttempts = 5
)

// StartRedis starts a Redis server and returns when it answers.
func StartRedis(ctx context.Context, o RedisOptions) (*Server, error) {
	if o.Name == "" {
		o.Name = "redis"
	}
	s := &Server{Name: o.Name, redis: o, product: images.Redis, launcher: launcherOr(o.Launcher, o.Scratch)}
	if o.Clock {
		s.clock = &clock{}
	}
	return s.startSomewhere(ctx)
}

// startSomewhere starts the server on some port that is free, and returns when it
// answers.
func (s *Server) startSomewhere(ctx context.Context) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var err error
	for range startAttempts {
		if err = s.start(ctx); !errors.Is(err, ErrPortTaken) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// ErrPortTaken: the port was free when it was chosen, and taken a moment later.
var ErrPortTaken = errors.New("the port was taken by another program meanwhile")

// start tries one port. Each try gets a fresh place: a replica leaves a dump of
// its primary in it even when saving is off, and a later start in the same place
// would load the old keys, stale locks among them.
func (s *Server) start(ctx context.Context) error {
	if err := s.move(ctx); err != nil {
		return err
	}
	if r, ok := s.place.(Resident); ok {
		s.Addr = r.Addr()
		return s.moveIn(ctx, r)
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	s.mark = newMark(s.Name)
	s.Addr = loopback(port)
	if s.redis.Cluster != nil {
		if port, err = freePort(); err != nil {
			return err
		}
		s.Bus = loopback(port)
	}
	return s.spawn(ctx)
}

// spawn starts the process on the port and in the place that were chosen.
func (s *Server) spawn(ctx context.Context) error {
	prepare := s.redisRecipe
	if s.watches != nil {
		prepare = s.sentinelRecipe
	}
	recipe, err := prepare()
	if err != nil {
		return err
	}
	if err := s.launch(ctx, recipe); err != nil {
		return err
	}
	if err := s.getReady(ctx); err != nil {
		return errors.Join(err, s.process.Kill())
	}
	if _, resident := s.place.(Resident); resident {
		return s.furnish(ctx)
	}
	return nil
}

// getReady waits until a new process answers, and prepares it.
func (s *Server) getReady(ctx context.Context) error {
	err := errors.Join(s.waitReady(ctx), removeShared(s.Pid()))
	switch {
	case err != nil:
	case s.clock != nil:
		err = s.calibrate(ctx, s.Time)
	case s.watches != nil:
		err = s.hurry(ctx)
	}
	return err
}

func (s *Server) redisRecipe() (Recipe, error) {
	_, port, _ := net.SplitHostPort(s.Addr)
	r := Recipe{
		Args:  append(redisArgs(port, s.Dir, s.mark, &s.redis), s.clusterArgs()...),
		Child: func(context.Context) (*exec.Cmd, error) { return childOf(s.redis.Program, "redis-server") },
	}
	if s.clock == nil {
		return r, nil
	}
	var err error
	r.Faketime = true
	r.Env, err = s.clock.begin(s.place)
	return r, err
}

// Restart starts a server that has been killed on its port and in its directory
// again, as a replica of another one unless replicaOf is empty. Without an
// append-only file it comes back empty, in a fresh place: the old one holds the dump
// that replication leaves behind.
//
// A server that was killed has lost nothing of its file, whatever Fsync says: what
// it wrote is in the memory of the operating system. Only the death of the whole
// machine would show the difference.
func (s *Server) Restart(ctx context.Context, replicaOf string) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	s.redis.ReplicaOf = replicaOf
	if s.redis.Cluster != nil {
		s.forget()
	} else if _, resident := s.place.(Resident); s.redis.Fsync == "" && s.watches == nil && !resident {
		if err := s.move(ctx); err != nil {
			return fmt.Errorf("%s cannot be made to forget: %w", s.Name, err)
		}
	}
	return onOldPort(ctx, s.spawn)
}

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
//
// dbfilename, the file of a full sync, which is made with saving off as well, is
// also what the server is recognised by.
func redisArgs(port, dir, mark string, o *RedisOptions) []string {
	args := []string{
		"--port", port, "--bind", "127.0.0.1", "--protected-mode", "no",
		"--save", "", "--dir", dir, "--dbfilename", mark, "--daemonize", "no",
		"--repl-diskless-sync", "no",
	}
	for _, setting := range redisSettings(o) {
		args = append(args, "--"+setting[0], setting[1])
	}
	if o.ReplicaOf != "" {
		host, port, _ := net.SplitHostPort(o.ReplicaOf)
		args = append(args, "--replicaof", host+" "+port)
	}
	return args
}

// redisSettings are names and values of what a running server can be told, too.
func redisSettings(o *RedisOptions) [][2]string {
	settings := [][2]string{{"hz", "100"}, {"appendonly", "no"}}
	if o.Fsync != "" {
		settings = [][2]string{{"hz", "100"}, {"appendonly", "yes"}, {"appendfsync", o.Fsync}}
	}
	settings = append(settings, witness.Settings)
	if o.Source != "" {
		settings = append(settings, [2]string{"bind-source-addr", o.Source})
	}
	if o.Announce != "" {
		host, port, _ := net.SplitHostPort(o.Announce)
		settings = append(settings, [2]string{"replica-announce-ip", host}, [2]string{"replica-announce-port", port})
	}
	if o.MinReplicas > 0 {
		seconds := (o.MinReplicasMaxLag + time.Second - 1) / time.Second
		settings = append(settings, [2]string{"min-replicas-to-write", strconv.Itoa(o.MinReplicas)},
			[2]string{"min-replicas-max-lag", strconv.Itoa(int(max(seconds, 1)))})
	}
	return settings
}

// freePort finds a port that is free now. It may be taken before the server binds it;
// port 0 is no way out, it switches TCP off in Redis. A server that is down for a
// while, or that binds a port late, must find it free again, so it is not one of
// those that the operating system gives to outgoing connections.
func freePort() (int, error) {
	const lowest, highest, tries = 15000, 32000, 100 // usual systems begin at 32768
	for range tries {
		port := lowest + rand.IntN(highest-lowest)
		if l, err := net.Listen("tcp", loopback(port)); err == nil {
			return port, l.Close()
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("no free port on 127.0.0.1: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// loopback is the address of a port of this machine.
func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// waitReady waits until the server answers. It asks for the mark: if another
// server has got the port, that one may answer before ours fails.
func (s *Server) waitReady(ctx context.Context) error {
	return s.await(ctx, wait{
		first: time.Millisecond, longest: 20 * time.Millisecond,
		failing: "did not answer on " + s.Addr,
		ended: func() error {
			return s.failedAtStart("try `redis-server --version`, and free memory and disk space")
		},
	}, func() (bool, error) {
		known, err := s.showsMark(ctx)
		if err != nil {
			return false, nil
		}
		if !known {
			return false, ErrPortTaken
		}
		if s.watches != nil {
			return true, nil // it has no data to read
		}
		// INFO is answered while the append-only file is still being read.
		disk, err := s.Info(ctx, "persistence")
		return err == nil && disk["loading"] == "0", nil
	})
}

// showsMark reports whether it is this server that answers on its port. A resident
// one has its port for itself.
func (s *Server) showsMark(ctx context.Context) (bool, error) {
	ctx, cancel := s.whileAlive(ctx)
	defer cancel()
	if _, resident := s.place.(Resident); resident {
		_, err := s.Command(ctx, "PING")
		return true, err
	}
	if s.watches != nil {
		info, err := s.Info(ctx, "server")
		return filepath.Base(info["config_file"]) == s.mark+configSuffix, err
	}
	reply, err := s.Command(ctx, "CONFIG", "GET", "dbfilename")
	return len(reply.Elements()) == 2 && reply.Elements()[1].Str == s.mark, err
}
