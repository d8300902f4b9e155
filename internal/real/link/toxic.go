package link

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"

	"lockstep/internal/faults"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/resp"
)

const toxicType = "lockstep"

func init() { toxics.Register(toxicType, new(Toxic)) }

// Toxiproxy makes toxics from JSON, so a toxic finds its link by a number.
var (
	links     sync.Map // id to *Link
	linkCount atomic.Int64
)

func enroll(l *Link) string {
	id := strconv.FormatInt(linkCount.Add(1), 10)
	links.Store(id, l)
	return id
}

func dismiss(id string) { links.Delete(id) }

// Toxic is one direction of a link, as Toxiproxy sees it. It is exported only
// because Toxiproxy fills it from JSON.
type Toxic struct {
	Link string `json:"link"`
	Up   bool   `json:"up"`
}

// GetBufferSize makes room for messages that come in while earlier ones are
// delayed; without it they would be stamped too late and be delayed twice.
func (*Toxic) GetBufferSize() int { return 1024 }

// conn is what the two directions of one connection share: the commands whose
// replies are still to come, in order.
type conn struct {
	mu       sync.Mutex
	awaiting []awaited
}

// awaited is a reply to come.
type awaited struct {
	watch *watch // nil for most
	lost  bool   // by chance
}

func (c *conn) push(a awaited) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.awaiting = append(c.awaiting, a)
}

func (c *conn) pop() awaited {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.awaiting) == 0 {
		return awaited{}
	}
	a := c.awaiting[0]
	c.awaiting = c.awaiting[1:]
	return a
}

// retract takes back the newest push: its request did not go on after all.
func (c *conn) retract() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.awaiting = c.awaiting[:len(c.awaiting)-1]
}

// pipe is one direction of one connection.
type pipe struct {
	link *Link
	dir  Direction
	conn *conn
	part []byte // an incomplete message
	raw  bool   // the bytes are not cut into messages
}

// NewState pairs the two directions of a connection. Toxiproxy starts them one
// after the other, first up and then down, on the goroutine that accepts the
// link's connections, so the direction that comes second belongs to the first.
func (t *Toxic) NewState() any {
	v, ok := links.Load(t.Link)
	if !ok {
		return &pipe{}
	}
	l := v.(*Link)
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &pipe{link: l, dir: Down, raw: l.o.Raw}
	if t.Up {
		p.dir, l.opening = Up, &conn{}
	}
	p.conn = l.opening
	l.pipes.Add(1)
	return p
}

// Pipe moves one direction of one connection. It never stops reading its input
// without an end in sight, and gives up each wait when the link closes:
// otherwise a goroutine of Toxiproxy would wait for it for ever.
func (t *Toxic) Pipe(stub *toxics.ToxicStub) {
	p, ok := stub.State.(*pipe)
	if !ok || p.link == nil {
		return
	}
	defer p.link.pipes.Done()
	for {
		select {
		case chunk := <-stub.Input:
			if chunk == nil {
				p.flush(stub)
				p.until(time.Time{}) // a held link hides that the other end has closed
				stub.Close()
				return
			}
			p.chunk(stub, chunk)
		case <-p.link.done:
			for range stub.Input { // until the reader has noticed, too
			}
			stub.Close()
			return
		case <-stub.Interrupt: // nobody adds or removes toxics; if somebody did, pass on
			return
		}
	}
}

// chunk cuts what came in into messages and moves them on.
func (p *pipe) chunk(stub *toxics.ToxicStub, c *stream.StreamChunk) {
	if p.raw {
		p.move(stub, c.Data, c.Timestamp, tampering{})
		return
	}
	p.part = append(p.part, c.Data...)
	for len(p.part) > 0 {
		n, err := resp.Frame(p.part)
		if err != nil { // not the protocol that we know: hands off
			p.raw = true
			p.flush(stub)
			return
		}
		if n == 0 {
			return
		}
		message := p.part[:n:n]
		p.part = p.part[n:]
		p.message(stub, message, c.Timestamp)
	}
	p.part = nil
}

// message moves one message: a request or a reply.
func (p *pipe) message(stub *toxics.ToxicStub, m []byte, came time.Time) {
	half, a := faults.Request, awaited{}
	if p.dir == Down {
		half, a = faults.ReplyHalf, p.conn.pop()
	} else {
		a.watch = p.link.incoming(m)
		lost, which := p.link.chance()
		a.lost = lost && which == faults.ReplyHalf
		if lost && which == faults.Request {
			p.link.lost(a.watch, faults.Request)
			return
		}
	}
	t := p.link.half(a.watch, half)
	if p.dir == Down && a.lost {
		t.drop = true
	}
	if t.drop {
		p.link.lost(a.watch, half)
		return
	}
	if p.dir == Up {
		// Before the bytes go: the reply may be back before we get to run again.
		p.conn.push(a)
	}
	if p.move(stub, m, came, t) || p.link.closing() {
		return
	}
	if p.dir == Up {
		p.conn.retract()
	}
	p.link.lost(a.watch, half)
}

// move waits until bytes are due and the link lets them pass, and moves them
// on. It reports whether it did.
func (p *pipe) move(stub *toxics.ToxicStub, data []byte, came time.Time, t tampering) bool {
	due := p.link.due(p.dir, came)
	if t.delay > 0 {
		due = time.Now().Add(t.delay)
	}
	if !p.until(due) {
		return false
	}
	select {
	case stub.Output <- &stream.StreamChunk{Data: data, Timestamp: came}:
		return true
	case <-p.link.done:
		return false
	}
}

// until waits for an instant and for the link to let bytes pass; false when
// they are lost.
func (p *pipe) until(due time.Time) bool {
	for {
		mode, changed := p.link.mode(p.dir)
		wait := time.Until(due)
		if mode == Pass && wait <= 0 {
			return true
		}
		if mode == Drop {
			return false
		}
		if !p.pause(mode, wait, changed) {
			return false
		}
	}
}

// fine is how close to its end a wait leaves Go's timers. They are late by up to
// a millisecond in an idle process, since they are bounded by epoll's timeout,
// and that is a lot beside the latency of a scaled network.
const fine = 2 * time.Millisecond

// pause waits until the mode may have changed, or the time is up when only that
// is missing; false when the link closes.
func (p *pipe) pause(mode Mode, wait time.Duration, changed <-chan struct{}) bool {
	var due <-chan time.Time
	if mode == Pass && wait <= fine {
		osproc.Nap(wait)
		return true
	}
	if mode == Pass {
		timer := time.NewTimer(wait - fine)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-due:
	case <-changed:
	case <-p.link.done:
		return false
	}
	return true
}

// flush moves on what is left of an incomplete message.
func (p *pipe) flush(stub *toxics.ToxicStub) {
	if rest := p.part; len(rest) > 0 {
		p.part = nil
		p.move(stub, rest, time.Now(), tampering{})
	}
}
