// Package door speaks the protocol of NATS in front of the model of a bucket, so that unmodified
// nats.go, and libraries on top of it, run in a bubble.
//
//	nats.go --its protocol, in memory--> the server here --bubble.Wire--> a server of the simulated cluster
//
// Faults affect the network behind the server here: each read or write of a key is one message, and
// its answer another. A request that is not modelled is refused (no responders) and noted: what a
// lock does then is no evidence.
package door

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"lockstep/internal/bubble"
	"lockstep/internal/store/nats"
)

// server serves one connection of a client.
type server struct {
	client *bubble.Client
	wire   *bubble.Wire
	ttl    time.Duration // of the story's bucket
	out    chan string   // to the client
	end    sync.Once
	ended  chan struct{}

	bucket string // the client's name for it

	mu      sync.Mutex
	inboxes map[string]string // subjects, by the number of a subscription
}

// maxQueued is how many messages to a client may be queued, more than a lock has in flight.
const maxQueued = 1 << 10

// Dial connects a client to a server, for a bubble.Client.
func Dial(ctx context.Context, c *bubble.Client, index int) (net.Conn, error) {
	wire, err := c.Connect(ctx, index, nil)
	if err != nil {
		return nil, err
	}
	near, far := net.Pipe()
	s := &server{
		client: c, wire: wire, ttl: nats.TTL(c.Settings().Settings), out: make(chan string, maxQueued), ended: make(chan struct{}), inboxes: map[string]string{},
	}
	s.out <- fmt.Sprintf("INFO {\"server_id\":\"%d\",\"version\":\"2.14.3\",\"proto\":1,\"headers\":true,\"max_payload\":1048576,\"jetstream\":true}\r\n", index)
	go s.write(far)
	go s.read(far)
	c.Cleanup(s.stop)
	return c.Gate(near), nil
}

func (s *server) stop() { s.end.Do(func() { close(s.ended) }) }

// write sends queued messages to the client, until either end is gone.
func (s *server) write(far net.Conn) {
	defer s.wire.Close()
	defer far.Close()
	for {
		select {
		case m := <-s.out:
			if _, err := io.WriteString(far, m); err != nil {
				return
			}
		case <-s.wire.Over():
			return
		case <-s.ended:
			return
		}
	}
}

// read executes the client's messages one after the other.
func (s *server) read(far net.Conn) {
	defer s.stop()
	in := bufio.NewReader(far)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch verb := strings.ToUpper(words[0]); {
		case verb == "PING":
			s.out <- "PONG\r\n"
		case verb == "SUB" && len(words) >= 3:
			s.subscribe(words[len(words)-1], words[1])
		case verb == "UNSUB" && len(words) == 2:
			s.subscribe(words[1], "")
		case (verb == "PUB" || verb == "HPUB") && len(words) >= 3:
			m, err := readMessage(in, words)
			if err != nil {
				return
			}
			s.publish(m)
		}
	}
}

// subscribe subscribes to a subject under an id; "" unsubscribes.
func (s *server) subscribe(id, subject string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inboxes[id] = subject; subject == "" {
		delete(s.inboxes, id)
	}
}

// message is a message that a client publishes.
type message struct {
	subject, reply string
	header         map[string]string
	body           string
}

// readMessage reads the payload of PUB subject [reply] bytes or HPUB subject [reply]
// bytes-of-header bytes.
func readMessage(in io.Reader, words []string) (m message, err error) {
	sizes := 1 + len(words[0]) - len("PUB")
	if len(words) < 2+sizes {
		return m, errors.New("too few words")
	}
	total, err := strconv.Atoi(words[len(words)-1])
	heading := 0
	if sizes == 2 && err == nil {
		heading, err = strconv.Atoi(words[len(words)-2])
	}
	if err != nil || heading < 0 || heading > total || total > 1<<20 {
		return m, errors.New("impossible sizes")
	}
	text := make([]byte, total+len("\r\n"))
	if _, err := io.ReadFull(in, text); err != nil {
		return m, err
	}
	m.subject, m.body, m.header = words[1], string(text[heading:total]), map[string]string{}
	if len(words) == 3+sizes {
		m.reply = words[2]
	}
	for line := range strings.Lines(string(text[:heading])) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			m.header[name] = strings.TrimSpace(value)
		}
	}
	return m, nil
}

// publish executes a request to JetStream or a write to the bucket.
func (s *server) publish(m message) {
	const api, create, update, info, get = "$JS.API.", "STREAM.CREATE.KV_", "STREAM.UPDATE.KV_", "STREAM.INFO.KV_", "DIRECT.GET.KV_"
	asked, isAPI := strings.CutPrefix(m.subject, api)
	key, isKey := strings.CutPrefix(m.subject, "$KV.")
	switch {
	case isAPI && asked == "INFO":
		s.send(m.reply, "", `{"type":"io.nats.jetstream.api.v1.account_info_response","limits":{},"api":{"level":2}}`)
	case isAPI && strings.HasPrefix(asked, create) && s.isBucket(asked[len(create):]),
		isAPI && strings.HasPrefix(asked, update) && s.isBucket(asked[len(update):]):
		s.describe(m)
	case isAPI && strings.HasPrefix(asked, info) && s.isBucket(asked[len(info):]):
		s.describe(message{reply: m.reply, body: s.config()})
	case isAPI && strings.HasPrefix(asked, get):
		bucket, subject, _ := strings.Cut(asked[len(get):], ".")
		if key, ok := strings.CutPrefix(subject, "$KV."+bucket+"."); ok && s.isBucket(bucket) {
			s.get(m, key)
			return
		}
		s.refuse(m)
	case isKey && s.isBucket(key[:max(strings.IndexByte(key, '.'), 0)]):
		s.put(m, key[strings.IndexByte(key, '.')+1:])
	default:
		s.refuse(m)
	}
}

// isBucket reports whether a bucket is the client's, the first that it names.
func (s *server) isBucket(bucket string) bool {
	if s.bucket == "" {
		s.bucket = bucket
	}
	return bucket != "" && bucket == s.bucket
}

func (s *server) config() string {
	return fmt.Sprintf(`{"name":"KV_%[1]s","subjects":["$KV.%[1]s.>"],"max_msgs_per_subject":1,"max_age":%[2]d,"storage":"file",`+
		`"num_replicas":3,"allow_rollup_hdrs":true,"deny_delete":true,"allow_direct":true,"discard":"new"}`, s.bucket, s.ttl)
}

// describe answers with the configuration of the bucket's stream, which always exists. A client
// that creates it has to use the same.
func (s *server) describe(m message) {
	var config struct {
		MaxAge      time.Duration `json:"max_age"`
		AllowDirect bool          `json:"allow_direct"`
	}
	if err := json.Unmarshal([]byte(m.body), &config); err != nil || config.MaxAge != s.ttl || !config.AllowDirect {
		s.client.Misses(fmt.Sprintf("a bucket of NATS whose keys live for %v: in this story they live for %v, a lease unless servers.nats.ttl says otherwise", config.MaxAge, s.ttl))
	}
	s.send(m.reply, "", fmt.Sprintf(`{"type":"io.nats.jetstream.api.v1.stream_create_response","config":%s,"created":%q,"state":{}}`,
		m.body, time.Now().UTC().Format(time.RFC3339Nano)))
}

func (s *server) get(m message, key string) {
	s.wire.Start(nats.Get{Key: key}, func(v any, _ error) {
		e := v.(nats.Entry)
		if e.Revision == 0 {
			s.send(m.reply, "NATS/1.0 404 Message Not Found\r\n\r\n", "")
			return
		}
		header := fmt.Sprintf("NATS/1.0\r\nNats-Stream: KV_%s\r\nNats-Subject: $KV.%s.%s\r\nNats-Sequence: %d\r\nNats-Time-Stamp: %s\r\n",
			s.bucket, s.bucket, key, e.Revision, time.Now().UTC().Format(time.RFC3339Nano))
		if e.Deleted {
			header += "KV-Operation: DEL\r\n"
		}
		s.send(m.reply, header+"\r\n", e.Value)
	})
}

func (s *server) put(m message, key string) {
	const operation, ttl, expected = "KV-Operation", "Nats-TTL", "Nats-Expected-Last-Subject-Sequence"
	last, err := strconv.ParseInt(m.header[expected], 10, 64)
	last, known := max(last, 0), err == nil
	w := nats.Write{What: nats.Update, Key: key, Value: m.body, Last: nats.Revision(last)}
	switch {
	case m.header[ttl] != "" || !slices.Contains([]string{"", "DEL", "PURGE"}, m.header[operation]):
		s.refuse(m)
		return
	case m.header[operation] != "": // a purge leaves a marker, too, and a key has one message in any case
		w.What, w.Value = nats.Delete, ""
	case known && last == 0:
		w.What = nats.Create
	case !known:
		s.refuse(m) // an unconditional write
		return
	}
	s.wire.Start(w, func(v any, err error) {
		var wrong nats.WrongLast
		if errors.As(err, &wrong) {
			s.send(m.reply, "", fmt.Sprintf(`{"error":{"code":400,"err_code":10071,"description":%q},"stream":"KV_%s","seq":0}`, string(wrong), s.bucket))
			return
		}
		if err != nil { // store.ErrNoLeader
			s.send(m.reply, noResponders, "")
			return
		}
		s.send(m.reply, "", fmt.Sprintf(`{"stream":"KV_%s","seq":%d}`, s.bucket, v))
	})
}

// noResponders is the header of the answer for a subject without subscribers.
const noResponders = "NATS/1.0 503\r\n\r\n"

// refuse answers a request that is not modelled, and notes it.
func (s *server) refuse(m message) {
	what := m.subject
	if m.header["Nats-TTL"] != "" {
		what += " with a time to live of its own"
	} else if strings.HasPrefix(m.subject, "$KV.") {
		what += ", a write without a condition: Create makes a key, and Update changes the revision that it names"
	}
	s.client.Misses("NATS: " + what)
	s.send(m.reply, noResponders, "")
}

// send sends a message to the subscribers of a subject.
func (s *server) send(subject, header, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, inbox := range s.inboxes { // order: one inbox has one subscription
		if prefix, all := strings.CutSuffix(inbox, "*"); inbox != subject && !(all && strings.HasPrefix(subject, prefix)) {
			continue
		}
		if header == "" {
			s.out <- fmt.Sprintf("MSG %s %s %d\r\n%s\r\n", subject, id, len(body), body)
		} else {
			s.out <- fmt.Sprintf("HMSG %s %s %d %d\r\n%s%s\r\n", subject, id, len(header), len(header)+len(body), header, body)
		}
	}
}
