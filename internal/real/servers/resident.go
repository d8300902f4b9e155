package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// visited is a key that tells the next run that the entries beside it are of a run
// that was killed, and may go.
const visited = "lockstep:visited"

// moveIn begins to use a server that was already running. If it has data, which its user
// may still need, it is refused; otherwise it is restarted.
func (s *Server) moveIn(ctx context.Context, r Resident) error {
	if r.Runs() {
		err := s.untilUp(ctx)
		if err == nil {
			err = s.mayBeEmptied(ctx)
		}
		if err != nil {
			s.place = nil // it is left alone
			return err
		}
	}
	return s.spawn(ctx)
}

// untilUp waits until a server answers whose process runs: the run before, or the reaper
// of one that was killed, may have restarted it a moment ago.
func (s *Server) untilUp(ctx context.Context) error {
	for {
		_, err := s.Command(ctx, "PING")
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: its process runs, and it did not answer on %s until %v were over", err, s.Addr, startTime)
		case <-time.After(portPause):
		}
	}
}

// mayBeEmptied is nil when nothing is in the server but what a run has left.
func (s *Server) mayBeEmptied(ctx context.Context) error {
	ours, err := s.Command(ctx, "EXISTS", visited)
	if err != nil {
		return err
	}
	info, err := s.Info(ctx, "keyspace")
	if err != nil || ours.IsInt(1) || len(info) == 0 {
		return err
	}
	return fmt.Errorf("%s on %s has entries that no run has made (%s): a run would remove them; empty it yourself with redis-cli FLUSHALL", s.Name, s.Addr, describe(info))
}

// describe says what is in each database, in the order of their numbers.
func describe(keyspace map[string]string) string {
	for i := range 16 { // as many as a server has
		name := fmt.Sprintf("db%d", i)
		if what, ok := keyspace[name]; ok {
			return name + ": " + what
		}
	}
	return "unknown"
}

// furnish gives a resident server that has just been started the settings of the
// run, and empties it.
func (s *Server) furnish(ctx context.Context) error {
	var errs []error
	tell := func(args ...string) {
		_, err := s.Command(ctx, args...)
		errs = append(errs, err)
	}
	tell("REPLICAOF", "NO", "ONE")
	tell("FLUSHALL")
	for _, setting := range redisSettings(&s.redis) {
		tell("CONFIG", "SET", setting[0], setting[1])
	}
	if s.redis.ReplicaOf == "" {
		tell("SET", visited, "by a run of lockstep")
	} else {
		host, port, _ := net.SplitHostPort(s.redis.ReplicaOf)
		tell("REPLICAOF", host, port)
	}
	return errors.Join(errs...)
}
