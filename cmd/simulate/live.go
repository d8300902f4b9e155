//go:build live

package main

import (
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/run"
)

// live says whether the live world is in this program.
const live = true

// workerMain plays a client and ends the process when it was started as one.
func workerMain() { real.WorkerMain() }

func liveBackend(scalePPM int64) (run.Factory, error) {
	return func() run.World { return &real.Player{Options: real.Options{ScalePPM: scalePPM}} }, nil
}

func liveRefusal(p *plan.Plan, lock string) error { return real.Refuse(p, lock) }
