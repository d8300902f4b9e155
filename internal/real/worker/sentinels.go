package worker

import (
	"context"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/real/servers"
)

// primaries is what a client has heard of who the primary is.
//
// It is not go-redis's FailoverClient, but does what that does: it asks sentinels and
// listens to their news. FailoverClient hides which server a command goes to, and the
// moments of the wire are about that. It differs in two ways, in both of which it is
// the client of the simulated world. It listens to all sentinels, not to the one that
// answered first; and when it reaches none of them, it goes on with the primary that it
// last heard of, where FailoverClient makes no new connections. A lock that is a library
// has that one, or what else it follows sentinels with.
type primaries struct {
	w     *worker
	mu    sync.Mutex
	epoch int64 // of the newest news: a sentinel that was parted from the others tells old ones
}

// followSentinels lets this client follow the sentinels from now on.
func (w *worker) followSentinels() {
	p := &primaries{w: w}
	for _, addr := range w.start.Endpoints[len(w.start.Known):] {
		go p.follow(addr)
	}
}

// follow listens to one sentinel, for as long as the process lives.
func (p *primaries) follow(addr string) {
	timeout := p.w.start.Timeout
	client := redis.NewSentinelClient(&redis.Options{
		Addr: addr, Protocol: 2, MaxRetries: -1, DialerRetries: 1,
		DialTimeout: timeout, ReadTimeout: timeout, WriteTimeout: timeout,
	})
	for {
		p.listen(client)
		time.Sleep(timeout)
	}
}

// listen follows the news of a sentinel until the connection breaks. It asks first:
// a sentinel does not repeat news.
func (p *primaries) listen(client *redis.SentinelClient) {
	ctx := context.Background()
	news := client.Subscribe(ctx, "+switch-master")
	defer news.Close()
	for {
		message, err := news.Receive(ctx)
		if err != nil {
			return
		}
		switch message.(type) {
		case *redis.Subscription, *redis.Message:
			if p.ask(ctx, client) != nil {
				return
			}
		}
	}
}

// ask asks a sentinel for the primary.
func (p *primaries) ask(ctx context.Context, client *redis.SentinelClient) error {
	says, err := client.Master(ctx, servers.Watched).Result()
	if err != nil {
		return err
	}
	epoch, wrong := strconv.ParseInt(says["config-epoch"], 10, 64)
	server := slices.Index(p.w.start.Known, net.JoinHostPort(says["ip"], says["port"]))
	p.mu.Lock()
	defer p.mu.Unlock()
	if wrong == nil && server >= 0 && epoch >= p.epoch {
		p.epoch = epoch
		p.w.lead.Store(int64(server))
	}
	return nil
}
