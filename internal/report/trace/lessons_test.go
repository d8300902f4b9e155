package trace

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
)

// The trace of every lesson and of every lock can be read, with clusters, sessions, sentinels and
// dead servers: slices nest, and arrows have two ends.
func TestMachineFormatsOfAllLessons(t *testing.T) {
	files, seen := 0, map[string]bool{}
	err := filepath.WalkDir("../../../scenarios/lessons", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".yaml") || testing.Short() && files > 10 {
			return err
		}
		files++
		p, err := scenario.Load(path)
		if err != nil {
			return err
		}
		b := &bundle.Bundle{Plan: p, Backend: sim.Backend, Seed: 1}
		for n, lock := range p.Locks {
			if n > 0 && seen[lock] {
				continue // reading all of them takes long
			}
			seen[lock] = true
			h, err := sim.Run(p, lock, 1)
			if err != nil {
				return err
			}
			b.Runs = append(b.Runs, bundle.Run{Lock: lock, Judgement: checker.Judge(h)})
		}
		if t.Run(p.Slug, func(t *testing.T) { readAll(t, b) }) {
			return nil
		}
		return fs.SkipAll
	})
	if err != nil || files < 10 {
		t.Fatalf("%d lessons, %v", files, err)
	}
}

// readAll checks that each message that arrived has an arrow: simulated messages have a cause.
func readAll(t *testing.T, b *bundle.Bundle) {
	tr := drawTrace(t, b)
	arrows, messages := 0, 0
	for i := range b.Runs {
		tl := b.Runs[i].Timeline()
		messages += tl.Count(history.Executed) + tl.Count(history.Replied)
	}
	for _, e := range tr.Events {
		if e.Phase == "s" {
			arrows++
		}
	}
	if arrows != messages {
		t.Errorf("%d arrows for %d messages that arrived", arrows, messages)
	}
}
