//go:build !queue

package main

import (
	"context"
	"errors"
	"runtime"

	"lockstep/internal/campaign"
)

// A queue needs a client and, for --on embedded, a server. The plain build leaves them out, and
// replaces itself by the other program if that is next to it.

// queued reports whether this program includes the queue.
const queued = false

// playerMain does nothing here: the program with the queue starts itself as a player.
func playerMain() {}

// handed is empty here.
type handed struct{}

func (*handed) end(err error) error { return err }

func (f *shardFlags) parseQueue() error { return becomeQueue() }

func (f *shardFlags) handOut(context.Context, *globals, *campaign.Work) error { return becomeQueue() }

func (f *workFlags) work(context.Context, string) error { return becomeQueue() }

// becomeQueue replaces this process by the program with the queue. It returns only on failure.
func becomeQueue() error {
	if beside := besideThis(); beside != "" && runtime.GOOS != "windows" {
		return become(beside)
	}
	return environment(errors.New("this program was built without the queue: run go run -tags queue ./cmd/simulate in the folder of its sources, or put " +
		liveProgram + " next to it (make build-live, in those sources)"))
}
