package queue

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"lockstep/internal/campaign"
)

// Worker plays ranges of works for one version of the program.
type Worker struct {
	q        *Queue
	version  string
	players  func() player
	slots    int
	id       string
	consumer jetstream.Consumer
	wait     atomic.Int64 // the ack wait, in nanoseconds

	asking sync.Mutex // one request for a range is enough, however many slots are free

	mu      sync.Mutex
	works   map[string]*campaign.Work // read recently
	strange map[string]bool           // versions that were reported
}

// hello is how workers and coordinators announce themselves.
type hello struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Slots   int    `json:"slots,omitempty"`
}

// NewWorker makes a worker that plays up to slots ranges at once, each in its own player.
func NewWorker(q *Queue, version string, slots int, command func() *exec.Cmd) *Worker {
	return &Worker{
		q: q, version: version, players: func() player { return &process{command: command, version: version} }, slots: slots, id: rand.Text(),
		works: map[string]*campaign.Work{}, strange: map[string]bool{},
	}
}

// Work plays ranges until ctx ends, and gives back unfinished ones.
func (w *Worker) Work(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := w.q.patiently(ctx, 10*time.Second, w.refresh); err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s has no ranges to give (%w)", w.q.where, err)
	} else if err != nil {
		return err
	}
	others, err := w.q.nc.Subscribe(coordHere, w.meet)
	if err != nil {
		return err
	}
	defer func() { _ = others.Unsubscribe() }()
	var slots sync.WaitGroup
	for range w.slots {
		slots.Go(func() { w.slot(ctx) })
	}
	defer slots.Wait()
	defer cancel()
	mine, err := json.Marshal(hello{ID: w.id, Version: w.version, Slots: w.slots})
	if err != nil {
		return err
	}
	tick := time.NewTicker(hereEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		_ = w.q.nc.Publish(workerHere, mine) // repeated soon
		if n%20 == 19 {
			_ = w.refresh(ctx)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.q.gone.Done():
			return context.Cause(w.q.gone)
		case <-tick.C:
		}
	}
}

// refresh finds or creates the consumer of this version's ranges.
func (w *Worker) refresh(ctx context.Context) error {
	c, err := w.q.consumer(ctx, w.version, 0)
	if err == nil {
		w.mu.Lock()
		w.consumer = c
		w.mu.Unlock()
		w.wait.Store(int64(c.CachedInfo().Config.AckWait))
	}
	return err
}

// consumer is that of the ranges of one version, with an ack wait of at least wait. It is never
// shortened, as workers rely on what they have read.
func (q *Queue) consumer(ctx context.Context, version string, wait time.Duration) (jetstream.Consumer, error) {
	token := versionToken(version)
	wait = max(wait, leastWait)
	c, err := q.ranges.Consumer(ctx, token)
	switch {
	case err == nil && c.CachedInfo().Config.AckWait >= wait:
		return c, nil
	case err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound):
		return nil, err
	}
	return q.ranges.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: token, Description: "lockstep " + version, FilterSubject: rangeSubject + "." + token + ".*.*",
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: wait, MaxAckPending: -1, MaxWaiting: mostWorkers, InactiveThreshold: forgotten,
	})
}

// meet reports, once, a coordinator of another version.
func (w *Worker) meet(m *nats.Msg) {
	var other hello
	if len(m.Data) > mostHello || json.Unmarshal(m.Data, &other) != nil || other.Version == w.version || other.Version == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.strange[other.Version] && len(w.strange) < mostKnown {
		w.strange[other.Version] = true
		w.q.notify(fmt.Sprintf("work of version %s is handed out, and this worker is of version %s: it takes none of it; start workers from the same build", other.Version, w.version))
	}
}

// slot plays one range after another.
func (w *Worker) slot(ctx context.Context) {
	player := w.players()
	defer func() { player.close() }()
	for ctx.Err() == nil {
		if m := w.ask(ctx); m != nil && w.handle(ctx, m, player) {
			player.close()
			player = w.players()
		}
	}
}

// ask asks for a range. It returns nil when there is none, or no server.
func (w *Worker) ask(ctx context.Context) jetstream.Msg {
	w.asking.Lock()
	defer w.asking.Unlock()
	w.mu.Lock()
	c := w.consumer
	w.mu.Unlock()
	asked, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	m, err := c.Next(jetstream.FetchContext(asked))
	if err == nil {
		return m
	}
	if ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, nats.ErrTimeout) {
		pause(ctx, 300*time.Millisecond)
		_ = w.refresh(ctx) // it may be gone
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// handle plays one range and stores its result. It reports whether the player must be replaced.
func (w *Worker) handle(ctx context.Context, m jetstream.Msg, p player) (spent bool) {
	t, after, err := parseSubject(m.Subject(), 3)
	meta, errMeta := m.Metadata()
	if err = errors.Join(err, errMeta); err != nil || len(after) > 0 {
		w.q.notify(fmt.Sprintf("the queue holds something that is no range (%q): it is thrown away", m.Subject()))
		_ = m.Term()
		return false
	}
	held, release := w.hold(ctx, m, meta.Sequence.Stream)
	defer release()
	data, d, err := w.play(held, t, meta.NumDelivered, p)
	var end *crash
	var broken *brokenError
	switch {
	case ctx.Err() != nil:
		w.giveBack(m) // another worker begins at once
	case errors.Is(context.Cause(held), errUnwanted):
		return true
	case errors.Is(err, jetstream.ErrMsgNotFound):
		_ = m.Term() // the work was forgotten, or its coordinator stores it again with the range
	case errors.As(err, &broken):
		w.giveBack(m)
		w.q.end(broken)
	case errors.As(err, &end):
		w.crashed(ctx, t, m, end)
		return true
	case err != nil:
		w.setAside(ctx, t, m, err.Error())
	default:
		w.store(ctx, t, m, data, d)
	}
	return false
}

// giveBack returns a range to the servers, for another worker.
func (w *Worker) giveBack(m jetstream.Msg) {
	_ = m.Nak()
	_ = w.q.nc.FlushTimeout(time.Second)
}

// brokenError keeps a worker from playing any range: its own fault, not the range's.
type brokenError struct{ error }

// play plays a range that was delivered a number of times, and returns its result and duration.
func (w *Worker) play(ctx context.Context, t task, times uint64, p player) ([]byte, time.Duration, error) {
	work, err := w.work(ctx, t.work) // which may wait for servers
	if err != nil {
		return nil, 0, err
	}
	if times > mostDeliveries {
		return nil, 0, fmt.Errorf("it was handed out %d times and never ended", mostDeliveries)
	}
	began := time.Now()
	data, err := p.play(ctx, work, t.shard)
	return data, time.Since(began), err
}

// work reads the work with a hash; ErrMsgNotFound if there is none.
func (w *Worker) work(ctx context.Context, hash string) (*campaign.Work, error) {
	w.mu.Lock()
	known := w.works[hash]
	w.mu.Unlock()
	if known != nil {
		return known, nil
	}
	var packed []byte
	err := w.q.patiently(ctx, 0, func(ctx context.Context) error {
		m, err := w.q.results.GetLastMsgForSubject(ctx, workSubject+"."+hash)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return &finalError{err}
		}
		if err == nil {
			packed = m.Data
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	work, err := readWork(packed)
	switch {
	case err != nil:
		return nil, fmt.Errorf("its work cannot be read: %w", err)
	case work.Hash() != hash:
		return nil, errors.New("its work was changed after it was stored")
	case work.Version != w.version:
		return nil, fmt.Errorf("its work is of version %s and was handed out to workers of version %s: start workers from the same build", work.Version, w.version)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.works) >= mostKnown {
		clear(w.works)
	}
	w.works[hash] = work
	return work, nil
}

// readWork reads a stored work.
func readWork(packed []byte) (*campaign.Work, error) {
	data, err := unpack(packed, mostWork)
	if err != nil {
		return nil, err
	}
	return campaign.ReadWork(data)
}

// errUnwanted ends a range that is no longer needed.
var errUnwanted = errors.New("it is no longer needed")

// hold keeps a range from other workers until it is released, even while its result cannot be
// stored. The context ends earlier when the range is no longer needed.
func (w *Worker) hold(ctx context.Context, m jetstream.Msg, sequence uint64) (held context.Context, release func()) {
	held, cancel := context.WithCancelCause(ctx)
	var over sync.WaitGroup
	over.Go(func() {
		tick := time.NewTicker(time.Duration(w.wait.Load()) / 3)
		defer tick.Stop()
		for {
			select {
			case <-held.Done():
				return
			case <-tick.C:
			}
			_ = m.InProgress()
			if _, err := w.q.ranges.GetMsg(held, sequence); errors.Is(err, jetstream.ErrMsgNotFound) {
				cancel(errUnwanted)
			}
		}
	})
	return held, func() {
		cancel(nil)
		over.Wait()
	}
}

// took is the header for the duration of a range, in Go's notation.
const took = "Lockstep-Took"

// store stores a result, retrying as long as necessary, and then ends the range.
func (w *Worker) store(ctx context.Context, t task, m jetstream.Msg, result []byte, d time.Duration) {
	packed := pack(result)
	if len(result) > mostResult {
		w.setAside(ctx, t, m, fmt.Sprintf("its result has %d MiB, and coordinators read %d MiB: divide the work into more ranges", len(result)>>20, mostResult>>20))
		return
	}
	if most := w.q.nc.MaxPayload(); int64(len(packed))+mostHello > most {
		w.setAside(ctx, t, m, fmt.Sprintf("its result has %d KiB, and the server takes %d KiB: raise its max_payload, or divide the work into more ranges", len(packed)>>10, most>>10))
		return
	}
	w.end(ctx, m, &nats.Msg{Subject: resultSubject + "." + t.key() + "." + digest(result), Header: nats.Header{took: {d.String()}}, Data: packed})
}

// setAside ends a range that cannot be played, and says why.
func (w *Worker) setAside(ctx context.Context, t task, m jetstream.Msg, why string) {
	w.q.notify(fmt.Sprintf("range %s is set aside: %s", t.shard, why))
	w.end(ctx, m, &nats.Msg{Subject: failedSubject + "." + t.key(), Data: []byte(shorten(why))})
}

// end stores the result of a range and then ends it; else it is played again, which is harmless.
func (w *Worker) end(ctx context.Context, m jetstream.Msg, result *nats.Msg) {
	if w.put(ctx, result) != nil {
		w.giveBack(m)
		return
	}
	_ = m.DoubleAck(ctx)
}

// crashed records that a range has ended its player, and sets it aside after too many times.
func (w *Worker) crashed(ctx context.Context, t task, m jetstream.Msg, end *crash) {
	w.q.notify(fmt.Sprintf("range %s has ended the process that played it: %s", t.shard, shorten(end.why)))
	subject := crashSubject + "." + t.key()
	_ = w.put(ctx, &nats.Msg{Subject: subject + "." + rand.Text()}) // ctx has ended: it is played again
	times := 0
	_ = w.q.patiently(ctx, time.Minute, func(ctx context.Context) error {
		info, err := w.q.results.Info(ctx, jetstream.WithSubjectFilter(subject+".*"))
		if err == nil {
			times = len(info.State.Subjects)
		}
		return err
	})
	if times >= mostCrashes {
		w.setAside(ctx, t, m, fmt.Sprintf("it has ended the process that played it %d times, at last so: %s", times, end.why))
		return
	}
	_ = m.Nak()
}

// put stores a message, retrying as long as necessary. It fails only when this worker ends.
func (w *Worker) put(ctx context.Context, m *nats.Msg) error {
	reported := false
	return w.q.patiently(ctx, 0, func(ctx context.Context) error {
		_, err := w.q.js.PublishMsg(ctx, m)
		if err != nil && !reported && ctx.Err() == nil {
			reported = true
			w.q.notify(fmt.Sprintf("%s does not store a result yet (%v): trying again", w.q.where, err))
		}
		return err
	})
}
