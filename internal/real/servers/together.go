package servers

import (
	"context"
	"errors"
	"time"
)

// together starts the servers of a cluster within a time, and retries when another process
// has taken one of their ports. start makes one try, and returns the servers that it has
// started with an error, too: after one none is left.
func together(ctx context.Context, within time.Duration, start func(context.Context) ([]*Server, error)) ([]*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var err error
	for range startAttempts {
		var members []*Server
		if members, err = start(ctx); err == nil {
			return members, nil
		}
		for _, s := range members {
			err = errors.Join(err, s.Stop())
		}
		if !errors.Is(err, ErrPortTaken) {
			break
		}
	}
	return nil, err
}
