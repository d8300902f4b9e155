package main

import (
	"fmt"
	"strconv"
	"strings"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
)

const million = 1_000_000

// processBackend plays on real servers, see live.go and nolive.go.
const processBackend = "process"

// backend makes the worlds that --backend names. scale is in millionths.
func backend(name string, scalePPM int64) (run.Factory, error) {
	switch name {
	case sim.Backend:
		return func() run.World { return sim.New() }, nil
	case processBackend:
		return liveBackend(scalePPM)
	}
	if best := scenario.Nearest(name, backendNames()); best != "" {
		return nil, fmt.Errorf("unknown backend %q: did you mean %q?", name, best)
	}
	return nil, fmt.Errorf("unknown backend %q: choose %s", name, strings.Join(backendNames(), " or "))
}

// backendNames are the values of --backend.
func backendNames() []string { return []string{sim.Backend, processBackend} }

// refusal says why a backend cannot play a plan with a lock; nil when it can.
func refusal(backend string, p *plan.Plan, lock string) error {
	if v, ok := locks.Lookup(lock); ok {
		if err := v.CheckLease(p.Lease); err != nil {
			return err
		}
	}
	if backend == processBackend {
		return liveRefusal(p, lock)
	}
	return nil
}

// parseScale reads a factor such as 0.1 as millionths, without floats.
func parseScale(text string) (int64, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	bad := fmt.Errorf("--scale %q is not a factor between 0.001 and 10: write 0.1 to play ten times as fast", text)
	if len(fraction) > 6 || strings.ContainsAny(text, "+-") {
		return 0, bad
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", 6-len(fraction)), 10, 64)
	if err != nil || n < 1000 || n > 10*million {
		return 0, bad
	}
	return n, nil
}
