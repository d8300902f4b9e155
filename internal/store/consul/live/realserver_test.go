//go:build linux

package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/real/livestore"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/servers"
	"lockstep/internal/store"
	"lockstep/internal/store/consul"
)

// realServer is a Consul for one test. Its client is independent of that of the live world, which
// has a test of its own.
type realServer struct {
	t    *testing.T
	addr string
	http http.Client

	process *servers.Server
}

func startServer(t *testing.T, leastTTL time.Duration) *realServer {
	t.Helper()
	server := livetest.Start(t, consul.ID, livestore.Wish{Settings: store.Settings{leastTTL / leastSession}}).Members[0]
	return &realServer{t: t, addr: server.Addr, process: server}
}

// exec sends a request and returns its answer in the types of the model, with the server's names of
// sessions and indices.
func (r *realServer) exec(op store.Op) (any, error) {
	switch op := op.(type) {
	case consul.CreateSession:
		var made struct{ ID string }
		behavior := map[bool]string{false: "release", true: "delete"}[op.DeleteKeys]
		body := fmt.Sprintf(`{"TTL": %q, "LockDelay": %q, "Behavior": %q, "NodeChecks": []}`, op.TTL, op.LockDelay, behavior)
		_, err := r.ask(http.MethodPut, "session/create", body, &made)
		return made.ID, err
	case consul.RenewSession:
		var renewed []struct{ TTL string }
		if _, err := r.ask(http.MethodPut, "session/renew/"+op.Session, "", &renewed); err != nil {
			return nil, err
		}
		return time.ParseDuration(renewed[0].TTL)
	case consul.DestroySession:
		var done bool
		_, err := r.ask(http.MethodPut, "session/destroy/"+op.Session, "", &done)
		return done, err
	case consul.Acquire:
		return r.put(op.Key+"?acquire="+op.Session, op.Value)
	case consul.Release:
		return r.put(op.Key+"?release="+op.Session, op.Value)
	case consul.Get:
		return r.get(op)
	}
	panic("a request of another store")
}

func (r *realServer) put(path, value string) (any, error) {
	var done bool
	_, err := r.ask(http.MethodPut, "kv/"+path, value, &done)
	return done, err
}

func (r *realServer) get(op consul.Get) (any, error) {
	path := "kv/" + op.Key
	if op.After > 0 {
		path += fmt.Sprintf("?index=%d&wait=%s", op.After, op.Patience())
	}
	var keys []struct {
		Value                  []byte
		Session                string
		LockIndex, ModifyIndex int64
	}
	index, err := r.ask(http.MethodGet, path, "", &keys)
	if errors.Is(err, errNotFound) {
		return consul.KV{Index: index}, nil
	}
	if err != nil {
		return nil, err
	}
	k := keys[0]
	return consul.KV{
		Exists: true, Value: string(k.Value), Session: k.Session,
		LockIndex: k.LockIndex, ModifyIndex: k.ModifyIndex, Index: index,
	}, nil
}

var errNotFound = errors.New("404")

func (r *realServer) ask(method, path, body string, into any) (index int64, err error) {
	request, err := http.NewRequestWithContext(r.t.Context(), method, "http://"+r.addr+"/v1/"+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	reply, err := r.http.Do(request)
	if err != nil {
		return 0, err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return 0, err
	}
	index, _ = strconv.ParseInt(reply.Header.Get("X-Consul-Index"), 10, 64)
	said := string(bytes.TrimSpace(text))
	switch {
	case reply.StatusCode == http.StatusOK:
		return index, json.Unmarshal(text, into)
	case reply.StatusCode == http.StatusNotFound && said == "":
		return index, errNotFound
	case reply.StatusCode == http.StatusNotFound, strings.Contains(said, "invalid session"):
		return index, consul.ErrNoSession
	case strings.Contains(said, "Invalid Session TTL"):
		return index, errInvalidTTL
	}
	return index, fmt.Errorf("%s: %s", reply.Status, said)
}

var errInvalidTTL = errors.New("invalid TTL")
