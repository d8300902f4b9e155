package libraries

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// primary makes the client of go-redis that a library for one server gets. With sentinels
// go-redis follows their primary.
func primary(d *Deps) *redis.Client {
	if len(d.Sentinels) == 0 {
		return goRedis(d, d.Addrs[0])
	}
	redis.SetLogger(silent{})
	client := redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName: d.Primary, SentinelAddrs: d.Sentinels, Dialer: d.Dial,
		DialTimeout: d.Timeout, ReadTimeout: d.Timeout, WriteTimeout: d.Timeout,
	})
	d.closes(func() { _ = client.Close() })
	return client
}

// goRedis makes a client of go-redis for one address with its default options,
// up to three retries among them; only the time limits are those of the scenario.
func goRedis(d *Deps, addr string) *redis.Client {
	redis.SetLogger(silent{})
	client := redis.NewClient(&redis.Options{
		Addr: addr, Dialer: d.Dial,
		DialTimeout: d.Timeout, ReadTimeout: d.Timeout, WriteTimeout: d.Timeout,
	})
	d.closes(func() { _ = client.Close() })
	return client
}

// silent keeps go-redis from repeating on standard error what is in the history.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// connectTime bounds the first connection.
const connectTime = 10 * time.Second

// reached waits until a server has answered, where all clients connect before the run begins.
func reached(d *Deps, client *redis.Client) error {
	if d.Cleanup != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), connectTime)
	defer cancel()
	for {
		err := client.Ping(ctx).Err()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s did not answer before the run: %w", client.Options().Addr, err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
