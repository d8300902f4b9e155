package worker

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	"lockstep/internal/store/redis"
)

func realServer(t *testing.T) *servers.Server {
	t.Helper()
	return livetest.Redis(t, servers.RedisOptions{})
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestASubscriptionKeepsMessagesUntilTheyAreRead(t *testing.T) {
	s := realServer(t)
	p := connected(t, s.Addr)
	sub := must.Get(p.Subscribe(within(t, time.Second), "channel"))(t)
	ctx := context.Background()
	for _, text := range []string{"one", "two"} {
		if got := p.Do(ctx, redis.Command("PUBLISH", "channel", text)); !got.IsInt(1) {
			t.Fatalf("%v heard %q, want one listener", got, text)
		}
	}
	if got := p.Do(ctx, redis.Command("PUBLISH", "other", "x")); !got.IsInt(0) {
		t.Errorf("%v listen to another channel", got)
	}
	for _, want := range []string{"one", "two"} {
		must.Equal(t, must.Get(sub.Next(within(t, time.Second)))(t), want)
	}
	began := time.Now()
	if got, err := sub.Next(within(t, 50*time.Millisecond)); err != context.DeadlineExceeded {
		t.Errorf("nothing was published, got %q, %v", got, err)
	}
	if took := time.Since(began); took < 40*time.Millisecond || took > 500*time.Millisecond {
		t.Errorf("waited for %v, want 50 ms", took)
	}
	// The abandoned wait has consumed nothing of the next message.
	p.Do(ctx, redis.Command("PUBLISH", "channel", "three"))
	must.Equal(t, must.Get(sub.Next(within(t, time.Second)))(t), "three")
	sub.Close()
	sub.Close()
	if !realtest.Soon(2*time.Second, func() bool { return p.Do(ctx, redis.Command("PUBLISH", "channel", "x")).IsInt(0) }) {
		t.Fatal("the server still knows the closed listener")
	}
	if _, err := sub.Next(within(t, time.Second)); err != ports.ErrConnection {
		t.Errorf("after Close: %v, want %v", err, ports.ErrConnection)
	}
}

func TestASubscriptionTellsThatItsConnectionBroke(t *testing.T) {
	s := realServer(t)
	p := connected(t, s.Addr)
	sub := must.Get(p.Subscribe(within(t, time.Second), "channel"))(t)
	defer sub.Close()
	if got := p.Do(context.Background(), redis.Command("CLIENT", "KILL", "TYPE", "pubsub")); !got.IsInt(1) {
		t.Fatalf("killed %v connections", got)
	}
	if got, err := sub.Next(within(t, 2*time.Second)); err != ports.ErrConnection {
		t.Errorf("got %q, %v, want %v: messages may be lost", got, err, ports.ErrConnection)
	}
}

func TestSubscribingAndDiallingFailAsTheOtherCommandsDo(t *testing.T) {
	silent, closed := connected(t, answering(t, "")), connected(t, answering(t, "bye"))
	for what, do := range map[string]func(p *port, limit time.Duration) error{
		"subscribing": func(p *port, limit time.Duration) error { _, err := p.Subscribe(within(t, limit), "c"); return err },
		"dialling":    func(p *port, limit time.Duration) error { _, err := p.Dial(within(t, limit)); return err },
	} {
		must.Equalf(t, do(silent, 10*time.Second), ports.ErrTimeout, "%s, and silence", what)
		must.Equalf(t, do(silent, 50*time.Millisecond), context.DeadlineExceeded,
			"%s, and silence until the deadline", what)
		must.Equalf(t, do(closed, 10*time.Second), ports.ErrConnection,
			"%s, and a closed connection", what)
	}
}

func TestADialledConnectionIsOneConnection(t *testing.T) {
	p := connected(t, realServer(t).Addr)
	ctx := context.Background()
	conn := must.Get(p.Dial(ctx))(t)
	id := func(do func(context.Context, redis.Cmd) redis.Reply) string {
		return do(ctx, redis.Command("CLIENT", "ID")).String()
	}
	first := id(conn.Do)
	if again := id(conn.Do); again != first {
		t.Errorf("connection %s, then %s", first, again)
	}
	if pooled := id(p.Do); pooled == first {
		t.Errorf("the pool gave connection %s away a second time", pooled)
	}
	if got := conn.Do(ctx, redis.Set("lock", "token").PX(time.Second).NX()); !got.IsOK() {
		t.Errorf("SET: %v", got)
	}
	if got := conn.Do(ctx, redis.Wait(1, 20*time.Millisecond)); !got.IsInt(0) {
		t.Errorf("WAIT without replicas: %v, want 0", got)
	}
	if got := conn.Do(ctx, redis.Command("NONSENSE")); got.Err == nil || !strings.HasPrefix(got.Err.Error(), "ERR unknown command") {
		t.Errorf("an error of the server became %v", got)
	}
	must.Equalf(t, id(conn.Do), first, "an error of the server cost the connection")
	conn.Close()
	conn.Close()
	if got := conn.Do(ctx, redis.Get("lock")); got.Err != ports.ErrConnection {
		t.Errorf("after Close: %v", got)
	}
	if got := p.Do(ctx, redis.Get("lock")); got.String() != `"token"` {
		t.Errorf("the pool after it: %v", got)
	}
}

func TestAConnectionWithoutAReplyIsBroken(t *testing.T) {
	server := realServer(t)
	p := connected(t, server.Addr)
	conn := must.Get(p.Dial(context.Background()))(t)
	must.Do(t, server.Freeze())
	for _, want := range []error{ports.ErrTimeout, ports.ErrConnection} {
		must.Equal(t, conn.Do(context.Background(), redis.Get("lock")).Err, want)
	}
}

// Tasks share plain variables without a race, and no task runs in the middle of another one's step.
func TestTasksTakeTurns(t *testing.T) {
	w := &worker{}
	e := newEnv(w, "test")
	w.turns.take()
	defer w.turns.give()
	inside, wrong := 0, 0
	step := func() {
		inside++
		for range 20 {
			runtime.Gosched()
			if inside != 1 {
				wrong++
			}
		}
		inside--
	}
	stop, cancel := e.WithCancel(e.Background())
	defer cancel()
	var tasks []ports.Task
	for range 4 {
		tasks = append(tasks, e.Go(stop, "task", func(ctx context.Context) {
			for range 200 {
				step()
				_ = e.Sleep(ctx, time.Microsecond)
			}
		}))
	}
	for range 200 {
		step()
		_ = e.Sleep(stop, time.Microsecond)
	}
	for _, task := range tasks {
		must.Do(t, task.Join(within(t, 10*time.Second)))
	}
	if inside != 0 || wrong != 0 {
		t.Errorf("%d tasks inside, %d steps with another task inside", inside, wrong)
	}
}

// WAIT covers the writes before the latest command of its connection, which may be the greeting.
// The model in package sim does the same (TestWaitSpeaksOfThePast).
func TestWaitSpeaksOfThePastOfItsConnection(t *testing.T) {
	primary := realServer(t)
	ctx := context.Background()
	replica := livetest.Redis(t, servers.RedisOptions{Name: "redis-2", ReplicaOf: primary.Addr})
	must.Do(t, primary.WaitReplicas(ctx, []*servers.Server{replica}))
	p := connected(t, primary.Addr)
	dial := func() redis.Conn {
		conn := must.Get(p.Dial(ctx))(t)
		t.Cleanup(conn.Close)
		return conn
	}
	one, before := dial(), dial()
	must.Do(t, replica.Freeze())
	if got := one.Do(ctx, redis.Set("lock", "token")); !got.IsOK() {
		t.Fatalf("SET: %v", got)
	}
	after := dial()
	wait := redis.Wait(1, 20*time.Millisecond)
	// A server may keep a WAIT for longer than a reply may take.
	if got := one.Do(ctx, redis.Wait(1, 2*p.w.start.Timeout)); !got.IsInt(0) {
		t.Errorf("WAIT for twice the timeout of a reply: %v, want 0", got)
	}
	if got := before.Do(ctx, wait); !got.IsInt(1) {
		t.Errorf("WAIT on a connection last used before the SET: %v, want 1", got)
	}
	if got := after.Do(ctx, wait); !got.IsInt(0) {
		t.Errorf("WAIT on a connection dialled after the SET: %v, want 0", got)
	}
	if got := one.Do(ctx, wait); !got.IsInt(0) {
		t.Errorf("WAIT on the connection of the SET: %v, want 0", got)
	}
}

// A frozen server executes, once it is thawed, the commands that clients have sent in between,
// although each has timed out and closed its connection: a client has more than one.
func TestAThawedServerExecutesTimedOutCommands(t *testing.T) {
	server := realServer(t)
	ctx := context.Background()
	p := connected(t, server.Addr)
	must.Do(t, p.connect(ctx))
	must.Do(t, server.Freeze())
	const n = 5
	for i := range n {
		if err := p.Do(ctx, redis.Command("INCR", "n")).Err; !errors.Is(err, ports.ErrTimeout) {
			t.Fatalf("command %d to a frozen server: %v", i, err)
		}
	}
	must.Do(t, server.Thaw())
	var got redis.Reply
	if !realtest.Soon(10*time.Second, func() bool {
		got = p.Do(ctx, redis.Get("n"))
		return got.Str == "5"
	}) {
		t.Errorf("the server has executed %s of %d commands", got, n)
	}
}
