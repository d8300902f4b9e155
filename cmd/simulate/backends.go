package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/plan"
	"lockstep/internal/real/images"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
)

const million = 1_000_000

// The backends that play on real servers, see live.go and nolive.go: they run as
// child processes or in containers, or somebody has brought them up.
const (
	processBackend = "process"
	dockerBackend  = "docker"
	composeBackend = "compose"
)

// backend makes the worlds that --backend names. scale is in millionths; choice is
// what --image says.
func backend(name string, scalePPM int64, choice []string) (run.Factory, error) {
	chosen, err := images.ParseChoice(choice)
	if err != nil {
		return nil, err
	}
	if len(chosen) > 0 && name != dockerBackend {
		return nil, fmt.Errorf("--image is for --backend %s", dockerBackend)
	}
	switch {
	case name == sim.Backend:
		return simulator, nil
	case isLive(name):
		return liveBackend(name, scalePPM, chosen)
	}
	if best := scenario.Nearest(name, backendNames()); best != "" {
		return nil, fmt.Errorf("unknown backend %q: did you mean %q?", name, best)
	}
	return nil, fmt.Errorf("unknown backend %q: choose %s", name, strings.Join(backendNames(), " or "))
}

// simulator makes a simulated world.
func simulator() run.World { return sim.New() }

// backendNames are the values of --backend.
func backendNames() []string {
	return []string{sim.Backend, processBackend, dockerBackend, composeBackend}
}

// isLive reports whether a backend is one of real servers.
func isLive(name string) bool { return name != sim.Backend && slices.Contains(backendNames(), name) }

// refusal says why a backend cannot play a plan with a lock; nil when it can.
func refusal(backend string, scalePPM int64, p *plan.Plan, lock string) error {
	if v, ok := p.Lock(lock); ok {
		if err := v.CheckLease(p.Lease); err != nil {
			return err
		}
	}
	if isLive(backend) {
		return liveRefusal(backend, scalePPM, p, lock)
	}
	return notSimulated(p, lock)
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
