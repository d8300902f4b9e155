//go:build !queue

package main

import (
	"context"
	"errors"
	"runtime"

	"lockstep/internal/campaign"
)

// A queue needs a client and, for --on embedded, a server, which the simulator does not: the plain build leaves
// them out, and becomes the other program where that lies beside it.

// queued says whether the queue is in this program.
const queued = false

// playerMain has nothing to do here: the program with the queue starts itself as a player.
func playerMain() {}

// handed is what there is to end of a queue: nothing here.
type handed struct{}

func (*handed) end(err error) error { return err }

func (f *shardFlags) parseQueue() error { return becomeQueue() }

func (f *shardFlags) handOut(context.Context, *globals, *campaign.Work) error { return becomeQueue() }

func (f *workFlags) work(context.Context, string) error { return becomeQueue() }

// becomeQueue replaces this process by the program with the queue. It returns only when that is impossible.
func becomeQueue() error {
	if beside := besideThis(); beside != "" && runtime.GOOS != "windows" {
		return become(beside)
	}
	return &environmentError{errors.New("this program was built without the queue: run go run -tags queue ./cmd/simulate in the folder of its sources, or put " +
		liveProgram + " beside it (make build-live, in those sources)")}
}
