package worker

import (
	"context"
	"sync"
)

// feed is an unbounded queue: it keeps items that arrive when no reader waits, and an
// abandoned wait consumes none.
type feed[T any] struct {
	mu    sync.Mutex
	items []T
	end   error         // why no more will come
	news  chan struct{} // closed and replaced at each change
}

func newFeed[T any]() *feed[T] { return &feed[T]{news: make(chan struct{})} }

func (f *feed[T]) put(item T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.items = append(f.items, item)
	f.wake()
}

// finish says that no more items will come; the first reason counts.
func (f *feed[T]) finish(why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.end == nil {
		f.end = why
		f.wake()
	}
}

func (f *feed[T]) wake() {
	close(f.news)
	f.news = make(chan struct{})
}

// next takes the next item. Items that are there come before the end of the feed or of ctx.
func (f *feed[T]) next(ctx context.Context) (T, error) {
	for {
		item, ok, end, news := f.take()
		switch {
		case ok:
			return item, nil
		case ctx.Err() != nil:
			return item, ctx.Err()
		case end != nil:
			return item, end
		}
		select {
		case <-news:
		case <-ctx.Done():
		}
	}
}

func (f *feed[T]) take() (item T, ok bool, end error, news <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.items) > 0 {
		item, f.items, ok = f.items[0], f.items[1:], true
	}
	return item, ok, f.end, f.news
}
