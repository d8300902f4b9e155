//go:build js && wasm

// Command playground is the simulator for a page. It is no program to be started: a worker of the
// page loads it as WASM and calls lockstepPlay with a request; `make site` builds it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"syscall/js"

	"lockstep/internal/playground"
)

func main() {
	// Frames come and go by the dozen and little of them stays, so garbage may pile up for a while.
	debug.SetGCPercent(400)
	p := playground.New()
	js.Global().Set("lockstepPlay", js.FuncOf(func(_ js.Value, args []js.Value) any {
		frame, ok := play(p, args[0].String())
		if !ok {
			p = playground.New() // nobody knows in which state the old one is
		}
		answer, err := json.Marshal(frame)
		if err != nil {
			panic(err) // a frame is strings and numbers
		}
		return string(answer)
	}))
	select {} // the page calls; nothing is ever over
}

// play answers a request in JSON. A bug of ours is a sentence too, and not the end of the page: ok is
// false then.
func play(p *playground.Playground, request string) (frame playground.Frame, ok bool) {
	defer func() {
		if bug := recover(); bug != nil {
			frame = playground.Frame{Problems: []string{fmt.Sprintf("this is a bug of lockstep: %v", bug)}}
		}
	}()
	var r playground.Request
	if err := json.Unmarshal([]byte(request), &r); err != nil {
		return playground.Frame{Problems: []string{err.Error()}}, true
	}
	return p.Play(context.Background(), r), true
}
