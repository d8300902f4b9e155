package compare

import (
	"fmt"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

// WaitingRun is a run of one lock. The clients take turns; waits and holds are in milliseconds.
func WaitingRun(lock string, clients []string, waits, holds []int64) bundle.Run {
	w := reporttest.NewWriter(lock, clients...)
	at := int64(0)
	for i := range waits {
		client := clients[i%len(clients)]
		w.Add(at, history.Waits, client)
		w.Add(at, history.Sent, client)
		at += waits[i]
		w.Add(at, history.Acquired, client)
		at += holds[i]
		w.Add(at, history.Releasing, client)
		w.Add(at, history.Sent, client)
		w.Add(at, history.Released, client)
	}
	j := checker.Judge(w.H)
	j.Untested = say.Phrase{} // the pause in the header does not matter
	return bundle.Run{Lock: lock, Judgement: j}
}

// WaitingBundle is a bundle of such runs.
func WaitingBundle(seed uint64, runs ...bundle.Run) *bundle.Bundle {
	return &bundle.Bundle{Backend: "sim", Seed: seed, Hash: fmt.Sprint("hash-", seed), Replay: fmt.Sprintf("simulate run x.yaml --seed %d", seed), Runs: runs}
}
