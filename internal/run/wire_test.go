package run

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/sim"
	"lockstep/internal/store"
)

// wireFiles has the requests and replies of each variant. They are written by hand from the
// documents that describe the locks, and no flag rewrites them: files copied from the program's
// output would contain its mistakes.
const wireFiles = "../locks/testdata/wire"

// wirePlan is the story of these files: A takes the lock at once, B comes 50 ms later and tries
// every 100 ms. The work of 4 s outlasts a third of the lease, so there is one renewal.
func wirePlan() plan.Plan {
	p := plan.Default()
	p.Name = "on the wire"
	p.Clients = []string{"A", "B"}
	p.Lease = 10 * time.Second
	p.Workload.Repeat = 1
	p.Workload.Wait = 60 * time.Second
	p.Workload.Work = plan.Range{Min: 4 * time.Second, Max: 4 * time.Second}
	p.Workload.Stagger = 50 * time.Millisecond
	p.Workload.Retry = 100 * time.Millisecond
	p.Network.Latency = plan.Range{Min: time.Millisecond, Max: time.Millisecond}
	p.Network.Timeout = 3 * time.Second
	return p
}

// Every lock sends what its document says, in this order, and nothing else.
func TestLocksSendWhatTheirDocumentsSay(t *testing.T) {
	for _, v := range locks.Simulated() {
		t.Run(v.ID, func(t *testing.T) {
			file := filepath.Join(wireFiles, v.ID+".txt")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("no file says what has to go over the wire: %v", err)
			}
			p := wirePlan()
			h := playWire(t, &p, v.ID)
			for _, e := range h.Events {
				if text := h.Text(e.Text); e.Kind == history.Replied && strings.HasPrefix(text, "(error) ERR unknown command") {
					t.Fatalf("its server does not know a command of its: %s: a server is a Redis 7.0, unless the Servers of the variant say what else it must be (internal/locks/locks.go)", text)
				}
			}
			compareWire(t, h, collapse(wireLines(string(text))))
		})
	}
}

// compareWire compares what A and B have sent with the lines of a document.
func compareWire(t *testing.T, h *history.History, want []string) {
	t.Helper()
	if got := collapse(wireOf(h, "A", "B")); !slices.Equal(got, want) {
		t.Errorf("the document says:\n%s\nthe lock does:\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

// Every wire file belongs to a lock; renaming a lock renames its file.
func TestEveryWireFileHasALock(t *testing.T) {
	for _, file := range must.Get(filepath.Glob(filepath.Join(wireFiles, "*")))(t) {
		id, isText := strings.CutSuffix(filepath.Base(file), ".txt")
		if _, ok := locks.Lookup(id); !ok || !isText {
			t.Errorf("%s belongs to no lock", file)
		}
	}
}

func playWire(t *testing.T, p *plan.Plan, lock string) *history.History {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%s cannot be played in the simulator: %v", lock, r)
		}
	}()
	h, err := sim.Run(p, lock, 1)
	if err != nil {
		text, _, _ := strings.Cut(err.Error(), "\n") // the rest is the stack of a panic
		t.Fatalf("%s cannot be played in the simulator: %s", lock, text)
	}
	return h
}

// wireOf returns the commands of some clients with their replies, client by client, in the order in
// which they were sent.
func wireOf(h *history.History, clients ...string) []string {
	type command struct {
		server history.NodeID
		id     int64
	}
	var lines []string
	for _, name := range clients {
		client := h.Node(name)
		open := map[command]int{} // which line waits for its reply
		for _, e := range h.Events {
			if e.Node != client {
				continue
			}
			c := command{e.Peer, e.Value}
			switch e.Kind {
			case history.Sent:
				open[c] = len(lines)
				lines = append(lines, name+" "+normalised(h.Text(e.Text)))
			case history.Replied, history.TimedOut:
				if i, ok := open[c]; ok {
					lines[i] += " -> " + normalised(reply(h.Text(e.Text)))
					delete(open, c)
				}
			}
		}
	}
	return lines
}

// What differs from run to run or between implementations, but is not part of a protocol: random
// tokens, and times in milliseconds since 1970.
var (
	tokenForm  = regexp.MustCompile(`\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|(?:0x)?[0-9a-f]{16,}\b`)
	millisForm = regexp.MustCompile(`\b1[0-9]{12}\b`)
)

func normalised(text string) string {
	text = tokenForm.ReplaceAllString(text, "<token>")
	return millisForm.ReplaceAllString(text, "<time>")
}

// reply shortens a compile error: the rest of its text depends on the implementation of Lua.
func reply(text string) string {
	const script = "(error) ERR Error compiling script (new function)"
	if strings.HasPrefix(text, script) {
		return script
	}
	return text
}

// wireLines are the lines of a file without its comments.
func wireLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// collapse removes immediate repetitions of lines or groups of lines: the number of attempts is not
// part of the protocol.
func collapse(lines []string) []string {
	for again := true; again; {
		again = false
		for n := 1; n <= len(lines)/2; n++ {
			for i := 0; i+2*n <= len(lines); {
				if slices.Equal(lines[i:i+n], lines[i+n:i+2*n]) {
					lines = slices.Delete(lines, i, i+n)
					again = true
				} else {
					i++
				}
			}
		}
	}
	return lines
}

// A release of nats-kv waits for a pending renewal, whose answer has the revision to delete;
// otherwise the key would stay for a lease.
func TestAReleaseKnowsTheLastRevision(t *testing.T) {
	p := wirePlan()
	p.Clients = []string{"A"}
	p.Network.Latency = plan.Range{Min: 10 * time.Millisecond, Max: 10 * time.Millisecond}
	work := p.Lease/3 - 35*time.Millisecond // and a read and a write of 20 ms each: the renewal has been sent
	p.Workload.Work = plan.Range{Min: work, Max: work}
	got := wireOf(playWire(t, &p, "nats-kv"), "A")
	want := []string{"A CREATE lock -> revision 1", "A UPDATE lock LAST 1 -> revision 2", "A DELETE lock LAST 2 -> revision 3"}
	if !slices.Equal(got, want) {
		t.Errorf("A sends\n%s", strings.Join(got, "\n"))
	}
}

// Collapsing more than repetitions would hide differences.
func TestCollapse(t *testing.T) {
	for _, tt := range []struct{ give, want string }{
		{"", ""},
		{"a a a b a", "a b a"},
		{"x ab ab ab y", "x ab y"},
		{"a b a b a b c", "a b c"},
		{"a b b a b a", "a b a"},
		{"a b c", "a b c"},
	} {
		if got := strings.Join(collapse(strings.Fields(tt.give)), " "); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.give, got, tt.want)
		}
	}
}

// The requests of locks that compare and act in the client, when A and B work for 12 s with a lease
// of 10 s. As in the wire files, the lines are written by hand from the documents.
func TestOverrunOnTheWire(t *testing.T) {
	tests := []struct {
		lock string
		want []string
	}{
		// B finds A's key expired, deletes it and makes its own. At 12 s A deletes B's key, so
		// there is none when B is done.
		{"setnx-timestamp-del", []string{
			`A SETNX lock <time> -> (integer) 1`,
			`A DEL lock -> (integer) 1`,
			`B SETNX lock <time> -> (integer) 0`,
			`B GET lock -> "<time>"`,
			`B DEL lock -> (integer) 1`,
			`B SETNX lock <time> -> (integer) 1`,
			`B DEL lock -> (integer) 0`,
		}},
		// B takes over by GETSET. Neither deletes anything, as its own time is over by then.
		{"setnx-timestamp-getset", []string{
			`A SETNX lock <time> -> (integer) 1`,
			`B SETNX lock <time> -> (integer) 0`,
			`B GET lock -> "<time>"`,
			`B GETSET lock <time> -> "<time>"`,
		}},
		// The client looks, finds B's token, and leaves the key alone. B finds nothing.
		{"set-nx-token-getdel", []string{
			`A SET lock <token> PX 10000 NX -> OK`,
			`A GET lock -> "<token>"`,
			`B SET lock <token> PX 10000 NX -> (nil)`,
			`B SET lock <token> PX 10000 NX -> OK`,
			`B GET lock -> (nil)`,
		}},
		// The clock says at 9 s that the work must end, and the key is still A's.
		{"self-fence", []string{
			`A SET lock <token> PX 10000 NX -> OK`,
			`A EVAL unlock lock <token> -> (integer) 1`,
			`B SET lock <token> PX 10000 NX -> (nil)`,
			`B SET lock <token> PX 10000 NX -> OK`,
			`B EVAL unlock lock <token> -> (integer) 1`,
		}},
		// Every renewal of the daemon succeeds; the release comes after the third one.
		{"watchdog-blind", []string{
			`A SET lock <token> EX 10 NX -> OK`,
			`A EXPIRE lock 10 -> (integer) 1`,
			`A EVAL unlock lock <token> -> (integer) 1`,
			`B SET lock <token> EX 10 NX -> (nil)`,
			`B SET lock <token> EX 10 NX -> OK`,
			`B EXPIRE lock 10 -> (integer) 1`,
			`B EVAL unlock lock <token> -> (integer) 1`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.lock, func(t *testing.T) {
			p := wirePlan()
			p.Workload.Work = plan.Range{Min: 12 * time.Second, Max: 12 * time.Second}
			compareWire(t, playWire(t, &p, tt.lock), tt.want)
		})
	}
}

// observed has the requests of the locks on a store, and the kinds of other events, in the story of
// the wire files.
type observed struct {
	requests []history.Op
	texts    []string
	kinds    []history.Kind
}

func observeStores(t *testing.T) map[store.ID]*observed {
	t.Helper()
	all := map[store.ID]*observed{}
	for _, s := range store.All() {
		all[s.ID] = &observed{}
	}
	for _, v := range locks.Simulated() {
		p := wirePlan()
		h, err := sim.Run(&p, v.ID, 1)
		if err != nil {
			t.Fatalf("%s: %v", v.ID, err)
		}
		of, has := all[v.Store], func(k history.Kind) bool {
			return slices.ContainsFunc(h.Events, func(e history.Event) bool { return e.Kind == k })
		}
		if has(history.Acquired) && !has(history.Granted) {
			t.Errorf("%s is acquired, and no entry of it is ever made: a lock that is a row says which (Variant.Entry)", v.ID)
		}
		for _, e := range h.Events {
			if e.Kind == history.Sent {
				of.requests, of.texts = append(of.requests, *h.Op(e.Text)), append(of.texts, h.Text(e.Text))
			} else if !slices.Contains(of.kinds, e.Kind) {
				of.kinds = append(of.kinds, e.Kind)
			}
		}
	}
	return all
}

// A store declares the requests of its locks and their effects, on which scenarios, checkers and
// live servers rely. Its model reports the changes of entries, which show who owns the lock.
func TestStoresSayWhatTheirLocksSend(t *testing.T) {
	for id, of := range observeStores(t) {
		s, seen := store.Of(id), map[string]bool{}
		if len(of.requests) == 0 {
			t.Errorf("no lock keeps its entries in %q, so nothing has played it", id)
			continue
		}
		for i, op := range of.requests {
			switch {
			case op.Script || seen[op.Name]:
				continue
			case !slices.Contains(s.Requests, op.Name):
				t.Errorf("the store %q says nothing of %s, which its locks send (Requests)", id, op.Name)
			case s.Topology == store.Quorum && !strings.HasPrefix(of.texts[i], op.Name):
				t.Errorf("the text of %s of %q does not begin with its name: %s", op.Name, id, of.texts[i])
			case s.Topology == store.Quorum && op.Does == history.Anything:
				t.Errorf("the store %q does not say what %s can do to an entry (Op, history.Effect)", id, op.Name)
			}
			seen[op.Name] = true
		}
		for _, kind := range []history.Kind{history.Granted, history.Removed} {
			if !slices.Contains(of.kinds, kind) {
				t.Errorf("no entry in %q is ever %s, though locks on it are taken and released: its model tells no such change (store.Change)", id, kind)
			}
		}
	}
}
