package servers

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// wait is for something that a server is to do, and may never do.
type wait struct {
	first, longest time.Duration // between two looks: twice as long each time
	// failing says what the server has not done when time is up: "did not answer on ADDR".
	failing string
	// ended says why its process has ended meanwhile.
	ended func() error
}

// await looks until the server has done it, or until looking itself ends in an error.
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

// diskPause is between two looks for a full disk, on which a server may wait for ever.
const diskPause = 200 * time.Millisecond

// portPause is between two tries to have an old port back.
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
