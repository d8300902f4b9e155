//go:build live

package main

import (
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/real/images"
	"lockstep/internal/run"
)

// live reports whether this program includes the live world.
const live = true

// workerMain does not return in a process that is part of a live run: one that plays a client, or
// removes the containers of a harness that was killed.
func workerMain() { real.WorkerMain() }

func liveBackend(name string, scalePPM int64, chosen map[images.Product]string) (run.Factory, error) {
	o := real.Options{Backend: name, ScalePPM: scalePPM, Images: chosen}
	return func() run.World { return &real.Player{Options: o} }, nil
}

func liveRefusal(backend string, scalePPM int64, p *plan.Plan, lock string) error {
	o := real.Options{Backend: backend, ScalePPM: scalePPM}
	if err := real.Refuse(p, lock, o); err != nil {
		return err
	}
	return real.NotBuilt(p, lock, o)
}
