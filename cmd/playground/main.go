//go:build js && wasm

// Command playground is the simulator for a page. A worker of the page loads it as WASM and calls
// lockstepPlay with a request; `make site` builds it.
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
	// Frames are short-lived and little is kept, so garbage may grow for a while.
	debug.SetGCPercent(400)
	p := playground.New()
	js.Global().Set("lockstepPlay", js.FuncOf(func(_ js.Value, args []js.Value) any {
		frame, ok := play(p, args[0].String())
		if !ok {
			p = playground.New() // the state of the old one is unknown
		}
		answer, err := json.Marshal(frame)
		if err != nil {
			panic(err) // a frame is strings and numbers
		}
		return string(answer)
	}))
	select {} // the page calls lockstepPlay
}

// play answers a request in JSON. A panic becomes a problem in the frame, and ok is false.
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
