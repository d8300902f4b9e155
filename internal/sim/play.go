package sim

import (
	"context"

	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// Play is Run for package run. A run takes milliseconds, so ctx is looked at
// before it only.
func (w *World) Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (*history.History, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return w.Run(p, lock, seed)
}
