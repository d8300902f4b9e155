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

// GetBufferSize makes room for messages that arrive while earlier ones are delayed: they would
// otherwise be timestamped too late and delayed twice.
func (*Toxic) GetBufferSize() int { return 1024 }

// conn is what the two directions of one connection share.
type conn struct {
	mu        sync.Mutex
	dissector Dissector
	exchanges map[int64]*exchange // by the number that the dissector gives them
	changes   map[int64]*Change   // by the same; guarded by the link
}

// exchange is a request and its reply.
type exchange struct {
	watch  *watch  // nil for most
	chance bool    // the reply will be lost by chance
	lost   [2]bool // by half
	sent   bool    // its request is on its way, see tampering; only for the pipe up
}

func (c *conn) next(d Direction, part []byte) (int, Message, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dissector.Next(d, part)
}

func (c *conn) begin(number int64) *exchange {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := &exchange{}
	c.exchanges[number] = e
	return e
}

// find returns an exchange, an empty one if its beginning was not seen.
func (c *conn) find(number int64) *exchange {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.exchanges[number]; e != nil {
		return e
	}
	return &exchange{}
}

// lose records that one half of an exchange is lost.
func (c *conn) lose(number int64, e *exchange, h faults.Half) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.lost[h] = true
	if h == faults.RequestHalf {
		c.dissector.Withdrawn(number)
	}
}

func (c *conn) isLost(e *exchange, h faults.Half) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return e.lost[h]
}

// pipe is one direction of one connection.
type pipe struct {
	link *Link
	dir  Direction
	conn *conn
	part []byte // an incomplete message
	raw  bool   // the bytes are not cut into messages
}

func (p *pipe) half() faults.Half {
	if p.dir == Up {
		return faults.RequestHalf
	}
	return faults.ReplyHalf
}

// NewState pairs the two directions of a connection. Toxiproxy starts first up and then down on
// the goroutine that accepts the link's connections, so each down belongs to the last up.
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
		p.dir = Up
		l.opening = &conn{dissector: l.o.Protocol(), exchanges: map[int64]*exchange{}, changes: map[int64]*Change{}}
	}
	p.conn = l.opening
	l.pipes.Add(1)
	return p
}

// Pipe moves one direction of one connection. Every wait in it ends when the link closes:
// otherwise a goroutine of Toxiproxy would wait for ever to write its input.
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
				if p.dir == Up && p.link.hostLost() {
					<-p.link.done // a lost machine closes no connection
				}
				stub.Close()
				return
			}
			p.chunk(stub, chunk)
		case <-p.link.done:
			for range stub.Input { // until the reader has ended
			}
			stub.Close()
			return
		case <-stub.Interrupt: // only if a caller added or removed toxics
			return
		}
	}
}

// chunk cuts its input into messages and moves them.
func (p *pipe) chunk(stub *toxics.ToxicStub, c *stream.StreamChunk) {
	if p.raw {
		p.move(stub, c.Data, c.Timestamp, tampering{})
		return
	}
	p.part = append(p.part, c.Data...)
	for len(p.part) > 0 {
		n, m, err := p.conn.next(p.dir, p.part)
		if err != nil { // another protocol
			p.raw = true
			p.flush(stub)
			return
		}
		if n == 0 {
			return
		}
		bytes := p.part[:n:n]
		p.part = p.part[n:]
		p.note(m, bytes, c.Timestamp)
		p.message(stub, bytes, m, c.Timestamp)
	}
	p.part = nil
}

// note keeps a message of a request that may change an entry, or of its reply.
func (p *pipe) note(m Message, bytes []byte, came time.Time) {
	p.link.mu.Lock()
	defer p.link.mu.Unlock()
	if m.Changes {
		c := &Change{Name: m.Name, Sent: came}
		p.conn.changes[m.Exchange] = c
		p.link.changes = append(p.link.changes, c)
	}
	if c := p.conn.changes[m.Exchange]; c != nil {
		c.Bytes[p.dir] = append(c.Bytes[p.dir], bytes...)
		if p.dir == Down {
			c.Answered = came
		}
	}
}

// message moves one message.
func (p *pipe) message(stub *toxics.ToxicStub, bytes []byte, m Message, came time.Time) {
	switch {
	case m.Exchange == 0:
		p.move(stub, bytes, came, tampering{})
	case m.Begins && p.dir == Up:
		p.request(stub, bytes, m, came)
	case m.Begins:
		p.reply(stub, bytes, m, came)
	case p.dir == Up && p.conn.find(m.Exchange).sent:
		p.put(stub, bytes)
	case !p.conn.isLost(p.conn.find(m.Exchange), p.half()):
		p.follow(stub, bytes)
	case m.Instead != nil:
		p.follow(stub, m.Instead)
	}
}

// request moves the first message of a request.
func (p *pipe) request(stub *toxics.ToxicStub, bytes []byte, m Message, came time.Time) {
	e := p.conn.begin(m.Exchange)
	e.watch = p.link.incoming(m.Mark)
	lost, which := p.link.chance()
	e.chance = lost && which == faults.ReplyHalf
	if lost && which == faults.RequestHalf {
		p.loses(stub, m, e)
		return
	}
	t := p.link.half(e.watch, faults.RequestHalf)
	e.sent = t.sent && !t.drop
	p.first(stub, bytes, m, e, t, came)
}

// reply moves the first message of a reply.
func (p *pipe) reply(stub *toxics.ToxicStub, bytes []byte, m Message, came time.Time) {
	e := p.conn.find(m.Exchange)
	if p.conn.isLost(e, faults.RequestHalf) { // not its reply, but a last message before the connection ends
		p.move(stub, bytes, came, tampering{})
		return
	}
	t := p.link.half(e.watch, faults.ReplyHalf)
	if t.gone {
		p.conn.lose(m.Exchange, e, faults.ReplyHalf) // the rest of the reply, too
		return
	}
	t.drop = t.drop || e.chance
	p.first(stub, bytes, m, e, t, came)
}

// first moves the first message of one half of an exchange.
func (p *pipe) first(stub *toxics.ToxicStub, bytes []byte, m Message, e *exchange, t tampering, came time.Time) {
	if !t.drop && (p.move(stub, bytes, came, t) || p.link.closing()) {
		return
	}
	p.loses(stub, m, e)
}

// loses ends one half of an exchange here.
func (p *pipe) loses(stub *toxics.ToxicStub, m Message, e *exchange) {
	p.conn.lose(m.Exchange, e, p.half())
	if !p.link.hostLost() { // otherwise its receiver is gone
		p.link.lost(e.watch, p.half())
	}
	if m.Instead != nil {
		p.follow(stub, m.Instead)
	}
}

// follow moves the continuation of a message, without a latency of its own.
func (p *pipe) follow(stub *toxics.ToxicStub, bytes []byte) {
	if p.until(time.Time{}) {
		p.put(stub, bytes)
	}
}

// move waits until bytes are due and the link lets them pass, and moves them. It reports whether
// it did.
func (p *pipe) move(stub *toxics.ToxicStub, data []byte, came time.Time, t tampering) bool {
	due := p.link.due(p.dir, came)
	if t.delay > 0 {
		due = time.Now().Add(t.delay)
	}
	if t.sent {
		return p.sleep(due) && p.put(stub, data)
	}
	return p.until(due) && p.put(stub, data)
}

// sleep waits until an instant; false when the link closes before.
func (p *pipe) sleep(due time.Time) bool {
	for wait := time.Until(due); wait > 0; wait = time.Until(due) {
		if !p.pause(Pass, wait, nil) {
			return false
		}
	}
	return true
}

func (p *pipe) put(stub *toxics.ToxicStub, data []byte) bool {
	select {
	case stub.Output <- &stream.StreamChunk{Data: data, Timestamp: time.Now()}:
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

// fine is the end of a wait that does not use Go's timers: in an idle process they are up to a
// millisecond late, by the resolution of epoll, which is much compared with the latency of a scaled
// network.
const fine = 2 * time.Millisecond

// pause waits until the mode may have changed, or in mode Pass until the time is up; false when
// the link closes.
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

// flush moves the rest, an incomplete message.
func (p *pipe) flush(stub *toxics.ToxicStub) {
	if rest := p.part; len(rest) > 0 {
		p.part = nil
		p.move(stub, rest, time.Now(), tampering{})
	}
}
