package servers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/real/images"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/redis/resp"
)

// Server is a running server.
type Server struct {
	Name string
	Addr string // host:port on the loopback interface
	Bus  string // host:port that other servers of a cluster talk to; "" for one that knows no others
	Dir  string // of its files, as the server sees it

	product    images.Product
	launcher   Launcher
	place      Place            // nil before the first start
	said       Clip             // by processes whose logs are gone
	unread     bool             // whether what the last process says is not in it yet
	process    Process          // nil before the first start
	mark       string           // what it is recognised by
	recipe     Recipe           // as it was started last
	close      func() error     // ends what belongs to the server besides its process; nil for nothing
	redis      RedisOptions     // as it was started, for Restart
	alone      *Alone           // as it was started; nil unless by StartAlone
	clock      *clock           // made wrong by libfaketime; nil for the host's
	watches    *SentinelOptions // nil for all but sentinels
	configured string           // the mark of the sentinel's file that was written
}

// move gives the server a fresh place, and removes the one that it had.
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

// settle gives the server a fresh place, and an address with a port that is free now.
func (s *Server) settle(ctx context.Context) (port int, err error) {
	if err := s.move(ctx); err != nil {
		return 0, err
	}
	if port, err = freePort(); err != nil {
		return 0, err
	}
	s.Addr = loopback(port)
	return port, nil
}

// launch starts the server's process in its place.
func (s *Server) launch(ctx context.Context, r Recipe) error {
	s.remember()
	s.recipe = r
	process, err := s.place.Start(ctx, r)
	if err == nil {
		s.process, s.unread = process, true
	}
	return err
}

// childOf is the program with that path, or else the one of that name.
func childOf(path, name string) (*exec.Cmd, error) {
	if path == "" {
		var err error
		if path, err = Find(name); err != nil {
			return nil, err
		}
	}
	return exec.Command(path), nil
}

// Pid returns the number of the server's process.
func (s *Server) Pid() int { return s.process.Pid() }

// Done is closed when the server's process has ended.
func (s *Server) Done() <-chan struct{} { return s.process.Done() }

// ended reports whether the server's process has ended.
func (s *Server) ended() bool {
	select {
	case <-s.Done():
		return true
	default:
		return false
	}
}

// Ended says how the server's process ended.
func (s *Server) Ended() string { return s.process.Ended() }

// Freeze stops the server's process; its connections stay open.
func (s *Server) Freeze() error { return s.process.Freeze() }

// Thaw lets the server's process run again.
func (s *Server) Thaw() error { return s.process.Thaw() }

// Kill ends the server's process at once; its connections break.
func (s *Server) Kill() error { return s.process.Kill() }

// Stop kills the server and removes its place. It may be called twice.
func (s *Server) Stop() error {
	s.quit()
	var errs []error
	if _, resident := s.place.(Resident); s.process != nil && !resident {
		errs = append(errs, s.process.Kill())
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

// LastLog returns the last line of the server's log with something in it.
func (s *Server) LastLog() string {
	if s.place == nil {
		return "no log"
	}
	return lastLine(s.place.Log())
}

// failedAtStart is the error of a process that has ended before it was ready;
// ErrPortTaken when the log says so. Cure is what to do.
func (s *Server) failedAtStart(cure string) error {
	log := s.place.Log()
	if bytes.Contains(bytes.ToLower(log), []byte("address already in use")) {
		return s.portTaken(lastLine(log))
	}
	if full := s.fullDisk(nil); full != nil {
		cure = full.Error()
	}
	return fmt.Errorf("%s ended at its start (%s); %s: %s", s.Name, s.process.Ended(), s.lastWords(), cure)
}

// portTaken is the error of a server that could not have its port, with what it said last.
func (s *Server) portTaken(log string) error {
	return fmt.Errorf("%s ended at its start (%s): %s: %w: try again, and see with `ss -ltnp` who takes the ports", s.Name, s.Ended(), log, ErrPortTaken)
}

// whileAlive returns a context that ends with the server's process: its port may then
// belong to another process, which may never answer.
func (s *Server) whileAlive(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	ended := s.process.Done() // of this process, not of the next one
	go func() {
		select {
		case <-ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// lastLine returns the last line of an output with something in it.
func lastLine(output []byte) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// commandTime bounds one command to a server; a stopped one never answers.
const commandTime = 5 * time.Second

// Command sends one command over a connection of its own, past all proxies.
func (s *Server) Command(ctx context.Context, args ...string) (redis.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	reply, err := roundTrip(ctx, s.Addr, resp.AppendCommand(nil, args...))
	if err == nil && reply.Kind == redis.ReplyError {
		err = reply.Err
	}
	if err != nil {
		return reply, fmt.Errorf("%s did not do %s: %w", s.Name, strings.Join(args, " "), err)
	}
	return reply, nil
}

func roundTrip(ctx context.Context, addr string, request []byte) (redis.Reply, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return redis.Reply{}, err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := conn.Write(request); err != nil {
		return redis.Reply{}, err
	}
	var got []byte
	chunk := make([]byte, 4096)
	for {
		n, err := conn.Read(chunk)
		got = append(got, chunk[:n]...)
		if end, ferr := resp.Frame(got); ferr != nil || end > 0 {
			return replyOf(got[:end], ferr)
		}
		if err != nil {
			return redis.Reply{}, errors.Join(ctx.Err(), err)
		}
	}
}

func replyOf(raw []byte, err error) (redis.Reply, error) {
	if err != nil {
		return redis.Reply{}, err
	}
	return resp.Parse(raw)
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

// WaitReplicas returns when that many replicas are in step with this primary.
//
// That they are connected is not enough. After the first sync the primary may
// keep its stream of writes back until it has heard from the replica; a lock
// made meanwhile would be lost in a fail-over that it ought to survive. So a message goes
// through the stream, and all have to have it. Besides, the primary has to know that
// they have, as one that has been at rest does: it hears of it once per second, and until
// then WAIT waits for what has long been there. (To ask by means of WAIT is no help: the
// question goes through the stream, too, and the answer does not include it.)
func (s *Server) WaitReplicas(ctx context.Context, replicas []*Server) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	err := s.poll(ctx, replicas, func() (bool, error) { return s.connected(ctx, replicas) })
	if err != nil {
		return err
	}
	message := []string{"PUBLISH", "lockstep", "in step"}
	if s.redis.Cluster != nil {
		message = []string{"FLUSHALL"} // what is published goes over the cluster's bus
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
	err = s.poll(ctx, replicas, func() (bool, error) {
		info, err := s.Info(ctx, "replication")
		if err != nil {
			return false, err
		}
		if good, counts := info["min_slaves_good_slaves"]; counts && good < strconv.Itoa(s.redis.MinReplicas) {
			return false, nil // it refuses writes until it has heard from them
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
	})
	if err != nil {
		return err
	}
	return s.poll(ctx, replicas, func() (bool, error) {
		info, err := s.Info(ctx, "replication")
		return known(info) >= len(replicas), err
	})
}

// known counts the replicas of which a primary knows that they have all of its stream.
// info is its INFO replication, in which each has a line such as
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

// poll asks until the answer is yes, or until one of the others that the answer rests on
// has ended.
func (s *Server) poll(ctx context.Context, others []*Server, ask func() (bool, error)) error {
	var why error
	err := s.await(ctx, wait{
		first: 2 * time.Millisecond, longest: 2 * time.Millisecond,
		failing: "waits for others, which did not come up",
		ended: func() error {
			return fmt.Errorf("%s ended (%s) while it waited for others: %s", s.Name, s.Ended(), s.LastLog())
		},
	}, func() (yes bool, _ error) {
		for _, o := range others {
			if o.ended() {
				return false, fmt.Errorf("%s ended (%s) while %s waited for it: %s", o.Name, o.Ended(), s.Name, o.LastLog())
			}
		}
		yes, why = ask()
		return yes, nil
	})
	if err != nil {
		return errors.Join(err, why)
	}
	return nil
}

// connected asks both ends: the replica may have the link up while the primary
// still counts it as syncing, and then WAIT would not count it.
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
