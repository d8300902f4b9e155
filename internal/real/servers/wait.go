package servers

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// wait describes a wait for something that a server may never do.
type wait struct {
	first, longest time.Duration // between two looks: twice as long each time
	// failing says what the server has not done when time is up: "did not answer on ADDR".
	failing string
	// ended is the error of a process that has ended.
	ended func() error
}

// await looks until the server has done it, or until look returns an error.
func (s *Server) await(ctx context.Context, w wait, look func() (done bool, err error)) error {
	began := time.Now()
	nextLook := began.Add(diskPause)
	for pause := w.first; ; pause = min(2*pause, w.longest) {
		select {
		case <-s.Done():
			return w.ended()
		case <-ctx.Done():
			return s.late(ctx, w.failing, began)
		case <-time.After(pause):
		}
		done, err := look()
		if err != nil {
			return err
		}
		if !done && time.Now().Before(nextLook) {
			continue
		}
		if !done {
			if full := s.fullDisk(nil); full != nil {
				return fmt.Errorf("%s %s: %w", s.Name, w.failing, full)
			}
			nextLook = time.Now().Add(diskPause)
			continue
		}
		select {
		case <-s.Done(): // another process answered on that port
			return w.ended()
		default:
			return nil
		}
	}
}

// diskPause is the time between two checks for a full disk, on which a server may hang.
const diskPause = 200 * time.Millisecond

// ErrPortTaken is the error of a server whose port was free when it was chosen.
var ErrPortTaken = errors.New("the port was taken by another program meanwhile")

// onFreePort starts a server, and retries on another port when its port was taken.
func onFreePort(ctx context.Context, start func(context.Context) error) (err error) {
	const attempts = 5
	for range attempts {
		if err = start(ctx); !errors.Is(err, ErrPortTaken) {
			break
		}
	}
	return err
}

// portPause is the time between two attempts to get an old port back.
const portPause = 20 * time.Millisecond

// onOldPort restarts a killed server, and retries while another process has its port.
func onOldPort(ctx context.Context, start func(context.Context) error) error {
	for {
		err := start(ctx)
		if !errors.Is(err, ErrPortTaken) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(portPause):
		}
	}
}
