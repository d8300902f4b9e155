package containers

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"lockstep/internal/real/osproc"
)

// remains are the containers and volumes with the label of a harness.
var remains = osproc.Remains{Env: "LOCKSTEP_REAPER", Name: "containers", Remove: reap}

// What a dead harness has left in the services of docker-compose.yml: sentinels that it has
// paused, and servers that it has used, frozen or killed. Reapers get the IDs of their
// containers, separated by spaces.
var (
	pausedRemains = osproc.Remains{
		Env: "LOCKSTEP_REAPER_OF_PAUSED", Name: "paused sentinels",
		Remove: func(ids string) error { return forEach(ids, (*Engine).unpause) },
	}
	usedRemains = osproc.Remains{
		Env: "LOCKSTEP_REAPER_OF_USED", Name: "traces of a run in a server",
		Remove: func(ids string) error { return forEach(ids, restartUnlessSince(time.Now())) },
	}
)

// restartUnlessSince restarts a container that has not been restarted since then: the next run
// may have done so, and would lose its server.
func restartUnlessSince(then time.Time) func(*Engine, context.Context, string) error {
	return func(e *Engine, ctx context.Context, id string) error {
		found, err := e.client.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
		if err == nil && found.Container.State != nil {
			if at, err := time.Parse(time.RFC3339Nano, found.Container.State.StartedAt); err == nil && at.After(then) {
				return nil
			}
		}
		return e.restart(ctx, id)
	}
}

// ReaperMain is the main function of reapers of containers, which ends the process; it returns at
// once if this process is not one.
func ReaperMain() {
	remains.ReaperMain()
	pausedRemains.ReaperMain()
	usedRemains.ReaperMain()
}

// forEach calls do for each container that a harness was attached to.
func forEach(ids string, do func(*Engine, context.Context, string) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	e, err := connect(ctx)
	if err != nil {
		return err
	}
	defer e.disconnect()
	for id := range strings.FieldsSeq(ids) {
		if doErr := do(e, ctx, id); !errdefs.IsNotFound(doErr) { // the user has taken it down
			err = errors.Join(err, doErr)
		}
	}
	return err
}

// Times of the reaper. An engine completes the requests of a dead harness, so a container may
// appear later.
const (
	reapPause = 200 * time.Millisecond // between two looks
	reapQuiet = 2 * time.Second        // in which nothing may appear
	reapTime  = time.Minute            // for others that remove the same
)

// reap removes what a dead harness has left.
func reap(label string) error {
	e, err := connect(context.Background())
	if err != nil {
		return err
	}
	defer e.disconnect()
	began := time.Now()
	for quiet := time.Duration(0); quiet < reapQuiet; quiet += reapPause {
		removed, err := e.remove(context.Background(), func(l string) bool { return l == label })
		// The next look finds again what is busy.
		if err != nil && (err != errBusy || time.Since(began) > reapTime) {
			return err
		}
		if removed > 0 {
			quiet = 0
		}
		time.Sleep(reapPause)
	}
	return nil
}
