package live

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
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/store/consul"
)

// client executes requests on Consul's HTTP interface.
//
// The six requests need no client library; Consul's would add its gossip and metrics to
// every build. Each request has a separate connection, so net/http never resends one, and
// giving up a blocking query closes its connection.
//
// Sessions are made without health checks (NodeChecks: none). With an agent on the
// client's machine, a session would end with the agent; here clients ask the servers.
type client struct {
	endpoints []string
	http      http.Client
}

func connect(c livestore.Client) (livestore.Executor, error) {
	transport := &http.Transport{DialContext: c.Dial, DisableKeepAlives: true}
	return &client{c.Endpoints, http.Client{Transport: transport}}, nil
}

// Do implements livestore.Executor.
func (c *client) Do(ctx context.Context, server int, r ports.Request) (any, error) {
	call, read := callFor(r)
	reply, err := c.exchange(ctx, server, call)
	if err == nil {
		err = refused(reply)
	}
	if err != nil {
		return nil, err
	}
	return read(reply)
}

// Close implements livestore.Executor: no connection outlives its request.
func (*client) Close() error { return nil }

// call is an HTTP request.
type call struct {
	method, path string // the path with its query
	body         []byte
}

// reply is its answer.
type reply struct {
	status int
	index  int64
	body   []byte
}

// longestReply is longer than any reply to a lock.
const longestReply = 1 << 20

// exchange sends one request and reads its answer.
func (c *client) exchange(ctx context.Context, server int, what call) (reply, error) {
	request, err := http.NewRequestWithContext(ctx, what.method, "http://"+c.endpoints[server]+what.path, bytes.NewReader(what.body))
	if err != nil {
		return reply{}, err
	}
	if mark := livestore.MarkOf(ctx); mark != "" {
		request.Header.Set(markHeader, mark)
	}
	got, err := c.http.Do(request)
	if err != nil {
		return reply{}, ports.ErrConnection
	}
	defer got.Body.Close()
	r := reply{status: got.StatusCode}
	r.index, _ = strconv.ParseInt(got.Header.Get("X-Consul-Index"), 10, 64) // 0 where there is none
	if r.body, err = io.ReadAll(io.LimitReader(got.Body, longestReply)); err != nil {
		return reply{}, ports.ErrConnection
	}
	return r, nil
}

// refused is the error in a reply, nil for a value. After an error of a server that has no
// leader, or has lost it, the request may have been executed or not.
func refused(r reply) error {
	said := strings.TrimSpace(string(r.body))
	switch {
	case r.status == http.StatusOK, r.status == http.StatusNotFound && said == "":
		return nil
	case r.status == http.StatusNotFound, strings.Contains(said, "invalid session"):
		return consul.ErrNoSession
	case r.status == http.StatusBadRequest, strings.Contains(said, "Invalid "):
		return errors.New("consul: " + said)
	}
	return ports.ErrConnection
}

// callFor returns a request as an HTTP request, and the function that reads its reply.
func callFor(what ports.Request) (c call, read func(reply) (any, error)) {
	switch r := what.(type) {
	case consul.CreateSession:
		body, _ := json.Marshal(map[string]any{ // cannot fail
			"TTL": r.TTL.String(), "LockDelay": r.LockDelay.String(), "Behavior": r.Behavior(), "NodeChecks": []string{},
		})
		return call{http.MethodPut, "/v1/session/create", body}, readSession
	case consul.RenewSession:
		return call{http.MethodPut, "/v1/session/renew/" + r.Session, nil}, readTTL
	case consul.DestroySession:
		return call{http.MethodPut, "/v1/session/destroy/" + r.Session, nil}, readBool
	case consul.Acquire:
		return call{http.MethodPut, "/v1/kv/" + url.PathEscape(r.Key) + "?acquire=" + r.Session, []byte(r.Value)}, readBool
	case consul.Release:
		return call{http.MethodPut, "/v1/kv/" + url.PathEscape(r.Key) + "?release=" + r.Session, []byte(r.Value)}, readBool
	case consul.Get:
		path := "/v1/kv/" + url.PathEscape(r.Key)
		if r.After > 0 {
			path += fmt.Sprintf("?index=%d&wait=%s", r.After, r.Wait)
		}
		return call{http.MethodGet, path, nil}, readKV
	}
	panic("consul: a request of another store: " + ports.Name(what))
}

// parse reads the JSON of a reply.
func parse[T any](r reply) (value T, err error) {
	if err = json.Unmarshal(r.body, &value); err != nil {
		err = fmt.Errorf("consul: its answer is not what its documentation says: %w", err)
	}
	return value, err
}

func readSession(r reply) (any, error) {
	made, err := parse[struct{ ID string }](r)
	return made.ID, err
}

func readTTL(r reply) (any, error) {
	sessions, err := parse[[]struct{ TTL string }](r)
	if err != nil || len(sessions) == 0 {
		return nil, errors.Join(err, consul.ErrNoSession)
	}
	return time.ParseDuration(sessions[0].TTL)
}

func readBool(r reply) (any, error) { return parse[bool](r) }

func readKV(r reply) (any, error) {
	if r.status == http.StatusNotFound {
		return consul.KV{Index: r.index}, nil
	}
	found, err := parse[[]struct {
		Value                  []byte
		Session                string
		LockIndex, ModifyIndex int64
	}](r)
	if err != nil || len(found) != 1 {
		return nil, errors.Join(err, fmt.Errorf("consul: %d entries for one key", len(found)))
	}
	kv := found[0]
	return consul.KV{
		Exists: true, Value: string(kv.Value), Session: kv.Session,
		LockIndex: kv.LockIndex, ModifyIndex: kv.ModifyIndex, Index: r.index,
	}, nil
}
