//go:build js && wasm

// Command playground is the simulator for a page. It is no program to be started: a worker of the
// page loads it as WASM and calls lockstepPlay with a request; `make site` builds it.
package main

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"syscall/js"

	"lockstep/internal/playground"
)

func main() {
	// Frames come and go by the dozen and little of them stays, so garbage may pile up for a while.
	debug.SetGCPercent(400)
	p := playground.New()
	js.Global().Set("lockstepPlay", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return play(p, args[0].String())
	}))
	select {} // the page calls; nothing is ever over
}

// play answers a request, both in JSON.
func play(p *playground.Playground, request string) string {
	var r playground.Request
	frame := playground.Frame{}
	if err := json.Unmarshal([]byte(request), &r); err != nil {
		frame.Problems = []string{err.Error()}
	} else {
		frame = p.Play(context.Background(), r)
	}
	answer, err := json.Marshal(frame)
	if err != nil {
		panic(err) // a frame is strings and numbers
	}
	return string(answer)
}
