package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/real/link"
	"lockstep/internal/world"
)

// consulPort is world.Consul on Consul's HTTP interface. It asks one server until that
// one does not answer, and then the next, as the simulator's clients do.
//
// The six requests need no client library; Consul's would bring its gossip and its
// metrics into every build. Each request has a connection of its own, so net/http sends
// none a second time, and who gives up a blocking query closes it.
//
// Sessions are made without health checks (NodeChecks: none). Where clients ask an agent
// on their own machine, a session ends with that agent; here they ask the servers.
type consulPort struct {
	w         *worker
	endpoints []string
	http      http.Client
	server    atomic.Int64 // whose turn it is
}

var _ world.Consul = (*consulPort)(nil)

func newConsul(w *worker, endpoints []string, dial dialFunc) *consulPort {
	transport := &http.Transport{DialContext: dial, DisableKeepAlives: true}
	p := &consulPort{w: w, endpoints: endpoints, http: http.Client{Transport: transport}}
	p.server.Store(int64(w.start.First))
	return p
}

// connectConsul gives a lock the cluster.
func (w *worker) connectConsul(d *locks.Deps) error {
	p := newConsul(w, w.start.Endpoints, w.dialDirectly)
	d.Consul, d.Second = p, w.start.Second
	return w.warm(p.connect)
}

// connect finds out before true time begins whether all servers answer.
func (p *consulPort) connect(ctx context.Context) error {
	for _, endpoint := range p.endpoints {
		err := untilAnswered(ctx, "a server of Consul", func(ctx context.Context) error {
			_, err := p.exchange(ctx, endpoint, consulCall{http.MethodGet, "/v1/status/leader", nil})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// consulCall is a request of HTTP.
type consulCall struct {
	method, path string // the path with its query
	body         []byte
}

// consulReply is its answer.
type consulReply struct {
	status int
	index  int64
	body   []byte
}

// longestConsulReply is more than any that a lock gets.
const longestConsulReply = 1 << 20

// exchange sends one request and reads its answer.
func (p *consulPort) exchange(ctx context.Context, endpoint string, c consulCall) (consulReply, error) {
	request, err := http.NewRequestWithContext(ctx, c.method, "http://"+endpoint+c.path, bytes.NewReader(c.body))
	if err != nil {
		return consulReply{}, err
	}
	if mark := markOf(ctx); mark != "" {
		request.Header.Set(link.ConsulMark, mark)
	}
	got, err := p.http.Do(request)
	if err != nil {
		return consulReply{}, world.ErrConnection
	}
	defer got.Body.Close()
	reply := consulReply{status: got.StatusCode}
	reply.index, _ = strconv.ParseInt(got.Header.Get("X-Consul-Index"), 10, 64) // 0 where there is none
	if reply.body, err = io.ReadAll(io.LimitReader(got.Body, longestConsulReply)); err != nil {
		return consulReply{}, world.ErrConnection
	}
	return reply, nil
}

// onServer sends a request to the server whose turn it is; if that one does not answer
// it is the next one's. read turns an answer into the value.
func onServer[T any](ctx context.Context, p *consulPort, r request[T], c consulCall, read func(consulReply) (T, error)) (T, error) {
	turn := p.server.Load()
	r.server = int(turn) % len(p.endpoints)
	r.send = func(ctx context.Context) (T, error) {
		var none T
		reply, err := p.exchange(ctx, p.endpoints[r.server], c)
		if err == nil {
			err = consulError(reply)
		}
		if err != nil {
			return none, err
		}
		return read(reply)
	}
	value, err := perform(ctx, p.w, r)
	if err == world.ErrTimeout || err == world.ErrConnection { // never wrapped
		p.server.CompareAndSwap(turn, turn+1)
	}
	return value, err
}

// consulError is what an answer says besides a value. A server that has no leader, or has
// lost it, does not know what became of the request either.
func consulError(r consulReply) error {
	said := strings.TrimSpace(string(r.body))
	switch {
	case r.status == http.StatusOK, r.status == http.StatusNotFound && said == "":
		return nil
	case r.status == http.StatusNotFound, strings.Contains(said, "invalid session"):
		return world.ErrNoSession
	case r.status == http.StatusBadRequest, strings.Contains(said, "Invalid "):
		return errors.New("consul: " + said)
	}
	return world.ErrConnection
}

// CreateSession implements world.Consul.
func (p *consulPort) CreateSession(ctx context.Context, ttl, lockDelay time.Duration, deleteKeys bool) (string, error) {
	what := world.ConsulCreateSession{TTL: ttl, LockDelay: lockDelay, DeleteKeys: deleteKeys}
	body, err := json.Marshal(map[string]any{
		"TTL": ttl.String(), "LockDelay": lockDelay.String(), "Behavior": what.Behavior(), "NodeChecks": []string{},
	})
	if err != nil {
		return "", err
	}
	r := request[string]{what: what, answer: func(id string) string { return id }}
	return onServer(ctx, p, r, consulCall{http.MethodPut, "/v1/session/create", body}, func(reply consulReply) (string, error) {
		var made struct{ ID string }
		err := read(reply, &made)
		return made.ID, err
	})
}

// read reads the JSON of an answer.
func read(reply consulReply, into any) error {
	if err := json.Unmarshal(reply.body, into); err != nil {
		return fmt.Errorf("consul: its answer is not what its documentation says: %w", err)
	}
	return nil
}

// RenewSession implements world.Consul.
func (p *consulPort) RenewSession(ctx context.Context, session string) error {
	r := request[time.Duration]{what: world.ConsulRenewSession{Session: session}, answer: func(ttl time.Duration) string { return "TTL " + ttl.String() }}
	_, err := onServer(ctx, p, r, consulCall{http.MethodPut, "/v1/session/renew/" + session, nil}, func(reply consulReply) (time.Duration, error) {
		var sessions []struct{ TTL string }
		if err := read(reply, &sessions); err != nil || len(sessions) == 0 {
			return 0, errors.Join(err, world.ErrNoSession)
		}
		return time.ParseDuration(sessions[0].TTL)
	})
	return err
}

// DestroySession implements world.Consul.
func (p *consulPort) DestroySession(ctx context.Context, session string) error {
	r := request[bool]{what: world.ConsulDestroySession{Session: session}, answer: strconv.FormatBool}
	_, err := onServer(ctx, p, r, consulCall{http.MethodPut, "/v1/session/destroy/" + session, nil}, yes)
	return err
}

func yes(reply consulReply) (done bool, err error) {
	err = read(reply, &done)
	return done, err
}

// Acquire implements world.Consul.
func (p *consulPort) Acquire(ctx context.Context, key, value, session string) (bool, error) {
	r := request[bool]{what: world.ConsulAcquire{Key: key, Value: value, Session: session}, answer: strconv.FormatBool}
	path := "/v1/kv/" + url.PathEscape(key) + "?acquire=" + session
	return onServer(ctx, p, r, consulCall{http.MethodPut, path, []byte(value)}, yes)
}

// Release implements world.Consul.
func (p *consulPort) Release(ctx context.Context, key, value, session string) (bool, error) {
	r := request[bool]{what: world.ConsulRelease{Key: key, Value: value, Session: session}, answer: strconv.FormatBool}
	path := "/v1/kv/" + url.PathEscape(key) + "?release=" + session
	return onServer(ctx, p, r, consulCall{http.MethodPut, path, []byte(value)}, yes)
}

// Get implements world.Consul.
func (p *consulPort) Get(ctx context.Context, key string, afterIndex int64, wait time.Duration) (world.ConsulKV, error) {
	r := request[world.ConsulKV]{what: world.ConsulGet{Key: key, After: afterIndex, Wait: wait}, answer: world.ConsulKV.Text}
	path := "/v1/kv/" + url.PathEscape(key)
	if afterIndex > 0 {
		path += fmt.Sprintf("?index=%d&wait=%s", afterIndex, wait)
		r.patience = wait + wait/consulLonger
	}
	return onServer(ctx, p, r, consulCall{http.MethodGet, path, nil}, func(reply consulReply) (world.ConsulKV, error) {
		if reply.status == http.StatusNotFound {
			return world.ConsulKV{Index: reply.index}, nil
		}
		var found []struct {
			Value                  []byte
			Session                string
			LockIndex, ModifyIndex int64
		}
		if err := read(reply, &found); err != nil || len(found) != 1 {
			return world.ConsulKV{}, errors.Join(err, fmt.Errorf("consul: %d entries for one key", len(found)))
		}
		kv := found[0]
		return world.ConsulKV{
			Exists: true, Value: string(kv.Value), Session: kv.Session,
			LockIndex: kv.LockIndex, ModifyIndex: kv.ModifyIndex, Index: reply.index,
		}, nil
	})
}

// consulLonger: Consul lets a blocking query wait longer by up to this part of its time,
// so that not all of them come back at once.
const consulLonger = 16
