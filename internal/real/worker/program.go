package worker

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"

	"lockstep/internal/locks"
	"lockstep/internal/locks/libraries"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/proto"
	"lockstep/internal/real/talk"
)

// maxStderr is how much of what a program writes to its standard error is kept, in bytes.
const maxStderr = 256 << 10

// newProgram starts the program of a lock and makes it ready. What ends the talk with it later
// ends the run: from then on nothing is known of the lock.
func (w *worker) newProgram(v *locks.Variant, d locks.Deps) (locks.Lock, error) {
	if err := osproc.Adopt(); err != nil {
		return nil, err
	}
	servers, err := w.addresses(v)
	if err != nil {
		return nil, err
	}
	env := slices.DeleteFunc(os.Environ(), func(one string) bool { return strings.HasPrefix(one, proto.EnvWorker+"=") })
	p, err := talk.Start(talk.Options{
		Command: v.Program, Env: env, Stderr: &bounded{to: os.Stderr, left: maxStderr}, Patience: w.start.Patience,
	})
	if err != nil {
		return nil, fmt.Errorf("the program of %s (%.60q) %w", v.ID, strings.Join(v.Program, " "), err)
	}
	told := func() error {
		return fmt.Errorf("the program of %s (%.60q) %w", v.ID, strings.Join(v.Program, " "), p.Err())
	}
	lock, err := p.Lock(d.Owner, d.Name, servers, d.Lease)
	if err != nil {
		return nil, told()
	}
	go func() {
		<-p.Broke()
		if !w.played.Load() { // a client that has finished may go
			w.tell(proto.Up{Kind: proto.Failed, Text: told().Error()})
		}
	}()
	return &outside{lock: &whileItTalks{lock, p}, turns: &w.turns}, nil
}

// whileItTalks is a lock whose program is believed as long as it keeps to the protocol: an
// error of the talk is no outcome of a request, so no client gets it.
type whileItTalks struct {
	lock locks.Lock
	p    *talk.Program
}

// Acquire implements locks.Lock.
func (l *whileItTalks) Acquire(ctx context.Context) (locks.Lease, error) {
	lease, err := l.lock.Acquire(ctx)
	l.check()
	if err != nil {
		return nil, err
	}
	return &leaseWhileItTalks{lease, l}, nil
}

func (l *whileItTalks) check() {
	if l.p.Err() != nil {
		select {} // the harness ends the run
	}
}

type leaseWhileItTalks struct {
	locks.Lease
	l *whileItTalks
}

// Release implements locks.Lease.
func (s *leaseWhileItTalks) Release(ctx context.Context) error {
	err := s.Lease.Release(ctx)
	s.l.check()
	return err
}

// addresses are those of the servers that a program is told. What speaks the protocol of Redis
// is read along on its way; the others get the addresses of the links.
func (w *worker) addresses(v *locks.Variant) ([]string, error) {
	switch v.Store {
	case locks.StoreRedis:
		return w.relays(v, []string{thePrimary})
	case locks.StoreRedisNodes:
		return w.relays(v, w.start.Endpoints)
	}
	return w.start.Endpoints, nil
}

// relays listen for a program in the place of servers.
func (w *worker) relays(v *locks.Variant, servers []string) ([]string, error) {
	reads := &libraries.Library{ID: v.ID} // the names of its scripts are unknown
	var out []string
	for _, server := range servers {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("no address for the program of %s: %w", v.ID, err)
		}
		out = append(out, l.Addr().String())
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return // as many open files as there may be: the program's requests fail
				}
				go w.relay(conn.(*net.TCPConn), reads, server)
			}
		}()
	}
	return out, nil
}

// relay carries one connection of the program to a server, and what comes back.
func (w *worker) relay(theirs *net.TCPConn, reads *libraries.Library, server string) {
	defer theirs.Close()
	ours, err := w.dialTap(context.Background(), reads, "tcp", server)
	if err != nil {
		_ = theirs.SetLinger(0) // as if the server had refused it
		return
	}
	defer ours.Close()
	go func() {
		_, _ = io.Copy(onlyWriter{ours}, theirs)
		_ = ours.Close()
	}()
	_, _ = io.Copy(onlyWriter{theirs}, onlyReader{ours})
}

// What is copied has to pass the tap: a connection's own ways of copying would go past it.
type (
	onlyWriter struct{ io.Writer }
	onlyReader struct{ io.Reader }
)

// bounded passes on so many bytes and forgets the others.
type bounded struct {
	to   io.Writer
	left int
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	if b.left > 0 && n == b.left {
		defer fmt.Fprintf(b.to, "\n(what the program wrote after %d bytes is left out)\n", maxStderr)
	}
	b.left -= n
	_, _ = b.to.Write(p[:n]) // a full disk must not stop the program
	return len(p), nil
}
