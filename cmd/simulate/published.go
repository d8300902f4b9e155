package main

import (
	"context"
	"fmt"
	"strings"

	"lockstep/internal/claims"
	"lockstep/internal/docs"
	"lockstep/internal/plan"
	"lockstep/internal/run"
)

// The stories below scenarios/published are experiments of others. To play them takes a second, so their
// figures are never stored.
const (
	publishedStories = scenarioRoot + "/published/"
	publishedSeeds   = 20
)

// measureAgain plays the published experiments and counts what each lock has lost.
func measureAgain(plans []*plan.Plan) (out []docs.Published, err error) {
	w := simulator()
	defer w.Close()
	for _, p := range plans {
		if !strings.HasPrefix(p.File, publishedStories) {
			continue
		}
		one := docs.Published{Plan: p, Seeds: publishedSeeds}
		for _, lock := range p.Locks {
			share, err := lostBy(w, p, lock)
			if err != nil {
				return nil, err
			}
			one.Lost = append(one.Lost, share)
		}
		out = append(out, one)
	}
	return out, nil
}

func lostBy(w run.World, p *plan.Plan, lock string) (docs.Share, error) {
	share := docs.Share{Lock: lock}
	for seed := uint64(1); seed <= publishedSeeds; seed++ {
		played := run.One(context.Background(), w, p, lock, seed)
		if played.Err != nil {
			return share, &bugError{fmt.Errorf("%s with %s, seed %d: %w", p.File, lock, seed, played.Err)}
		}
		lost, accepted := claims.Lost(played.Judgement.History)
		share.Lost, share.Accepted = share.Lost+lost, share.Accepted+accepted
	}
	return share, nil
}
