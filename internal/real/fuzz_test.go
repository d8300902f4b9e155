package real

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real/link"
	"lockstep/internal/real/proto"
)

// socket is an end that reads prepared bytes, and whose writes are discarded.
type socket struct {
	io.Reader
	io.Writer
}

func (socket) Close() error { return nil }

// aHarness returns a harness with one client of two servers, which sends these bytes.
func aHarness(says []byte) (*harness, *client) {
	h := &harness{
		plan: &plan.Plan{}, nodes: map[string]history.NodeID{"A": 1, "s-1": 2, "s-2": 3, "resource": 4},
		fatal: make(chan error, 1), stop: make(chan struct{}),
	}
	h.header.Nodes = []history.Node{
		{Name: "A", Role: history.RoleClient}, {Name: "s-1", Role: history.RoleStore}, {Name: "s-2", Role: history.RoleStore}, {Name: "resource", Role: history.RoleResource},
	}
	h.engine = faults.NewEngine(nil, injector{h}, (*scheduler)(h))
	h.resource = &resource{h: h, read: map[*client]int{}}
	h.group = &group{h: h, members: []*member{{name: "s-1", node: 2}, {name: "s-2", node: 3}}}
	c := &client{
		h: h, name: "A", node: 1, tampered: map[int64]int{}, links: []*link.Link{{}, {}}, status: status{dead: true}, // there is no process to kill
		ready: make(chan struct{}), over: make(chan struct{}), read: make(chan struct{}),
		conn: proto.NewConn(socket{bytes.NewReader(says), io.Discard}),
	}
	h.clients = []*client{c}
	return h, c
}

// The harness reads any bytes of a worker to their end, or to the first invalid message, which it
// quotes. Only events of workers, and of existing servers, reach the history.
func FuzzWorkerSays(f *testing.F) {
	for _, s := range []string{
		`{"k":"ready"}`, `{"k":"event","e":1,"at":5,"clock":7}`, `{"k":"event","e":20,"srv":1,"call":3,"cmd":"SET","own":"A"}`, `{"k":"event","e":15,"srv":2}`,
		`{"k":"event","e":1,"srv":-1}`, `{"k":"event","e":200}`, `{"k":"call","id":4,"srv":9,"wants":[13]}`, `{"k":"moment","m":99,"id":-1}`,
		`{"k":"read","id":1}`, `{"k":"write","id":2,"token":9223372036854775807}`, `{"k":"extra","id":3}`, `{"k":"dies","text":"x"}`, `{"k":"what"}`, `{`,
	} {
		f.Add([]byte(s + "\n" + s + "\n"))
	}
	f.Fuzz(func(t *testing.T, says []byte) {
		h, c := aHarness(says)
		c.listen()
		select {
		case err := <-h.fatal:
			if !errors.Is(err, proto.ErrMessage) && !strings.Contains(err.Error(), "could not start") || !strings.Contains(err.Error(), "of A ") {
				t.Fatalf("%q: %v", says, err)
			}
		default:
		}
		for _, e := range h.journal.entries {
			role := h.header.Nodes[e.Node-1].Role
			if e.server == 0 && role == history.RoleClient || e.Kind.String() == "unknown" || e.Kind >= history.FaultBegan && role == history.RoleClient && !nested(e.Kind) {
				t.Fatalf("%q: the journal has %s of node %d, server %d", says, e.Kind, e.Node, e.server)
			}
		}
		if _, open := <-c.read; open {
			t.Fatal("the reader has not ended")
		}
	})
}

// nested reports whether a kind of a worker's events has a number above those of the harness.
func nested(k history.Kind) bool {
	return k == history.Reenters || k == history.Reentered || k == history.ReenterFailed || k == history.Left
}

// An invalid message of a worker ends the run with an error that quotes it.
func TestAnInvalidMessageOfAWorkerEndsTheRun(t *testing.T) {
	for says, want := range map[string]string{
		`{"k":"event","e":1,"srv":2}`:           "server 2 of 2",
		`{"k":"call","srv":-1}`:                 "server -1 of 2",
		`{"k":"event","e":25}`:                  "does not report the event",
		`{"k":"what"}`:                          `no worker says "what"`,
		`{"k":"ready"}` + "\n{\"k\":\"ready\"}": "ready for the second time",
		`{"k":"moment"}`:                        "does not say which moment",
		`{"k":"moment","m":"sleeps"}`:           `no client reaches the moment "sleeps"`,
		`nonsense`:                              `"nonsense\n"`,
	} {
		h, c := aHarness([]byte(says + "\n"))
		c.listen()
		select {
		case err := <-h.fatal:
			if !strings.Contains(err.Error(), "the worker of A said what no worker says: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q in it", says, err, want)
			}
		default:
			t.Errorf("%s: no error", says)
		}
	}
}
