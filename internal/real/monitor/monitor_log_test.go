package monitor_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/logcheck/logline"
	"lockstep/internal/must"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/servers"
)

// monitored has clients of a real server on three hosts. It records the events that follow from
// their replies.
type monitored struct {
	t       *testing.T
	ctx     context.Context
	clients map[string]*redis.Client
	got     []string
}

const day = 24 * time.Hour // a lease that does not run out

var hosts = map[string]string{"A": "127.0.0.2", "B": "127.0.0.3", "C": "127.0.0.4", "A2": "127.0.0.2"}

// watched starts a server, and clients with one connection each. A and A2 are on one host.
func watched(t *testing.T, within time.Duration) (*monitored, *servers.Server) {
	t.Helper()
	server := livetest.Redis(t, servers.RedisOptions{})
	ctx, cancel := context.WithTimeout(t.Context(), within)
	t.Cleanup(cancel)
	m := &monitored{t: t, ctx: ctx, clients: map[string]*redis.Client{}}
	for name, host := range hosts { // order: each is another client
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}}
		m.clients[name] = redis.NewClient(&redis.Options{
			Addr: server.Addr, PoolSize: 1, Protocol: 2, DisableIdentity: true, MaxRetries: -1,
			Dialer: func(ctx context.Context, network, addr string) (net.Conn, error) {
				return dialer.DialContext(ctx, network, addr)
			},
		})
		t.Cleanup(func() { m.clients[name].Close() })
	}
	return m, server
}

// tell records an event of a client, in the words of a log.
func (m *monitored) tell(client, value, key, event string) {
	m.got = append(m.got, hosts[client]+"/"+value+" "+key+" "+event)
}

func (m *monitored) must(err error) {
	m.t.Helper()
	wrongType := redis.HasErrorPrefix(err, "WRONGTYPE") // of a key that another client has set
	if err != nil && !errors.Is(err, redis.Nil) && !wrongType {
		m.t.Fatal(err)
	}
}

// set tries to acquire.
func (m *monitored) set(client, value, key string, lease time.Duration) {
	m.t.Helper()
	ok, err := m.clients[client].SetNX(m.ctx, key, value, lease).Result()
	m.must(err)
	m.tell(client, value, key, map[bool]string{true: "acquired", false: "waiting"}[ok])
}

// run runs a script, and records the event of its reply.
func (m *monitored) run(client, value, key string, s *redis.Script, says map[string]string, keys []string, args ...any) {
	m.t.Helper()
	reply, err := s.Run(m.ctx, m.clients[client], append([]string{key}, keys...), args...).Result()
	m.must(err)
	event, ok := says[fmt.Sprint(reply)]
	if !ok {
		event = says["else"]
	}
	for _, e := range strings.Fields(event) {
		m.tell(client, value, key, e)
	}
}

// gone waits until a lease has certainly expired, by the times of the log, too.
func (m *monitored) gone(key string) {
	m.t.Helper()
	for n := int64(1); n > 0; time.Sleep(5 * time.Millisecond) {
		var err error
		n, err = m.clients["C"].Exists(m.ctx, key).Result()
		m.must(err)
	}
}

// scriptOf returns a script of our locks.
func scriptOf(t *testing.T, file, name string) *redis.Script {
	t.Helper()
	text := must.Get(os.ReadFile("../../locks/" + file))(t)
	found := regexp.MustCompile(name + " = &redis.Script\\{[^`]*`([^`]*)`").FindSubmatch(text)
	if found == nil {
		t.Fatalf("%s has no %s", file, name)
	}
	return redis.NewScript(string(found[1]))
}

// listen records the output of MONITOR. The returned function ends the recording and returns the
// lines.
func listen(t *testing.T, ctx context.Context, server *servers.Server) (end func() []string) {
	t.Helper()
	conn := must.Get(net.Dial("tcp", server.Addr))(t)
	must.Get(conn.Write([]byte("MONITOR\r\n")))(t)
	in := bufio.NewScanner(conn)
	if !in.Scan() || in.Text() != "+OK" {
		t.Fatalf("MONITOR: %q, %v", in.Text(), in.Err())
	}
	const last = "end of the log"
	lines := make(chan []string)
	go func() {
		all := []string{"OK"}
		for in.Scan() && !strings.Contains(in.Text(), last) {
			all = append(all, strings.TrimPrefix(in.Text(), "+"))
		}
		lines <- all
	}()
	return func() []string {
		t.Helper()
		must.Get(server.Command(ctx, "ECHO", last))(t)
		defer conn.Close()
		return <-lines
	}
}

// The events read from MONITOR are exactly those of the clients' replies.
func TestMonitorShowsWhatClientsGot(t *testing.T) {
	m, server := watched(t, 20*time.Second)
	end := listen(t, m.ctx, server)
	m.strings()
	m.expired()
	m.hashes()
	m.blind()
	lines := end()

	var events, unread []string
	d, format, err := logline.Open(&logline.Format{}, "", []byte(lines[0]), []byte(strings.Join(lines, "\n")))
	if err != nil || format.Kind != logline.Monitor {
		t.Fatalf("%q, %v", format.Kind, err)
	}
	emit := func(f *logline.Fields) error {
		events = append(events, fmt.Sprintf("%s %s %s", f.Client, f.Lock, f.Event))
		return nil
	}
	for i, line := range lines {
		switch err := d.Decode([]byte(line), int64(i+1), emit); {
		case errors.Is(err, logline.ErrUnread):
			_, command, _ := strings.Cut(line, "] ")
			unread = append(unread, command)
		case err != nil:
			t.Errorf("%s: %v", line, err)
		}
	}
	must.Do(t, d.End(emit))
	if !slices.Equal(events, m.got) {
		t.Errorf("the log:\n%s\nthe clients:\n%s\nMONITOR:\n%s", strings.Join(events, "\n"), strings.Join(m.got, "\n"), strings.Join(lines, "\n"))
	}
	must.Slicesf(t, unread, []string{`"del" "foreign"`, `"getdel" "taken"`}, "unread")
}

// The events that the replies of scripts stand for.
var (
	ends    = map[string]string{"1": "released", "0": "lost"}
	renewal = map[string]string{"1": "extended", "0": "lost"}
	enters  = map[string]string{"<nil>": "acquired extended", "else": "waiting"}
	reentry = map[string]string{"<nil>": "extended", "else": "waiting"}
	leaves  = map[string]string{"1": "released", "0": "extended", "<nil>": "lost"}
)

// strings are locks with a value.
func (m *monitored) strings() {
	unlock, renew := scriptOf(m.t, "set_nx_lua.go", "unlockScript"), scriptOf(m.t, "watchdog_lua.go", "renewScript")
	for round := range 2 { // by EVALSHA, which fails first, and by EVALSHA
		a, b := fmt.Sprint("a", round), fmt.Sprint("b", round)
		m.set("A", a, "jobs", day)
		m.set("B", b, "jobs", day)
		m.run("A", a, "jobs", renew, renewal, nil, a, day.Milliseconds())
		m.run("A", a, "jobs", unlock, ends, nil, a)
		m.set("B", b, "jobs", day)
		m.run("B", b, "jobs", unlock, ends, nil, b)
	}
	odd := "\x00\xff \"\n\\" // it stays as MONITOR writes it
	reply, err := m.clients["A"].SetArgs(m.ctx, odd, odd, redis.SetArgs{Mode: "NX", TTL: day}).Result()
	m.must(err)
	if reply == "OK" {
		m.tell("A", `\x00\xff \"\n\\`, `\x00\xff \"\n\\`, "acquired")
	}

	a := m.clients["A"]
	m.set("A", "a", "old", 0)
	if ok, err := a.Expire(m.ctx, "old", day).Result(); err == nil && ok {
		m.tell("A", "a", "old", "extended")
	}
	m.set("B", "b", "old", 0)
	m.must(a.Watch(m.ctx, func(tx *redis.Tx) error {
		_, err := tx.TxPipelined(m.ctx, func(p redis.Pipeliner) error { return p.Del(m.ctx, "old").Err() })
		return err
	}, "old"))
	m.tell("A", "a", "old", "released")

	for _, key := range []string{"one", "two"} {
		m.set("B", "b", key, day)
	}
	n, err := m.clients["B"].Del(m.ctx, "one", "two").Result()
	m.must(err)
	for _, key := range []string{"one", "two"}[:n] {
		m.tell("B", "b", key, "released")
	}
}

// expired are locks that expire while their clients sleep.
func (m *monitored) expired() {
	unlock, renew := scriptOf(m.t, "set_nx_lua.go", "unlockScript"), scriptOf(m.t, "watchdog_lua.go", "renewScript")
	const short = 20 * time.Millisecond
	m.set("A", "a", "late", short)
	m.gone("late")
	m.set("B", "b", "late", day)
	m.run("A", "a", "late", unlock, ends, nil, "a")
	m.run("B", "b", "late", unlock, ends, nil, "b")

	m.set("A", "a", "alone", short)
	m.gone("alone")
	m.run("A", "a", "alone", renew, renewal, nil, "a", day.Milliseconds())

	m.set("A", "a", "blind", short)
	m.gone("blind")
	m.set("B", "b", "blind", day)
	n, err := m.clients["A"].Del(m.ctx, "blind").Result() // that of B
	m.must(err)
	m.tell("A", "a", "blind", map[int64]string{1: "released", 0: "lost"}[n])
	m.set("C", "c", "blind", day)
	m.run("B", "b", "blind", unlock, ends, nil, "b")
	m.run("C", "c", "blind", unlock, ends, nil, "c")
}

// hashes are re-entrant locks, of two versions.
func (m *monitored) hashes() {
	ms := day.Milliseconds()
	for name, version := range map[string]string{"new": "redisson", "older": "redisson3123"} { // order: each has its own key
		const file = "redisson_scripts.go"
		lock, unlock, renew := scriptOf(m.t, file, version+"Lock(?:Script)?"), scriptOf(m.t, file, version+"Unlock(?:Script)?"), scriptOf(m.t, file, version+"Renew(?:Script)?")
		release := func(client, value string) {
			m.run(client, value, name, unlock, leaves, []string{"channel", fmt.Sprint("latch", len(m.got))}, 0, ms, value, "publish", ms)
		}
		m.run("A", "a:1", name, lock, enters, nil, ms, "a:1")
		m.run("A", "a:1", name, lock, reentry, nil, ms, "a:1")
		m.run("B", "b:1", name, lock, enters, nil, ms, "b:1")
		m.run("A", "a:1", name, renew, map[string]string{"[1]": "extended", "1": "extended", "else": "lost"}, nil, ms, "a:1")
		release("A", "a:1")
		release("A", "a:1")
		m.run("B", "b:1", name, lock, enters, nil, 20, "b:1")
		m.gone(name)
		m.run("A", "a:1", name, lock, enters, nil, ms, "a:1")
		release("B", "b:1")
		release("A", "a:1")
	}
}

// blind are deletions by unknown clients.
func (m *monitored) blind() {
	unlock := scriptOf(m.t, "set_nx_lua.go", "unlockScript")
	m.set("A", "a", "foreign", day)
	m.must(m.clients["C"].Del(m.ctx, "foreign").Err())
	m.set("B", "b", "foreign", day)
	m.run("A", "a", "foreign", unlock, ends, nil, "a")
	m.run("B", "b", "foreign", unlock, ends, nil, "b")

	m.set("A", "a", "taken", day)
	m.must(m.clients["C"].GetDel(m.ctx, "taken").Err())
	m.set("B", "b", "taken", day)
	m.run("B", "b", "taken", unlock, ends, nil, "b")
}
