package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"lockstep/internal/campaign"
)

// Job is a work to be done.
type Job struct {
	Work *campaign.Work
	Of   int // ranges
	// Seen, if not nil, is called with each result, in any order, and returns the number of the
	// last range still needed.
	Seen func(number int, data json.RawMessage) (needed int, err error)
	// Progress, if not nil, is called now and then.
	Progress func(Progress)
}

// Progress is how far a job is.
type Progress struct {
	Done, Before, Of int // ranges: finished, finished when it began, needed
	Workers, Slots   int // present, and how many ranges they play at once
	Aside            int // finished ranges that were set aside
	Strangers        int // workers of another version
}

// SetAside is a range that could not be played.
type SetAside struct {
	Shard campaign.Shard
	Why   string
}

// Diverged is a range with two different results: a bug of the program.
type Diverged struct {
	Shard campaign.Shard
	Lines [2]*campaign.Line
}

func (d *Diverged) Error() string { return fmt.Sprintf("range %s: %v", d.Shard, campaign.ErrDiverged) }
func (d *Diverged) Unwrap() error { return campaign.ErrDiverged }

// coordinator is a job in progress.
type coordinator struct {
	q      *Queue
	job    Job
	hash   string
	token  string // of the version
	mine   []byte // its hello
	packed []byte // the work, as it is stored

	results  *campaign.Results
	looked   map[int]bool // ranges of which a result was read, valid or not
	failed   map[int]string
	handed   map[int]time.Time // ranges with the workers, and since when
	reread   bool              // the results have to be read again from the start
	next     int
	needed   int // the last range needed
	before   int
	slowest  time.Duration
	wait     time.Duration // the ack wait that was requested
	complain time.Time     // the last report that nothing can be handed out

	mu      sync.Mutex
	workers map[string]worker
}

type worker struct {
	hello
	at time.Time
}

// Do hands out the ranges of a job until all that are needed have been played or set aside.
func (q *Queue) Do(ctx context.Context, job Job) (*campaign.Results, []SetAside, error) {
	c := &coordinator{
		q: q, job: job, hash: job.Work.Hash(), token: versionToken(job.Work.Version), next: 1, needed: job.Of,
		results: campaign.NewResults(job.Work, job.Of), looked: map[int]bool{}, failed: map[int]string{}, handed: map[int]time.Time{}, workers: map[string]worker{},
	}
	var err error
	if c.mine, err = json.Marshal(hello{Version: job.Work.Version}); err == nil {
		err = c.begin(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	others, err := q.nc.Subscribe(workerHere, c.meet)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = others.Unsubscribe() }()
	err = c.gather(ctx)
	if ctx.Err() != nil {
		return nil, nil, fmt.Errorf("interrupted after %d of %d ranges, which %s keeps: the same command goes on from there", c.results.Len(), c.needed, q.where)
	}
	if err != nil {
		return nil, nil, err
	}
	return c.result()
}

// begin stores the work and retries what was set aside.
func (c *coordinator) begin(ctx context.Context) error {
	data, err := json.Marshal(c.job.Work)
	if err != nil {
		return err
	}
	if c.packed = pack(data); len(data) > mostWork {
		return fmt.Errorf("the scenario takes %d KiB, and workers read %d KiB: make it shorter", len(data)>>10, mostWork>>10)
	}
	if most := c.q.nc.MaxPayload(); int64(len(c.packed))+mostHello > most {
		return fmt.Errorf("the scenario takes %d KiB, and %s takes %d KiB: raise its max_payload", len(c.packed)>>10, c.q.where, most>>10)
	}
	err = c.q.patiently(ctx, time.Minute, func(ctx context.Context) error {
		err := purge(ctx, c.q.results, failedSubject+"."+c.hash+".*", crashSubject+"."+c.hash+".*.*")
		err = errors.Join(err, c.store(ctx))
		_, errConsumer := c.q.consumer(ctx, c.job.Work.Version, leastWait)
		return errors.Join(err, errConsumer)
	})
	if err != nil {
		return fmt.Errorf("%s does not take the work (%w): is there room on its disks, and may these credentials use the queue?", c.q.where, err)
	}
	return nil
}

// store stores the work, which workers must find before its ranges.
func (c *coordinator) store(ctx context.Context) error {
	_, err := c.q.js.Publish(ctx, workSubject+"."+c.hash, c.packed)
	return err
}

// meet records a worker.
func (c *coordinator) meet(m *nats.Msg) {
	var other hello
	if len(m.Data) > mostHello || json.Unmarshal(m.Data, &other) != nil || other.Slots < 0 || other.Slots > campaign.Most {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.workers[other.ID]; known || len(c.workers) < mostWorkers {
		c.workers[other.ID] = worker{other, time.Now()}
	}
}

// gather takes results and hands out ranges until nothing is left.
func (c *coordinator) gather(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	messages, stored, stop, err := c.listen(ctx)
	if err != nil {
		return err
	}
	defer func() { stop() }()
	tick := time.NewTicker(hereEvery / 2)
	defer tick.Stop()
	// Stored results are read first, so that they are not handed out. If another coordinator has
	// just removed them, the wait for them ends after a while.
	known, quiet := stored == 0, 0
	for {
		if known && c.over() {
			c.report()
			return nil
		}
		if known {
			c.handOut(ctx)
		}
		if c.reread {
			stop()
			if messages, _, stop, err = c.listen(ctx); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.q.gone.Done():
			return context.Cause(c.q.gone)
		case m, open := <-messages:
			if quiet = 0; !open {
				c.reread = true
				continue
			}
			if err := c.take(m); err != nil {
				return err
			}
			if !known && len(c.looked) >= stored {
				known, c.before = true, c.results.Len()
			}
		case <-tick.C:
			if quiet++; quiet > 20 && !known {
				known, c.before = true, c.results.Len()
			}
			c.report()
			c.patience(ctx)
		}
	}
}

// listen follows the results, from the first one on, until stop is called.
func (c *coordinator) listen(ctx context.Context) (messages <-chan jetstream.Msg, stored int, stop func(), err error) {
	ctx, stop = context.WithCancel(ctx)
	messages, stored, err = c.follow(ctx)
	if c.reread = false; err != nil {
		stop()
	}
	return messages, stored, stop, err
}

// over reports whether each range that is needed has been played or set aside.
func (c *coordinator) over() bool {
	if c.results.Len()+len(c.failed) < c.needed {
		return false
	}
	for k := 1; k <= c.needed; k++ {
		if _, failed := c.failed[k]; !c.has(k) && !failed {
			return false
		}
	}
	return true
}

// progress also forgets the workers that are gone.
func (c *coordinator) progress() Progress {
	p := Progress{Done: c.results.Len() + len(c.failed), Aside: len(c.failed), Before: c.before, Of: c.needed}
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, w := range c.workers {
		switch {
		case time.Since(w.at) > 5*hereEvery:
			delete(c.workers, id)
		case w.Version == c.job.Work.Version:
			p.Workers, p.Slots = p.Workers+1, p.Slots+w.Slots
		default:
			p.Strangers++
		}
	}
	return p
}

// report reports the progress, and tells workers that there is a coordinator.
func (c *coordinator) report() {
	_ = c.q.nc.Publish(coordHere, c.mine) // the next one is soon
	if c.job.Progress != nil {
		c.job.Progress(c.progress())
	}
}

// result returns the results of the ranges that are needed.
func (c *coordinator) result() (*campaign.Results, []SetAside, error) {
	var aside []SetAside
	for _, k := range slices.Sorted(maps.Keys(c.failed)) {
		if k <= c.needed {
			aside = append(aside, SetAside{c.span(k), c.failed[k]})
		}
	}
	if len(aside) > 0 {
		return nil, aside, nil
	}
	all := campaign.NewResults(c.job.Work, c.job.Of)
	for k := 1; k <= c.needed; k++ {
		if err := all.Put(c.results.Get(c.span(k).String())); err != nil {
			return nil, nil, err
		}
	}
	return all, nil, nil
}

// span is the range with a number.
func (c *coordinator) span(number int) campaign.Shard {
	return campaign.Shard{Number: number, Of: c.job.Of}
}

// has reports whether the result of a range is known.
func (c *coordinator) has(number int) bool { return c.results.Get(c.span(number).String()) != nil }

// Forget removes what is stored of a work, after its result was shown.
func (q *Queue) Forget(ctx context.Context, w *campaign.Work) error {
	hash := w.Hash()
	return errors.Join(
		purge(ctx, q.results, workSubject+"."+hash, resultSubject+"."+hash+".*.*", failedSubject+"."+hash+".*", crashSubject+"."+hash+".*.*"),
		purge(ctx, q.ranges, rangeSubject+".*."+hash+".*"),
	)
}

func purge(ctx context.Context, of jetstream.Stream, subjects ...string) (err error) {
	for _, subject := range subjects {
		err = errors.Join(err, of.Purge(ctx, jetstream.WithPurgeSubject(subject)))
	}
	return err
}
