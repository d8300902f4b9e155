package containers

import (
	"context"
	"time"

	"lockstep/internal/real/osproc"
)

// remains are the containers and volumes with the label of a harness.
var remains = osproc.Remains{Env: "LOCKSTEP_REAPER", Name: "containers", Remove: reap}

// ReaperMain does the work of a reaper of containers and ends the process when it was
// started as one; otherwise it returns at once.
func ReaperMain() { remains.ReaperMain() }

// Times of the reaper. An engine goes on with what a harness has asked it for
// before it died, so a container may appear afterwards.
const (
	reapPause = 200 * time.Millisecond // between two looks
	reapQuiet = 2 * time.Second        // how long nothing has to appear
)

// reap removes what a dead harness has left.
func reap(label string) error {
	e, err := connect(context.Background())
	if err != nil {
		return err
	}
	defer e.client.Close()
	for quiet := time.Duration(0); quiet < reapQuiet; quiet += reapPause {
		removed, err := e.remove(context.Background(), func(l string) bool { return l == label })
		if err != nil {
			return err
		}
		if removed > 0 {
			quiet = 0
		}
		time.Sleep(reapPause)
	}
	return nil
}
