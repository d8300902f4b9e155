package servers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"lockstep/internal/real/images"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/witness"
)

// RedisOptions says how to start a Redis server. The zero value is a primary without a file.
type RedisOptions struct {
	Name      string   // in messages and as the name of its directory; "redis" when empty
	Program   string   // path of redis-server; looked up when empty
	Launcher  Launcher // nil: a child with a directory of its own
	ReplicaOf string   // host:port of the primary, or of a proxy before it; "" for a primary
	// Fsync is when the append-only file reaches the disk: everysec or always; "" for a server
	// without such a file, whose death loses its data.
	Fsync string
	// MinReplicas refuses writes while fewer replicas have been heard from within
	// MinReplicasMaxLag, which is rounded up to whole seconds.
	MinReplicas       int
	MinReplicasMaxLag time.Duration
	// Source is the loopback address that the server connects from, by which a link.Front
	// recognises it; "" for any.
	Source string
	// Announce is the host:port that the server announces as its own; "" for its address.
	Announce string
	// Cluster makes the server a node of a Redis Cluster; nil for none. See FormCluster.
	Cluster *ClusterOptions
	// Clock starts the server under libfaketime: SetClock and JumpClock need it.
	Clock bool
}

// startTime bounds a start: ten milliseconds on an idle machine, and longer on a busy one. A
// server that dies is noticed at once.
const startTime = 2 * time.Minute

// StartRedis starts a Redis server and returns when it answers.
func StartRedis(ctx context.Context, o RedisOptions) (*Server, error) {
	if o.Name == "" {
		o.Name = "redis"
	}
	s := &Server{Name: o.Name, redis: o, product: images.Redis, launcher: cmp.Or[Launcher](o.Launcher, children{})}
	if o.Clock {
		s.clock = &clock{}
	}
	return s.startSomewhere(ctx)
}

// startSomewhere starts the server on a free port, and returns when it answers.
func (s *Server) startSomewhere(ctx context.Context) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if err := onFreePort(ctx, s.start); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// start tries one port. Each try gets a fresh place: a replica leaves a dump of its primary
// there even when saving is off, and a later start would load its keys.
func (s *Server) start(ctx context.Context) error {
	if err := s.move(ctx); err != nil {
		return err
	}
	if r, ok := s.place.(Resident); ok {
		s.Addr = r.Addr()
		return s.moveIn(ctx, r)
	}
	port, err := FreePort()
	if err != nil {
		return err
	}
	s.mark = newMark(s.Name)
	s.Addr = loopback(port)
	if s.redis.Cluster != nil {
		if port, err = FreePort(); err != nil {
			return err
		}
		s.Bus = loopback(port)
	}
	return s.spawn(ctx)
}

// spawn starts the process on the chosen port and in the chosen place.
func (s *Server) spawn(ctx context.Context) error {
	prepare := s.redisRecipe
	if s.watches != nil {
		prepare = s.sentinelRecipe
	}
	if err := s.launch(ctx, prepare()); err != nil {
		return err
	}
	if err := s.getReady(ctx); err != nil {
		return errors.Join(err, s.Kill())
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

func (s *Server) redisRecipe() Recipe {
	_, port, _ := net.SplitHostPort(s.Addr)
	return Recipe{
		Args:  append(redisArgs(port, s.Dir, s.mark, &s.redis), s.clusterArgs()...),
		Child: func(context.Context) (*exec.Cmd, error) { return childOf(s.redis.Program, "redis-server") },
	}
}

// Restart starts a killed server again on its port and in its directory, as a replica of
// another one unless replicaOf is empty. Without an append-only file it comes back empty, in
// a fresh place, since the old one has the dump that replication leaves.
//
// A killed server has lost nothing of its file, whatever Fsync says: what it wrote is in the
// memory of the operating system. Only the death of the machine would show the difference.
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
// repl-diskless-sync no: the default sends the first sync to a replica without a file, but
// waits five seconds for more replicas (a flag could change that), and in a quarter of the
// starts another second for the replica's confirmation, in which writes wait. With a file it
// takes ten milliseconds more and never that second. Replicas get the flag, too, since one of
// them serves after a failover.
//
// hz: WAIT and expiry are as coarse as the server's timer, 100 ms by default, which is much of
// a one-second lease.
//
// dbfilename, the file of a full sync, which exists even with saving off, is also the mark of
// the server.
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

// redisSettings are the settings that a running server accepts, too: names and values.
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

// FreePort returns a port of the loopback interface that is free now. It may be taken before the
// server binds it, but port 0 is no alternative: it switches TCP off in Redis.
func FreePort() (int, error) {
	l, err := osproc.ListenLow("127.0.0.1")
	if err != nil {
		return 0, fmt.Errorf("no free port on 127.0.0.1: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// loopback is the address of a port of this machine.
func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// waitReady waits until the server answers and shows its mark: if another server has got the
// port, that one may answer before ours fails.
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
			return true, nil // a sentinel has no data to read
		}
		// INFO is answered while the append-only file is still being read.
		disk, err := s.Info(ctx, "persistence")
		return err == nil && disk["loading"] == "0", nil
	})
}

// showsMark reports whether this server answers on its port. A resident one has its own port.
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
