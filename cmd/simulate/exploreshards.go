package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"lockstep/internal/explore"
	"lockstep/internal/shard"
)

// exploreOptions are those of a work of a walk.
type exploreOptions struct {
	Locks    []string `json:"locks,omitempty"`
	Faults   int      `json:"faults"`
	Clients  int      `json:"clients"`
	Rounds   int      `json:"rounds"`
	Only     []string `json:"only,omitempty"`
	Worlds   []string `json:"worlds,omitempty"` // nil: all
	Complete []string `json:"complete,omitempty"`
	Sample   int      `json:"sample,omitempty"`
	Begun    string   `json:"begun,omitempty"` // the hash of the walk of fewer faults that was gone on with
}

// merge shows what merged parts have walked. keep, if not "", is where the walk goes, to be gone on with.
func (f *exploreFlags) merge(ctx context.Context, keep string) error {
	var o exploreOptions
	if err := f.shards.options(&o); err != nil {
		return err
	}
	f.faults, f.clients, f.rounds, f.only, f.worlds, f.resume, f.begun = o.Faults, o.Clients, o.Rounds, o.Only, o.Worlds, keep, o.Begun
	f.complete, f.sample = o.Complete, o.Sample
	return f.explore(ctx, o.Locks)
}

// exploreElsewhere walks the share that was asked for, or shows what the shards of merged parts have walked.
func (f *exploreFlags) exploreElsewhere(ctx context.Context, args []string, o *explore.Options) error {
	if f.asIs || f.into != "" {
		return errors.New("a shard writes its part and nothing else: leave --as-is and --into for simulate explore --resume, after simulate dev merge --walk")
	}
	if f.shards.on != "" && f.resume != "" {
		return errors.New("--resume names a file, which the workers of a queue do not see: leave it out, and let each of them walk fewer faults itself")
	}
	begun, err := f.beginShard(o)
	if err != nil {
		return err
	}
	of := exploreOptions{args, f.faults, f.clients, f.rounds, f.only, f.worlds, f.complete, o.Sample, f.begun}
	shards, err := divided(ctx, &f.shards, f.globals, "explore", of, func(s shard.Shard) (json.RawMessage, error) {
		mine := *o
		mine.Shard = s
		if err := f.walk(ctx, mine, begun); err != nil {
			if ctx.Err() == nil {
				err = &bugError{err}
			}
			return nil, err
		}
		walked, err := begun.Store()
		if err != nil {
			return nil, &bugError{err}
		}
		return walked, nil
	})
	if err != nil {
		return err
	}
	all, err := explore.Join(o, shards)
	if err != nil {
		return err
	}
	if f.resume != "" {
		if err := f.keep(all); err != nil {
			return err
		}
	}
	return f.result(nil, all, o)
}

// beginShard is the walk that a shard begins with: of fewer faults than it is about, so that all shards
// begin with the same one.
func (f *exploreFlags) beginShard(o *explore.Options) (*explore.State, error) {
	if !f.shards.asked() {
		return nil, nil
	}
	if f.resume == "" { // a shard keeps no walk
		return explore.NewState(o), nil
	}
	s, err := f.begin(o)
	if err != nil {
		return nil, err
	}
	if s.Begun(o) {
		return nil, fmt.Errorf("%s has begun with %d faults already: go on with it on one machine, or give the shards a walk of fewer faults", f.resume, o.Faults)
	}
	data, err := s.Store()
	if err != nil {
		return nil, &bugError{err}
	}
	sum := sha256.Sum256(data)
	f.begun, f.resume = hex.EncodeToString(sum[:]), "" // it is read and never written
	return s, nil
}
