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
	"lockstep/internal/real/link"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/proto"
	"lockstep/internal/real/talk"
)

// maxStderr is how much of a program's standard error is kept, in bytes.
const maxStderr = 256 << 10

// newProgram starts the program of a lock and initializes it. A later error of the talk ends the
// run: from then on nothing is known of the lock.
func (w *worker) newProgram(v *locks.Variant, d locks.Deps) (locks.Lock, error) {
	if err := osproc.Adopt(); err != nil {
		return nil, err
	}
	servers, err := w.addresses(v)
	if err != nil {
		return nil, err
	}
	env := slices.DeleteFunc(os.Environ(), func(one string) bool { return strings.HasPrefix(one, proto.EnvWorker+"=") })
	failed := func(err error) error {
		return fmt.Errorf("the program of %s (%.60q) %w", v.ID, strings.Join(v.Program, " "), err)
	}
	p, err := talk.Start(talk.Options{
		Command: v.Program, Env: env, Stderr: &bounded{to: os.Stderr, left: maxStderr}, Patience: w.start.Patience,
	})
	if err != nil {
		return nil, failed(err)
	}
	lock, err := p.Lock(d.Owner, d.Name, servers, d.Lease)
	if err != nil {
		return nil, failed(p.Err())
	}
	go func() {
		<-p.Broke()
		if !w.played.Load() { // the program of a client that has finished may end
			w.send(proto.Up{Kind: proto.Failed, Text: failed(p.Err()).Error()})
		}
	}()
	// An error of the talk is not the outcome of a request, so no client gets it.
	check := func() {
		if p.Err() != nil {
			select {} // the harness ends the run
		}
	}
	return &offTurn{lock, &w.turns, check}, nil
}

// addresses are the servers' addresses for a program: those of relays, which parse the protocol
// of Redis, and those of the links for other stores.
func (w *worker) addresses(v *locks.Variant) ([]string, error) {
	switch v.Store {
	case locks.StoreRedis:
		return w.relays(v, []string{thePrimary})
	case locks.StoreRedisNodes:
		return w.relays(v, w.start.Endpoints)
	}
	return w.start.Endpoints, nil
}

// relays opens an address for a program in place of each server, behind which its traffic is parsed.
func (w *worker) relays(v *locks.Variant, servers []string) (out []string, err error) {
	unknown := &libraries.Library{ID: v.ID} // without names of its scripts
	for _, server := range servers {
		l, err := link.Listen("127.0.0.1")
		if err != nil {
			return nil, fmt.Errorf("no server for the program of %s: %w", v.ID, err)
		}
		out = append(out, l.Addr())
		l.Serve(func(caller net.Conn) {
			ours, err := w.dialTap(context.Background(), unknown, "tcp", server)
			if err != nil {
				_ = caller.(*net.TCPConn).SetLinger(0) // as if the server had refused it
				return
			}
			l.Join(caller, ours)
		})
	}
	return out, nil
}

// bounded passes on its first bytes and discards the rest.
type bounded struct {
	to   io.Writer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	if b.left > 0 && n == b.left {
		defer fmt.Fprintf(b.to, "\n(what the program wrote after %d bytes is left out)\n", maxStderr)
	}
	b.left -= n
	_, _ = b.to.Write(p[:n]) // a full disk must not stop the program
	return len(p), nil
}
