package compare

import (
	"fmt"

	"lockstep/internal/checker"
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
		got, done := at+waits[i], at+waits[i]+holds[i]
		w.Write(fmt.Sprintf("%[1]dms %[4]s waits; %[1]dms %[4]s sent; %[2]dms %[4]s acquired; "+
			"%[3]dms %[4]s releasing; %[3]dms %[4]s sent; %[3]dms %[4]s released", at, got, done, client))
		at = done
	}
	j := checker.Judge(w.H)
	j.Untested = say.Phrase{} // the pause in the header does not matter
	return bundle.Run{Lock: lock, Judgement: j}
}

// WaitingBundle is a bundle of such runs.
func WaitingBundle(seed uint64, runs ...bundle.Run) *bundle.Bundle {
	return &bundle.Bundle{Backend: "sim", Seed: seed, Hash: fmt.Sprint("hash-", seed), Replay: fmt.Sprintf("simulate run x.yaml --seed %d", seed), Runs: runs}
}
