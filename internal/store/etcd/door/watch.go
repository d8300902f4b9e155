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
	open   map[int64]*bubble.Wire
	next   int64 // number of a watch that asks for none

	mu    sync.Mutex
	queue []*pb.WatchResponse // to be sent
	ready chan struct{}       // something is in it
}

// Watch implements pb.WatchServer.
func (m *member) Watch(stream pb.Watch_WatchServer) error {
	w := &watches{member: m, stream: stream, open: map[int64]*bubble.Wire{}, ready: make(chan struct{}, 1)}
	over := make(chan struct{})
	defer close(over)
	go w.deliver(over)
	defer func() {
		for _, wire := range w.open { // order: each is closed for itself
			wire.Close()
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

// create begins a watch, which no model refuses. What it brings comes after its confirmation.
func (w *watches) create(r *pb.WatchCreateRequest) error {
	prefix, ok := isPrefix(r.Key, r.RangeEnd)
	if !ok || r.PrevKv || r.ProgressNotify {
		return w.member.refuse("a watch of a range that is no prefix, of what was there before, or of progress")
	}
	id := r.WatchId
	if id == 0 {
		for w.open[w.next] != nil {
			w.next++
		}
		id = w.next
		w.next++
	}
	wire := w.member.wire.OpenStream(func(m any) { w.event(id, r.Filters, m.(etcd.Event)) })
	w.open[id] = wire
	wire.Start(etcd.Watch{Key: string(r.Key), From: r.StartRevision, Prefix: prefix}, func(revision any, _ error) {
		w.send(&pb.WatchResponse{Header: w.member.header(revision.(int64)), WatchId: id, Created: true})
	})
	return nil
}

// cancel ends a watch, if it is there.
func (w *watches) cancel(id int64) {
	wire := w.open[id]
	if wire == nil {
		return
	}
	delete(w.open, id)
	wire.Close()
	w.send(&pb.WatchResponse{Header: w.member.header(0), WatchId: id, Canceled: true})
}

// event passes on a change. It runs in the kernel.
func (w *watches) event(id int64, filters []pb.WatchCreateRequest_FilterType, e etcd.Event) {
	out := &mvccpb.Event{Type: mvccpb.PUT, Kv: keyValue(&e.Put)}
	unwanted := pb.WatchCreateRequest_NOPUT
	if e.Deleted {
		out = &mvccpb.Event{Type: mvccpb.DELETE, Kv: &mvccpb.KeyValue{Key: []byte(e.Key), ModRevision: e.Revision}}
		unwanted = pb.WatchCreateRequest_NODELETE
	}
	if !slices.Contains(filters, unwanted) {
		w.send(&pb.WatchResponse{Header: w.member.header(e.Revision), WatchId: id, Events: []*mvccpb.Event{out}})
	}
}

// send queues a message for the client.
func (w *watches) send(message *pb.WatchResponse) {
	w.mu.Lock()
	w.queue = append(w.queue, message)
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
