package queue

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/queue/queuetest"
	"lockstep/internal/must"
)

// eventually waits for a condition, until the deadline of the test.
func eventually(t *testing.T, so func() bool) {
	t.Helper()
	for !so() {
		select {
		case <-t.Context().Done():
			t.Fatal("the condition is never met")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// bounded ends a test that hangs, so that it reports why.
func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// A worker has one request with the servers, however many slots it has: servers keep a limited
// number of them.
func TestAWorkerAsksOnceForAllItsSlots(t *testing.T) {
	h := newHouse(t)
	const slots = 600
	var begun atomic.Int64 // a range may be handed out twice
	busy := make(chan struct{})
	h.worker("v1", slots, func(ctx context.Context, w *campaign.Work, s campaign.Shard) ([]byte, error) {
		if begun.Add(1) == slots {
			close(busy)
		}
		<-busy // all slots at once
		return squares(ctx, w, s)
	})
	q := h.queue()
	h.do(q, Job{Work: newWork(t, "v1", "text"), Of: slots})
	c := must.Get(q.ranges.Consumer(t.Context(), versionToken("v1")))(t)
	for range 20 {
		var info *jetstream.ConsumerInfo
		eventually(t, func() bool {
			var err error
			info, err = c.Info(t.Context())
			return err == nil && info.NumWaiting > 0
		})
		if info.NumWaiting > 1 || info.Config.MaxWaiting < 1000 {
			t.Fatalf("%d requests wait, of %d at most", info.NumWaiting, info.Config.MaxWaiting)
		}
	}
}

// Two coordinators of one work may end at different times: the remaining one hands out again what
// the other has removed, and stores the work again.
func TestAWorkThatAnotherCoordinatorForgetsGoesOn(t *testing.T) {
	h := newHouse(t)
	w := newWork(t, "v1", "text")
	q, other := h.queue(), h.queue()
	q.late = 10 * time.Millisecond
	forgot := false
	part, _, err := q.Do(bounded(t), Job{Work: w, Of: 3, Progress: func(Progress) {
		if info, err := other.ranges.Info(t.Context()); !forgot && err == nil && info.State.Msgs == 3 {
			forgot = true
			if err := other.Forget(t.Context(), w); err != nil {
				t.Error(err)
			}
			h.worker("v1", 1, squares)
		}
	}})
	if err != nil || !forgot {
		t.Fatal(forgot, err)
	}
	want(t, part, 3)
}

// A range without its work is dropped, not handed out again and again.
func TestARangeWithoutItsWorkIsDropped(t *testing.T) {
	h := newHouse(t)
	q := h.queue()
	must.Get(q.js.Publish(t.Context(), rangeSubject+"."+versionToken("v1")+"."+strings.Repeat("0", 64)+".1-1", nil))(t)
	h.worker("v1", 1, squares)
	eventually(t, func() bool {
		info, err := q.ranges.Info(t.Context())
		return err == nil && info.State.Msgs == 0
	})
	if info, err := q.results.Info(t.Context()); err != nil || info.State.Msgs != 0 {
		t.Errorf("%+v is stored about it: %v", info.State, err)
	}
}

// A worker that cannot play at all ends, and another one plays its ranges.
func TestAWorkerThatCannotPlayEnds(t *testing.T) {
	for said, command := range map[string][]string{
		"no range can be played here: fork/exec /nowhere/simulate":                          {"/nowhere/simulate"},
		"no range can be played here: exit status 4: no memory":                             {"sh", "-c", "echo no memory >&2; exit 4"},
		"the program is of version v9 now, and this worker of version v1: start the worker": {"sh", "-c", `echo '{"Version": "v9"}'; cat`},
	} {
		h := newHouse(t)
		q := h.queue()
		end := h.begin(q, Job{Work: newWork(t, "v1", "text"), Of: 5})
		broken := NewWorker(h.queue(), "v1", 2, func() *exec.Cmd { return exec.Command(command[0], command[1:]...) })
		if err := broken.Work(bounded(t)); err == nil || !strings.Contains(err.Error(), said) {
			t.Fatalf("%v, not %q", err, said)
		}
		h.worker("v1", 1, squares)
		end()
	}
}

// A range is acknowledged when its result is stored, and not before: a worker that has to end while
// the servers store no result gives the range back.
func TestARangeIsEndedOnlyWhenItsResultIsStored(t *testing.T) {
	h := newHouse(t)
	q := h.queue()
	full := q.results.CachedInfo().Config
	open := full
	limit := func(of jetstream.StreamConfig) {
		must.Get(q.js.UpdateStream(t.Context(), of))(t)
	}
	full.MaxMsgs, full.Discard = 1, jetstream.DiscardNew // there is room for the work and no more
	limit(full)
	var played atomic.Int64
	stop := h.worker("v1", 1, counted(&played))
	end := h.begin(q, Job{Work: newWork(t, "v1", "text"), Of: 1})
	eventually(t, func() bool { return strings.Contains(h.all(), "does not store a result yet") })
	stop()
	info, errInfo := q.ranges.Info(t.Context())
	if errInfo != nil || info.State.Msgs != 1 {
		t.Fatalf("%+v: %v", info.State, errInfo)
	}
	limit(open)
	h.worker("v1", 1, counted(&played))
	if end(); played.Load() != 2 {
		t.Error(played.Load())
	}
}

// A result or work that is too large to be read is refused at once, or it would be played forever.
func TestWhatIsTooLargeIsToldAtOnce(t *testing.T) {
	h := newHouse(t)
	_, _, err := h.queue().Do(t.Context(), Job{Work: newWork(t, "v1", strings.Repeat("<", 1<<20)), Of: 1})
	if err == nil || !strings.Contains(err.Error(), "workers read 4096 KiB") {
		t.Error(err)
	}
	h.worker("v1", 1, func(_ context.Context, w *campaign.Work, s campaign.Shard) ([]byte, error) {
		return lineOf(w, s, strings.Repeat("x", mostResult)), nil
	})
	_, aside, err := h.queue().Do(t.Context(), Job{Work: newWork(t, "v1", "text"), Of: 1})
	if err != nil || len(aside) != 1 || !strings.Contains(aside[0].Why, "coordinators read 64 MiB: divide the work into more ranges") {
		t.Error(err, aside)
	}
}

// The cause of a panic is at the beginning of its output, that of other failures at the end.
func TestAnExcerptHasBothEnds(t *testing.T) {
	var x excerpt
	for _, text := range []string{"panic: poison\n", strings.Repeat("a long stack\n", 1000), "exit status 2"} {
		if n, err := x.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
	}
	if got := x.String(); !strings.HasPrefix(got, "panic: poison\n") || !strings.HasSuffix(got, "exit status 2") || len(got) > mostReason {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// Calls on a connection that has ended fail with the reason, and are not retried.
func TestTheEndOfTheConnectionEndsWhatIsTried(t *testing.T) {
	q := newHouse(t).queue()
	why := errors.New("no more")
	q.end(why)
	if err := q.patiently(t.Context(), 0, func(context.Context) error { return errors.New("not yet") }); !errors.Is(err, why) {
		t.Error(err)
	}
	if err := NewWorker(q, "v1", 1, nil).Work(t.Context()); !errors.Is(err, why) {
		t.Error(err)
	}
}

// A player that ends during a range is a crash, with its last words; the next range gets another
// player.
func TestAPlayerThatEndsIsACrash(t *testing.T) {
	p := &process{version: "v1", command: func() *exec.Cmd {
		return exec.Command("sh", "-c", `echo '{"Version": "v1"}'; read request; echo "panic: poison" >&2; exit 2`)
	}}
	defer p.close()
	for range 2 {
		var end *crash
		if _, err := p.play(t.Context(), newWork(t, "v1", "text"), campaign.Shard{Number: 1, Of: 1}); !errors.As(err, &end) || end.why != "exit status 2: panic: poison" {
			t.Fatal(err)
		}
	}
	if (&process{version: "v1", command: func() *exec.Cmd { return exec.Command("true") }}).start() == nil {
		t.Error("a player that says nothing starts")
	}
}

// patientPlayer is set in the environment of players that take so long for each range, and no
// processor.
const patientPlayer = "LOCKSTEP_TEST_PLAYER"

func TestMain(m *testing.M) {
	queuetest.Main() // tests start this program as their servers
	if d, err := time.ParseDuration(os.Getenv(patientPlayer)); err == nil {
		ServePlayer("v1", os.Stdin, os.Stdout, func() { os.Exit(0) }, func(w *campaign.Work, s campaign.Shard) ([]byte, error) {
			time.Sleep(d)
			return squares(context.Background(), w, s)
		})
	}
	os.Exit(m.Run())
}

// A worker reads valid items of a queue or rejects them: a range under its own name, a work that is
// stored again as it was read, a greeting that costs no more than its line.
func FuzzWhatAWorkerReads(f *testing.F) {
	w := must.Get(campaign.NewWork("v1", "search", &campaign.Scenario{File: "storm.yaml", Text: "scenario: <&\u2028 Storm\n", Set: []string{"lease=3s"}}, map[string]int{"seeds": 9}))(f)
	data := must.Get(json.Marshal(w))(f)
	hash := w.Hash()
	f.Add(rangeSubject+"."+versionToken("v1")+"."+hash+".3-16", data, []byte(`{"id": "x", "version": "v2"}`))
	f.Add(rangeSubject+".*."+hash+".03-16", []byte(`{"version": "v1", "command": "x", "options": {"a" : 1}}`), []byte("null"))
	f.Add(rangeSubject+"."+versionToken("v1")+"."+strings.ToUpper(hash)+".17-16.x", []byte("{}"), []byte(""))
	f.Fuzz(func(t *testing.T, subject string, text, greeting []byte) {
		if got, after, err := parseSubject(subject, 3); err == nil {
			words := strings.Split(subject, ".")
			if got.key() != strings.Join(words[3:5], ".") || len(after) != len(words)-5 || got.shard.Number < 1 || got.shard.Number > got.shard.Of || got.shard.Of > campaign.Most {
				t.Errorf("%q is read as %+v", subject, got)
			}
		}
		for _, packed := range [][]byte{text, pack(text)} {
			work, err := readWork(packed)
			if err != nil {
				continue
			}
			again, err := json.Marshal(work)
			if err != nil {
				t.Fatalf("%q is a work that cannot be stored: %v", text, err)
			}
			other, err := readWork(pack(again))
			if err != nil || other.Hash() != work.Hash() {
				t.Errorf("%q is another work when it is read again: %v", text, err)
			}
		}
		if data, err := unpack(text, 1<<10); err == nil && len(data) > 1<<10 {
			t.Errorf("%d bytes are unpacked", len(data))
		}
		messages := 0
		reader := NewWorker(&Queue{notify: func(string) { messages++ }}, "v1", 1, nil)
		c := &coordinator{job: Job{Work: w}, results: campaign.NewResults(w, 1), workers: map[string]worker{}}
		for range 3 {
			reader.meet(&nats.Msg{Data: greeting})
			c.meet(&nats.Msg{Data: greeting})
		}
		if slots := c.progress().Slots; messages > 1 || len(c.workers) > 1 || slots < 0 || slots > campaign.Most {
			t.Errorf("%q is told %d times, and counts for %d slots", greeting, messages, slots)
		}
	})
}
