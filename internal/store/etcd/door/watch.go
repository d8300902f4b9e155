package door

import (
	"errors"
	"io"
	"slices"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"lockstep/internal/bubble"
	"lockstep/internal/store/etcd"
)

// watches are those of one stream. Each has its own connection to the model, which allows one watch
// on each.
type watches struct {
	member *member
	stream pb.Watch_WatchServer
	open   map[int64]*watch
	next   int64 // number of a watch that asks for none

	mu    sync.Mutex
	queue []*pb.WatchResponse // to be sent
	ready chan struct{}       // something is in it
}

// watch is one of them.
type watch struct {
	of      *watches
	id      int64
	filters []pb.WatchCreateRequest_FilterType
	wire    *bubble.Wire

	mu      sync.Mutex
	created bool
	early   []*pb.WatchResponse // events from before the client knows of the watch
}

// Watch implements pb.WatchServer.
func (m *member) Watch(stream pb.Watch_WatchServer) error {
	w := &watches{member: m, stream: stream, open: map[int64]*watch{}, ready: make(chan struct{}, 1)}
	over := make(chan struct{})
	defer close(over)
	go w.deliver(over)
	defer func() {
		for _, one := range w.open { // order: each is closed for itself
			one.wire.Close()
		}
	}()
	for {
		r, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		switch r := r.RequestUnion.(type) {
		case *pb.WatchRequest_CreateRequest:
			err = w.create(r.CreateRequest)
		case *pb.WatchRequest_CancelRequest:
			w.cancel(r.CancelRequest.WatchId)
		default:
			err = m.refuse("the progress of a watch")
		}
		if err != nil {
			return err
		}
	}
}

// create begins a watch.
func (w *watches) create(r *pb.WatchCreateRequest) error {
	prefix, ok := isPrefix(r.Key, r.RangeEnd)
	if !ok || r.PrevKv || r.ProgressNotify {
		return w.member.refuse("a watch of a range that is no prefix, of what was there before, or of progress")
	}
	one := &watch{of: w, id: r.WatchId, filters: r.Filters}
	if one.id == 0 {
		for w.open[w.next] != nil {
			w.next++
		}
		one.id = w.next
		w.next++
	}
	one.wire = w.member.wire.Beside(one.event)
	w.open[one.id] = one
	v, err := one.wire.Ask(w.stream.Context(), etcd.Watch{Key: string(r.Key), From: r.StartRevision, Prefix: prefix})
	if err != nil {
		return w.member.failure(err)
	}
	one.begin(v.(int64))
	return nil
}

// cancel ends a watch, if it is there.
func (w *watches) cancel(id int64) {
	one := w.open[id]
	if one == nil {
		return
	}
	delete(w.open, id)
	one.wire.Close()
	w.send(&pb.WatchResponse{Header: w.member.header(0), WatchId: id, Canceled: true})
}

// begin confirms the watch to the client, and then sends the early events.
func (one *watch) begin(revision int64) {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.created = true
	one.of.send(&pb.WatchResponse{Header: one.of.member.header(revision), WatchId: one.id, Created: true})
	one.of.send(one.early...)
	one.early = nil
}

// event passes on a change. It runs in the kernel.
func (one *watch) event(message any) {
	e := message.(etcd.Event)
	out := &mvccpb.Event{Type: mvccpb.PUT, Kv: keyValue(&e.Put)}
	unwanted := pb.WatchCreateRequest_NOPUT
	if e.Deleted {
		out = &mvccpb.Event{Type: mvccpb.DELETE, Kv: &mvccpb.KeyValue{Key: []byte(e.Key), ModRevision: e.Revision}}
		unwanted = pb.WatchCreateRequest_NODELETE
	}
	if slices.Contains(one.filters, unwanted) {
		return
	}
	r := &pb.WatchResponse{Header: one.of.member.header(e.Revision), WatchId: one.id, Events: []*mvccpb.Event{out}}
	one.mu.Lock()
	defer one.mu.Unlock()
	if !one.created {
		one.early = append(one.early, r)
		return
	}
	one.of.send(r)
}

// send queues messages for the client.
func (w *watches) send(messages ...*pb.WatchResponse) {
	w.mu.Lock()
	w.queue = append(w.queue, messages...)
	w.mu.Unlock()
	select {
	case w.ready <- struct{}{}:
	default:
	}
}

// deliver sends what is queued, until the stream is over.
func (w *watches) deliver(over <-chan struct{}) {
	for {
		select {
		case <-w.ready:
		case <-over:
			return
		}
		w.mu.Lock()
		queue := w.queue
		w.queue = nil
		w.mu.Unlock()
		for _, r := range queue {
			if w.stream.Send(r) != nil {
				return // the stream is broken, and its reader knows
			}
		}
	}
}
