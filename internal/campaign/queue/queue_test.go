package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"lockstep/internal/campaign"
	"lockstep/internal/must"
)

// house is a queue for a test: an embedded server, and the messages to its users.
type house struct {
	t        *testing.T
	server   *Embedded
	mu       sync.Mutex
	messages []string
}

func newHouse(t *testing.T) *house {
	t.Helper()
	server := must.Get(Embed(t.TempDir(), "127.0.0.1:0"))(t)
	t.Cleanup(server.Close)
	return &house{t: t, server: server}
}

func (h *house) record(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.messages = append(h.messages, text)
}

func (h *house) all() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.messages, "\n")
}

func (h *house) queue() *Queue {
	h.t.Helper()
	q := must.Get(Connect(h.t.Context(), h.server.Address(), "test", h.record, h.server.Inside()))(h.t)
	h.t.Cleanup(q.Close)
	return q
}

// scripted is a player in this process.
type scripted func(ctx context.Context, w *campaign.Work, s campaign.Shard) ([]byte, error)

func (p scripted) play(ctx context.Context, w *campaign.Work, s campaign.Shard) ([]byte, error) {
	return p(ctx, w, s)
}
func (scripted) close() {}

// lineOf is the line of a range whose result is some text.
func lineOf(w *campaign.Work, s campaign.Shard, result string) []byte {
	line, err := campaign.NewLine(w, s.String(), result)
	if err != nil {
		panic(err)
	}
	return line.Store()
}

func squares(_ context.Context, w *campaign.Work, s campaign.Shard) ([]byte, error) {
	return lineOf(w, s, fmt.Sprint(s.Number*s.Number)), nil
}

// counted is a player of squares that counts its ranges.
func counted(played *atomic.Int64) scripted {
	return func(ctx context.Context, w *campaign.Work, s campaign.Shard) ([]byte, error) {
		played.Add(1)
		return squares(ctx, w, s)
	}
}

// publish stores the line of a range as its result.
func publish(t *testing.T, q *Queue, w *campaign.Work, s campaign.Shard, line []byte) {
	t.Helper()
	subject := resultSubject + "." + task{w.Hash(), s}.key() + "." + digest(line)
	must.Get(q.js.Publish(t.Context(), subject, pack(line)))(t)
}

// worker starts a worker and returns what ends it.
func (h *house) worker(version string, slots int, play scripted) (stop func()) {
	q := h.queue()
	ctx, cancel := context.WithCancel(h.t.Context())
	w := NewWorker(q, version, slots, nil)
	w.players = func() player { return play }
	over := make(chan error, 1)
	go func() { over <- w.Work(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-over; !errors.Is(err, context.Canceled) {
			h.t.Error(err)
		}
	})
	h.t.Cleanup(stop)
	return stop
}

func newWork(t *testing.T, version, text string) *campaign.Work {
	t.Helper()
	return must.Get(campaign.NewWork(version, "search", &campaign.Scenario{File: "storm.yaml", Text: text}, struct{}{}))(t)
}

// want compares a part with that of the squares.
func want(t *testing.T, part *campaign.Results, last int) {
	t.Helper()
	got, err := campaign.All[string](part)
	if err != nil || len(got) != last {
		t.Fatalf("%d results of %d: %v", len(got), last, err)
	}
	for i, x := range got {
		if x != fmt.Sprint((i+1)*(i+1)) {
			t.Errorf("range %d: %s", i+1, x)
		}
	}
}

// do plays a work of squares to its end.
func (h *house) do(q *Queue, job Job) {
	h.t.Helper()
	h.begin(q, job)()
}

// begin begins to play a work of squares, and returns what waits for its end.
func (h *house) begin(q *Queue, job Job) (end func()) {
	var part *campaign.Results
	var aside []SetAside
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		part, aside, err = q.Do(h.t.Context(), job)
	}()
	return func() {
		h.t.Helper()
		if <-done; err != nil || len(aside) > 0 {
			h.t.Fatal(err, aside)
		}
		want(h.t, part, job.Of)
	}
}

func TestWorkersShareTheRangesOfAWork(t *testing.T) {
	h := newHouse(t)
	w := newWork(t, "v1", "text")
	var played atomic.Int64
	for range 3 {
		h.worker("v1", 2, counted(&played))
	}
	var last Progress
	q := h.queue()
	h.do(q, Job{Work: w, Of: 50, Progress: func(p Progress) { last = p }})
	if last.Done != 50 || last.Of != 50 || played.Load() != 50 {
		t.Errorf("%+v after %d plays", last, played.Load())
	}
	// The same work again is there already, until it is forgotten.
	if h.do(q, Job{Work: w, Of: 50}); played.Load() != 50 {
		t.Fatal(played.Load())
	}
	must.Do(t, q.Forget(t.Context(), w))
	for _, s := range []jetstream.Stream{q.ranges, q.results} {
		if info, err := s.Info(t.Context()); err != nil || info.State.Msgs != 0 {
			t.Errorf("%s still has %d messages: %v", info.Config.Name, info.State.Msgs, err)
		}
	}
}

// A coordinator that ends is followed by another one, which goes on where it was.
func TestACoordinatorGoesOnWhereAnotherEnded(t *testing.T) {
	h := newHouse(t)
	w := newWork(t, "v1", "text")
	ctx, kill := context.WithCancel(t.Context())
	var played atomic.Int64
	h.worker("v1", 2, func(ctx context.Context, w *campaign.Work, s campaign.Shard) ([]byte, error) {
		if played.Add(1) == 10 {
			kill()
		}
		return squares(ctx, w, s)
	})
	if _, _, err := h.queue().Do(ctx, Job{Work: w, Of: 40}); err == nil || !strings.Contains(err.Error(), "the same command goes on from there") {
		t.Fatal(err)
	}
	var first Progress
	h.do(h.queue(), Job{Work: w, Of: 40, Progress: func(p Progress) {
		if first.Of == 0 {
			first = p
		}
	}})
	// What was stored while the second one was reading may be played twice.
	if first.Before == 0 || played.Load() > 40+10 {
		t.Errorf("%d plays of 40 ranges, of which %d were there before", played.Load(), first.Before)
	}
}

// A worker that ends gives back its range.
func TestAWorkerThatEndsGivesItsRangeBack(t *testing.T) {
	h := newHouse(t)
	begun := make(chan struct{})
	stop := h.worker("v1", 1, func(ctx context.Context, _ *campaign.Work, _ campaign.Shard) ([]byte, error) {
		close(begun)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	go func() {
		<-begun
		stop()
		h.worker("v1", 1, squares)
	}()
	h.do(h.queue(), Job{Work: newWork(t, "v1", "text"), Of: 1})
}

// A range that ends its player is tried three times, and one that is refused once; all others are
// played.
func TestRangesThatCannotBePlayedAreSetAside(t *testing.T) {
	h := newHouse(t)
	var crashes, refusals atomic.Int64
	h.worker("v1", 2, func(ctx context.Context, w *campaign.Work, s campaign.Shard) ([]byte, error) {
		switch s.Number {
		case 7:
			crashes.Add(1)
			return nil, &crash{"exit status 2: panic: poison"}
		case 9:
			refusals.Add(1)
			return nil, errors.New("an unknown lock")
		}
		return squares(ctx, w, s)
	})
	job := Job{Work: newWork(t, "v1", "text"), Of: 20}
	_, aside, err := h.queue().Do(t.Context(), job)
	if err != nil || len(aside) != 2 || aside[0].Shard.Number != 7 || aside[1].Shard.Number != 9 {
		t.Fatal(aside, err)
	}
	if crashes.Load() != 3 || !strings.Contains(aside[0].Why, "3 times, at last so: exit status 2: panic: poison") {
		t.Errorf("%d crashes: %s", crashes.Load(), aside[0].Why)
	}
	if refusals.Load() != 1 || aside[1].Why != "an unknown lock" {
		t.Errorf("%d refusals: %s", refusals.Load(), aside[1].Why)
	}
	// The same command tries them again.
	if _, aside, err = h.queue().Do(t.Context(), job); err != nil || len(aside) != 2 || crashes.Load() != 6 || refusals.Load() != 2 {
		t.Errorf("%d crashes, %d refusals, %v, %v", crashes.Load(), refusals.Load(), aside, err)
	}
}

// A range has one result. Another one is a bug of the program, and both are shown.
func TestTwoResultsOfOneRangeAreABug(t *testing.T) {
	h := newHouse(t)
	w := newWork(t, "v1", "text")
	q := h.queue()
	shard := campaign.Shard{Number: 2, Of: 3}
	second := lineOf(w, shard, "five")
	publish(t, q, w, shard, second)
	publish(t, q, w, shard, lineOf(w, shard, "4")) // late, from a worker that was considered gone
	h.worker("v1", 1, squares)
	_, _, err := q.Do(t.Context(), Job{Work: w, Of: 3})
	var d *Diverged
	if !errors.As(err, &d) || !errors.Is(err, campaign.ErrDiverged) || d.Shard.Number != 2 || !bytes.Equal(d.Lines[0].Store(), second) || bytes.Equal(d.Lines[1].Store(), second) {
		t.Errorf("got %v", err)
	}
}

// After a find no range behind it is handed out, those before it are played, and players end the
// ranges behind it.
func TestNothingIsHandedOutAboveAFind(t *testing.T) {
	h := newHouse(t)
	var mu sync.Mutex
	played := map[int]bool{}
	found := make(chan struct{})
	h.worker("v1", 6, func(ctx context.Context, w *campaign.Work, s campaign.Shard) ([]byte, error) {
		mu.Lock()
		played[s.Number] = true
		mu.Unlock()
		switch {
		case s.Number == 5:
			defer close(found)
		case s.Number < 5:
			<-found // slower than the find
		case s.Number > 5:
			<-ctx.Done() // it would never end
			return nil, ctx.Err()
		}
		return squares(ctx, w, s)
	})
	job := Job{Work: newWork(t, "v1", "text"), Of: 1000, Seen: func(number int, _ json.RawMessage) (int, error) {
		if number == 5 {
			return 5, nil
		}
		return 1000, nil
	}}
	part, _, err := h.queue().Do(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	want(t, part, 5)
	mu.Lock()
	defer mu.Unlock()
	for n := range played {
		if n > 20 {
			t.Errorf("range %d was handed out", n)
		}
	}
}

// Work of another version is not taken, and both sides say so.
func TestAWorkerOfAnotherVersionTakesNothing(t *testing.T) {
	h := newHouse(t)
	h.worker("v2", 1, func(context.Context, *campaign.Work, campaign.Shard) ([]byte, error) {
		t.Error("a worker of v2 plays work of v1")
		return nil, errors.New("no")
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	strangers := 0
	_, _, err := h.queue().Do(ctx, Job{Work: newWork(t, "v1", "text"), Of: 3, Progress: func(p Progress) {
		if strangers = p.Strangers; strangers > 0 && strings.Contains(h.all(), "work of version v1 is handed out, and this worker is of version v2") {
			cancel()
		}
	}})
	if err == nil || strangers != 1 {
		t.Error(strangers, err)
	}
}

// A worker reports unknown items of a queue and goes on, and a coordinator trusts none of them.
func TestAHostileQueueDoesNoHarm(t *testing.T) {
	h := newHouse(t)
	q := h.queue()
	w := newWork(t, "v1", "text")
	hash, token := w.Hash(), versionToken("v1")
	elsewhere := newWork(t, "v1", "another text")
	strange := newWork(t, "v2", "text")
	stored := func(w *campaign.Work) []byte {
		return must.Get(json.Marshal(w))(t)
	}
	bomb := pack(bytes.Repeat([]byte(" "), mostWork+1))
	second := campaign.Shard{Number: 2, Of: 3}
	result := func(data []byte) string {
		return resultSubject + "." + task{hash, second}.key() + "." + digest(data)
	}
	foreign, third := lineOf(elsewhere, second, "4"), lineOf(w, campaign.Shard{Number: 3, Of: 3}, "9")
	zeros, ones := strings.Repeat("0", 64), strings.Repeat("1", 64)
	for _, x := range []struct {
		subject string
		data    []byte
		told    string
	}{
		{rangeSubject + "." + token + ".x.y", nil, "something that is no range"},
		{rangeSubject + "." + token + "." + hash + ".4-3", nil, "something that is no range"},
		{rangeSubject + "." + token + "." + hash + ".1-9999999", nil, "something that is no range"},
		{workSubject + "." + zeros, []byte("garbage"), ""},
		{rangeSubject + "." + token + "." + zeros + ".1-1", []byte("rm -rf /"), "its work cannot be read: it is not packed"},
		{workSubject + "." + ones, bomb, ""},
		{rangeSubject + "." + token + "." + ones + ".1-1", nil, "it is more than 4 MiB"},
		{workSubject + "." + elsewhere.Hash(), pack(stored(w)), ""},
		{rangeSubject + "." + token + "." + elsewhere.Hash() + ".1-1", nil, "its work was changed after it was stored"},
		{workSubject + "." + strange.Hash(), pack(stored(strange)), ""},
		{rangeSubject + "." + token + "." + strange.Hash() + ".1-1", nil, "its work is of version v2"},
		{result([]byte("x")), []byte("garbage"), "range 2/3 is not taken: it is not packed"},
		{result(foreign), pack(foreign), "range 2/3 is not taken: it was changed after it was written, or is of different work"},
		{result(third), pack(third), "range 2/3 is not taken: it is of another range"},
		{result([]byte("y")), pack(lineOf(w, second, "4")), "range 2/3 is not taken: its hash is not the one"},
	} {
		if _, err := q.js.Publish(t.Context(), x.subject, x.data); err != nil {
			t.Fatal(x.subject, err)
		}
		defer func() {
			if !strings.Contains(h.all(), x.told) {
				t.Errorf("%s: no line says %q:\n%s", x.subject, x.told, h.all())
			}
		}()
	}
	for _, data := range []string{"", "garbage", `{"slots": -1}`, `{"id": 5}`, strings.Repeat("x", mostHello+1), "null"} {
		for _, subject := range []string{workerHere, coordHere} {
			must.Do(t, q.nc.Publish(subject, []byte(data)))
		}
	}
	h.worker("v1", 1, squares)
	h.do(q, Job{Work: w, Of: 3})
}

func TestAddresses(t *testing.T) {
	_, err := Connect(t.Context(), "nats://127.0.0.1:1", "test", func(string) {})
	if err == nil || !strings.Contains(err.Error(), "no NATS server can be used at nats://127.0.0.1:1") {
		t.Error(err)
	}
	for _, address := range []string{"", "host", "http://host", "nats://", "nats://a, b", "nats://anna:secret%zz@host"} {
		if err := CheckAddress(address); !errors.Is(err, ErrAddress) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", address, err)
		}
	}
	if err := CheckAddress("nats://a:4222,tls://user:word@b"); err != nil {
		t.Error(err)
	}
}

// A server that is started again is the same one for its workers.
func TestAnEmbeddedServerKeepsItsTokenAndItsStreams(t *testing.T) {
	dir := t.TempDir()
	var addresses [2]string
	w := newWork(t, "v1", "text")
	h := &house{t: t}
	for i := range addresses {
		server := must.Get(Embed(dir, "127.0.0.1:0"))(t)
		addresses[i], _, _ = strings.Cut(server.Address(), "@")
		h.server = server
		q := must.Get(Connect(t.Context(), server.Address(), "test", h.record, nats.InProcessServer(server.server)))(t)
		if one := (campaign.Shard{Number: 1, Of: 1}); i == 0 {
			publish(t, q, w, one, lineOf(w, one, "1"))
		} else {
			h.do(q, Job{Work: w, Of: 1}) // without a worker
		}
		q.Close()
		server.Close()
	}
	if addresses[0] != addresses[1] {
		t.Error(addresses)
	}
	for _, at := range []string{"x", "70000", "1.2.3.4", "127.0.0.1:x"} {
		if _, err := Embed(dir, at); err == nil || !strings.Contains(err.Error(), "embedded:4333") {
			t.Errorf("%q: %v", at, err)
		}
	}
}

// Of ranges that take long the ack wait grows, so that they are not given to two workers.
func TestTheAckWaitFollowsTheSlowestRange(t *testing.T) {
	h := newHouse(t)
	q := h.queue()
	w := newWork(t, "v1", "text")
	one := task{w.Hash(), campaign.Shard{Number: 1, Of: 2}}
	data := lineOf(w, one.shard, "1")
	m := &nats.Msg{Subject: resultSubject + "." + one.key() + "." + digest(data), Header: nats.Header{took: {"5s"}}, Data: pack(data)}
	must.Get(q.js.PublishMsg(t.Context(), m))(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wait time.Duration
	_, _, _ = q.Do(ctx, Job{Work: w, Of: 2, Progress: func(Progress) { // it goes on until the wait was seen
		if c, err := q.ranges.Consumer(ctx, versionToken("v1")); err == nil {
			if wait = c.CachedInfo().Config.AckWait; wait > leastWait {
				cancel()
			}
		}
	}})
	if wait != 15*time.Second {
		t.Error(wait)
	}
	if c, err := q.consumer(t.Context(), "v1", leastWait); err != nil || c.CachedInfo().Config.AckWait != wait {
		t.Error("the next coordinator makes it shorter", err)
	}
}
