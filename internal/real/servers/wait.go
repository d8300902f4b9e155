package servers

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The pauses of await between two looks: each is twice as long as the one before.
const (
	firstPause   = time.Millisecond
	longestPause = 20 * time.Millisecond
)

// await looks until the server has done something that it may never do, or until look returns an
// error. failing says what it has not done when time is up: "did not answer on ADDR". ended is the
// error of a process that has ended.
func (s *Server) await(ctx context.Context, failing string, ended func() error, look func() (done bool, err error)) error {
	began := time.Now()
	nextLook := began.Add(diskPause)
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		select {
		case <-s.Done():
			return ended()
		case <-ctx.Done():
			return s.late(ctx, failing, began)
		case <-time.After(pause):
		}
		done, err := look()
		switch {
		case err != nil:
			return err
		case done && s.ended(): // another process answered on that port
			return ended()
		case done:
			return nil
		case time.Now().After(nextLook):
			if full := s.fullDisk(nil); full != nil {
				return fmt.Errorf("%s %s: %w", s.Name, failing, full)
			}
			nextLook = time.Now().Add(diskPause)
		}
	}
}

// question is asked until the answer is yes.
type question = func(context.Context) (yes bool, err error)

// Soon asks until the answer is yes: a server may execute a command a little later. It fails when
// one of the others has ended, for which the server waits. failing is that of await: "did not
// become a primary".
func (s *Server) Soon(ctx context.Context, failing string, ask question, others ...*Server) error {
	ctx, cancel := context.WithTimeout(ctx, slowStartTime)
	defer cancel()
	var why error
	err := s.await(ctx, failing, func() error {
		return fmt.Errorf("%s ended (%s) and %s: %s", s.Name, s.Ended(), failing, s.LastLog())
	}, func() (yes bool, _ error) {
		for _, o := range others {
			if o.ended() {
				return false, fmt.Errorf("%s ended (%s) while %s waited for it: %s", o.Name, o.Ended(), s.Name, o.LastLog())
			}
		}
		yes, why = ask(ctx)
		return yes, nil
	})
	if err != nil {
		return errors.Join(err, why)
	}
	return nil
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
