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

// What a dead harness has left of the services that it was attached to: sentinels that it
// has paused, and servers that it has used, frozen or killed. A reaper has the identifiers
// of their containers, with spaces between them.
var (
	pausedRemains = osproc.Remains{
		Env: "LOCKSTEP_REAPER_OF_PAUSED", Name: "paused sentinels",
		Remove: func(ids string) error { return forEach(ids, (*Engine).letGoOn) },
	}
	usedRemains = osproc.Remains{
		Env: "LOCKSTEP_REAPER_OF_USED", Name: "traces of a run in a server",
		Remove: func(ids string) error { return forEach(ids, startedBefore(time.Now())) },
	}
)

// startedBefore restarts a container unless it has been restarted since then: the next run
// may have done so, and would lose its server.
func startedBefore(then time.Time) func(*Engine, context.Context, string) error {
	return func(e *Engine, ctx context.Context, id string) error {
		found, err := e.client.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
		if err == nil && found.Container.State != nil {
			if at, err := time.Parse(time.RFC3339Nano, found.Container.State.StartedAt); err == nil && at.After(then) {
				return nil
			}
		}
		return e.startAnew(ctx, id)
	}
}

// ReaperMain does the work of a reaper of containers and ends the process when it was
// started as one; otherwise it returns at once.
func ReaperMain() {
	remains.ReaperMain()
	pausedRemains.ReaperMain()
	usedRemains.ReaperMain()
}

// forEach does something with each of the containers that a harness was attached to.
func forEach(ids string, do func(*Engine, context.Context, string) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	e, err := connect(ctx)
	if err != nil {
		return err
	}
	defer e.client.Close()
	for id := range strings.FieldsSeq(ids) {
		if doErr := do(e, ctx, id); !errdefs.IsNotFound(doErr) { // the user has taken it down
			err = errors.Join(err, doErr)
		}
	}
	return err
}

// Times of the reaper. An engine goes on with what a harness has asked it for
// before it died, so a container may appear afterwards.
const (
	reapPause = 200 * time.Millisecond // between two looks
	reapQuiet = 2 * time.Second        // how long nothing has to appear
	reapTime  = time.Minute            // how long others may take that remove the same
)

// reap removes what a dead harness has left.
func reap(label string) error {
	e, err := connect(context.Background())
	if err != nil {
		return err
	}
	defer e.client.Close()
	began := time.Now()
	for quiet := time.Duration(0); quiet < reapQuiet; quiet += reapPause {
		removed, err := e.remove(context.Background(), func(l string) bool { return l == label })
		// What is busy is there for the next look.
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
