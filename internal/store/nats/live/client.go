package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"sync"

	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"lockstep/internal/ports"
	"lockstep/internal/real/link"
	"lockstep/internal/real/livestore"
	"lockstep/internal/store/nats"
)

// executor executes requests with nats.go, but without its key-value store, which would send
// several messages for one request: here each request is one message, and each answer another. A
// broken connection is reopened only for the next request.
type executor struct {
	livestore.Client
	locks []sync.Mutex   // by server: while one is silent, requests to others go on
	conns []*client.Conn // by server; nil before the first request
}

func connect(c livestore.Client) (livestore.Executor, error) {
	return &executor{c, make([]sync.Mutex, len(c.Endpoints)), make([]*client.Conn, len(c.Endpoints))}, nil
}

// dialer is a client.CustomDialer.
type dialer func(network, addr string) (net.Conn, error)

// Dial implements client.CustomDialer.
func (d dialer) Dial(network, addr string) (net.Conn, error) { return d(network, addr) }

// at returns the connection to a server.
func (e *executor) at(ctx context.Context, server int) (c *client.Conn, err error) {
	e.locks[server].Lock()
	defer e.locks[server].Unlock()
	if c = e.conns[server]; c == nil || !c.IsConnected() {
		dial := dialer(func(network, addr string) (net.Conn, error) { return e.Dial(ctx, network, addr) })
		c, err = client.Connect(e.Endpoints[server], client.NoReconnect(), client.SetCustomDialer(dial), client.Timeout(e.Timeout))
		e.conns[server] = c
	}
	return c, err
}

// Close implements livestore.Executor.
func (e *executor) Close() error {
	for i := range e.conns {
		e.locks[i].Lock()
		e.conns[i].Close()
		e.locks[i].Unlock()
	}
	return nil
}

// The headers of messages: the kind of a write, and the mark by which a link recognises it. Servers
// keep both.
const (
	operation  = "KV-Operation"
	markHeader = "Lockstep-Call"
)

// Do implements livestore.Executor. "No responders" is a server's error for a stream without a
// leader.
func (e *executor) Do(ctx context.Context, server int, r ports.Request) (any, error) {
	m, read := message(r)
	if mark := livestore.MarkOf(ctx); mark != "" {
		m.Header.Set(markHeader, mark)
	}
	c, err := e.at(ctx, server)
	if err != nil {
		return nil, ports.ErrConnection
	}
	reply, err := c.RequestMsgWithContext(ctx, m)
	if err != nil {
		return nil, ports.ErrConnection
	}
	return read(reply)
}

// message returns a request as nats.go's key-value store sends it, and the function that reads the
// answer.
func message(r ports.Request) (m *client.Msg, read func(*client.Msg) (any, error)) {
	switch r := r.(type) {
	case nats.Write:
		m = client.NewMsg(subjects + r.Key)
		if m.Data = []byte(r.Value); r.What == nats.Delete {
			m.Header.Set(operation, "DEL")
		}
		if r.What != nats.Delete || r.Last != 0 {
			m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatInt(int64(r.Last), 10))
		}
		return m, acknowledged
	case nats.Get:
		return client.NewMsg("$JS.API.DIRECT.GET." + streamName + "." + subjects + r.Key), entry
	}
	panic("nats: a request of another store: " + ports.Name(r))
}

// acknowledged reads the answer to a write. One that is refused because another write of the key is
// in progress counts as compared with the wrong revision, too.
func acknowledged(reply *client.Msg) (any, error) {
	const inProgress = 10164
	var said struct {
		Seq   nats.Revision
		Error *jetstream.APIError
	}
	switch err := json.Unmarshal(reply.Data, &said); {
	case err != nil:
		return nil, ports.ErrConnection
	case said.Error == nil:
		return said.Seq, nil
	case said.Error.ErrorCode == inProgress || said.Error.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence:
		return nil, nats.WrongLast(said.Error.Description)
	}
	return nil, said.Error
}

// entry reads the answer to a direct get.
func entry(reply *client.Msg) (any, error) {
	switch status := reply.Header.Get("Status"); status {
	case "404":
		return nats.Entry{}, nil
	case "":
		revision, err := strconv.ParseInt(reply.Header.Get(jetstream.SequenceHeader), 10, 64)
		return nats.Entry{Value: string(reply.Data), Revision: nats.Revision(revision), Deleted: reply.Header.Get(operation) != ""}, err
	default:
		return nil, fmt.Errorf("nats: %s %s", status, reply.Header.Get("Description"))
	}
}

// changing matches the subject of a write to a bucket, or of a request that drops writes.
var changing = regexp.MustCompile(`^\$(KV|JS\..*\.STREAM\.(PURGE|DELETE|MSG\.DELETE))\.`)

// protocol is that of NATS: lines, some followed by a payload. A request names the subject of its
// answer.
func protocol() link.Dissector { return &stream{asked: map[string]int64{}} }

type stream struct {
	link.Tagged
	last  int64
	asked map[string]int64 // by the subject of the answer
}

const (
	lineEnd     = "\r\n"
	longestLine = 64 << 10 // more than that of INFO, a server's longest
)

// Next implements link.Dissector.
func (s *stream) Next(d link.Direction, part []byte) (n int, m link.Message, err error) {
	line, rest, whole := bytes.Cut(part, []byte(lineEnd))
	words := bytes.Fields(line)
	switch {
	case !whole && len(part) <= longestLine:
		return 0, m, nil
	case !whole || len(words) == 0:
		return 0, m, link.ErrProtocol
	}
	n = len(line) + len(lineEnd)
	switch string(words[0]) {
	case "INFO", "CONNECT", "PING", "PONG", "SUB", "UNSUB", "+OK", "-ERR":
		return n, m, nil
	case "PUB", "HPUB", "MSG", "HMSG":
	default:
		return 0, m, link.ErrProtocol
	}
	size, err := strconv.Atoi(string(words[len(words)-1]))
	switch {
	case err != nil || size < 0 || size > link.MaxMessage || len(words) < 3:
		return 0, m, link.ErrProtocol
	case len(part) < n+size+len(lineEnd):
		return 0, m, nil
	case d == link.Down:
		m.Exchange = s.asked[string(words[1])]
		delete(s.asked, string(words[1]))
	default:
		s.last++
		s.asked[string(words[2])], m.Exchange = s.last, s.last
		m.Mark = link.Header(rest[:size], markHeader)
		m.Changes = changing.Match(words[1])
	}
	m.Begins = m.Exchange != 0
	return n + size + len(lineEnd), m, nil
}
