package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"lockstep/internal/matrix"
	"lockstep/internal/shard"
	"lockstep/measurements"
)

// matrixOptions are those of a work of a matrix.
type matrixOptions struct {
	Locks  []string `json:"locks,omitempty"`
	Faults []string `json:"faults,omitempty"`
	Scale  string   `json:"scale"`
	Seeds  int      `json:"seeds"`
	Walk   string   `json:"walk"` // the hash of the stored walk
}

// merge shows what merged parts have measured.
func (f *matrixFlags) merge(ctx context.Context) error {
	var o matrixOptions
	if err := f.shards.options(&o); err != nil {
		return err
	}
	f.locks, f.columns, f.scale, f.seeds = o.Locks, o.Faults, o.Scale, o.Seeds
	return f.measure(ctx, true)
}

// measureElsewhere measures the share that was asked for, or has o know what the shards of merged
// parts have measured; it does nothing when one machine measures all cells.
func (f *matrixFlags) measureElsewhere(ctx context.Context, o *matrix.Options) error {
	if !f.shards.elsewhere() {
		return nil
	}
	stored, err := measurements.Explore()
	if err != nil {
		return &bugError{err}
	}
	walk := sha256.Sum256(stored)
	of := matrixOptions{f.locks, f.columns, f.scale, f.seeds, hex.EncodeToString(walk[:])}
	shards, err := divided(ctx, &f.shards, f.globals, "matrix", of, func(s shard.Shard) ([]matrix.Record, error) {
		mine := *o
		mine.Shard = s
		m, err := f.cells(ctx, mine)
		if err != nil {
			return nil, err
		}
		return m.Records(), nil
	})
	if err != nil {
		return err
	}
	o.Known = []matrix.Record{}
	for _, s := range shards {
		o.Known = append(o.Known, s...)
	}
	return nil
}
