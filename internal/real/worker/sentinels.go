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

// primaries learns from sentinels which server is the primary.
//
// It replaces go-redis's FailoverClient, which hides the server that a command goes to, as the
// moments of the wire need it. It differs in two ways, both as the simulated client does. It
// listens to all sentinels, not only to the first that answered; and when it reaches none of
// them, it keeps the last known primary, where FailoverClient opens no new connections. A lock
// that is a library uses FailoverClient, or what else it has.
type primaries struct {
	w     *worker
	mu    sync.Mutex
	epoch int64 // the newest one: a sentinel that was cut off announces older ones
}

// followSentinels makes this client follow the sentinels from now on.
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

// listen follows the news of a sentinel until the connection breaks. Its first question catches
// up on news that the sentinel does not repeat.
func (p *primaries) listen(client *redis.SentinelClient) {
	ctx := context.Background()
	news := client.Subscribe(ctx, "+switch-master")
	defer news.Close()
	for {
		message, err := news.Receive(ctx)
		if err != nil {
			return
		}
		if _, pong := message.(*redis.Pong); !pong && p.ask(ctx, client) != nil {
			return
		}
	}
}

// ask asks a sentinel for the primary.
func (p *primaries) ask(ctx context.Context, client *redis.SentinelClient) error {
	master, err := client.Master(ctx, servers.Watched).Result()
	if err != nil {
		return err
	}
	epoch, wrong := strconv.ParseInt(master["config-epoch"], 10, 64)
	server := slices.Index(p.w.start.Known, net.JoinHostPort(master["ip"], master["port"]))
	p.mu.Lock()
	defer p.mu.Unlock()
	if wrong == nil && server >= 0 && epoch >= p.epoch {
		p.epoch = epoch
		p.w.lead.Store(int64(server))
	}
	return nil
}
