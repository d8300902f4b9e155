package worker

import (
	"context"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/locks/libraries"
	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/real/proto"
)

// The parts of a command that differ between runs: tokens, and times in milliseconds since 1970.
var (
	tokenForm = regexp.MustCompile(`0x[0-9a-f]{16,}|[A-Za-z0-9+/_-]{22}(==)?`)
	timeForm  = regexp.MustCompile(`\b1[0-9]{12}\b`)
)

// library returns the lock of a library, and its worker with the messages to the harness.
func library(t *testing.T, id string, timeout time.Duration, addrs ...string) (locks.Lock, *worker, *reported) {
	t.Helper()
	v, ok := locks.Lookup(id)
	if !ok {
		t.Fatalf("no lock %s", id)
	}
	w, got := alone(t, timeout)
	w.start.Endpoints = addrs
	lock := must.Get(w.newLibrary(&v, locks.Deps{
		Env: newEnv(w, t.Name()), Name: locks.Key, Owner: "A",
		Lease: 2 * time.Second, Retry: 20 * time.Millisecond, Timeout: timeout,
	}))(t)
	return lock, w, got
}

// once acquires and releases.
func once(t *testing.T, lock locks.Lock) {
	t.Helper()
	lease := must.Get(lock.Acquire(within(t, 5*time.Second)))(t)
	must.Do(t, lease.Release(context.Background()))
}

// The commands of a library are reported like those of other locks, with the names of its scripts,
// but without commands about the connection.
func TestWhatLibrariesSend(t *testing.T) {
	tests := map[string][]string{
		"bsm-redislock": {"EVALSHA obtain lock <token> 22 2000", "-> OK", "EVALSHA release lock <token>", "-> (integer) 1"},
		"rueidislock": {
			"EVALSHA acquire rueidislock:0:lock <token> <time>", "-> OK", "EVALSHA delete rueidislock:0:lock <token> <time>", "-> (integer) 1",
		},
		"redsync": {"SET lock <token> EX 2 NX", "-> OK", "EVALSHA unlock lock <token>", "-> (integer) 1"},
	}
	for id, want := range tests {
		t.Run(id, func(t *testing.T) {
			lock, _, got := library(t, id, time.Second, realServer(t).Addr)
			once(t, lock) // the server learns the scripts
			before := len(got.lines())
			once(t, lock)
			lines := got.lines()[before:]
			for i := range lines {
				lines[i] = timeForm.ReplaceAllString(tokenForm.ReplaceAllString(lines[i], "<token>"), "<time>")
			}
			must.Slices(t, lines, want)
		})
	}
}

// The scripts that compare owners, by the file of the library, leave the entry of another client
// alone, and the token is reported.
func TestScriptsOfLibrariesLeaveTheEntryOfAnotherClientAlone(t *testing.T) {
	background := context.Background()
	for _, l := range libraries.All() {
		if len(l.Owners) == 0 {
			continue
		}
		t.Run(l.ID, func(t *testing.T) {
			s := realServer(t)
			lock, _, got := library(t, l.ID, time.Second, s.Addr)
			lease := must.Get(lock.Acquire(within(t, 5*time.Second)))(t)
			must.Get(s.Command(background, "SET", locks.Key, "another client's"))(t)
			if l.Owners[l.Renews] != 0 {
				select { // its next extension finds another client's entry
				case <-lease.Lost().Done():
				case <-within(t, 5*time.Second).Done():
					t.Error("the holder did not learn that its lock is lost")
				}
			}
			if lease.Release(background) == nil {
				t.Error("the release says that it removed an entry")
			}
			if _, err := lock.Acquire(within(t, 200*time.Millisecond)); err == nil {
				t.Error("acquired beside another client")
			}
			if entry, err := s.Command(background, "GET", locks.Key); err != nil || entry.Str != "another client's" {
				t.Errorf("the entry is %v, %v", entry, err)
			}
			got.lines() // all have been read
			scripts := map[string]bool{}
			for _, m := range got.all {
				if m.Event != history.Sent || l.Owners[m.Script] == 0 {
					continue
				}
				scripts[m.Script] = true
				if m.Op.Owner == "" || m.Op.Key != locks.Key || !strings.HasPrefix(m.Text, m.Command+" "+m.Script+" "+locks.Key+" "+m.Op.Owner) {
					t.Errorf("%s: it compares with %q", m.Text, m.Op.Owner)
				}
			}
			must.Equalf(t, len(scripts), len(l.Owners),
				"of %v it has sent %v", l.Owners, scripts)
		})
	}
}

// A tap is on the connection, so it reports each command that a library sends again after a
// timeout.
func TestATapReportsRepeatedCommands(t *testing.T) {
	s := realServer(t)
	lock, _, got := library(t, "bsm-redislock", 100*time.Millisecond, s.Addr)
	once(t, lock)
	before := len(got.lines())
	must.Get(s.Command(context.Background(), "CLIENT", "PAUSE", "2000", "WRITE"))(t)
	if lease, err := lock.Acquire(within(t, 250*time.Millisecond)); err == nil {
		t.Fatalf("got %v from a silent server", lease)
	}
	lines := got.lines()[before:]
	if len(lines) < 4 || len(lines)%2 != 0 {
		t.Fatalf("want one command, several times, without a reply: %q", lines)
	}
	for i, line := range lines {
		if i%2 == 0 && line != lines[0] || i%2 == 1 && line != "-- "+ports.ErrTimeout.Error() {
			t.Errorf("want one command, several times, without a reply: %q", lines)
		}
	}
}

// A fault that waits for a reply acts before the library gets it.
func TestAFaultWaitsForAReplyOnATap(t *testing.T) {
	lock, w, got := library(t, "redsync", time.Second, realServer(t).Addr)
	w.start.Wire = []proto.Want{{Kind: faults.HasReply, Command: "unlock"}, {Kind: faults.AboutToSend, Command: "SET"}}
	once(t, lock)
	got.lines()
	got.mu.Lock()
	defer got.mu.Unlock()
	var kinds []string
	for _, m := range got.all {
		switch {
		case m.Kind == proto.CallUp:
			kinds = append(kinds, "announced "+m.Command+" by "+string(m.Mark[:len("*6")]))
		case m.Kind == proto.Moment:
			kinds = append(kinds, "has the reply of "+m.Script)
			if m.ID == 0 {
				t.Error("the client did not wait for the fault")
			}
		}
	}
	want := []string{"announced SET by *6", "has the reply of unlock"} // the server already knows the script
	must.Slices(t, kinds, want)
}

// A library connects to its servers only, through the links.
func TestALibraryReachesItsServersOnly(t *testing.T) {
	_, w, _ := library(t, "redsync", time.Second, realServer(t).Addr)
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	if conn, err := w.dialTap(context.Background(), &libraries.Library{ID: "some"}, "tcp", l.Addr().String()); err == nil {
		conn.Close()
		t.Error("it has connected to another server")
	}
}
