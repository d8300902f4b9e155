package claims

import (
	"fmt"

	"lockstep/internal/history"
)

// Claims about expiry: what becomes of a lock whose holder is gone.

func init() {
	Register(Claim{1, "If the holder crashes before its DEL, a lock without expiry is never free again.", "S0:28", crashWithoutExpiry})
}

// crashWithoutExpiry kills the holder of a lock without expiry.
func crashWithoutExpiry(l *Lab) Result {
	runs := l.Play(Story{Lock: "setnx", Faults: []string{"when: A is in its critical section; crash: A"}}, 50)
	stuck := HowMany(runs, (*Run).Stuck)
	expiring := HowMany(runs, func(r *Run) bool {
		granted, ok := r.First(history.Granted, "")
		return ok && granted.Value > 0
	})
	return Result{
		Verdict: Verdict(stuck == len(runs) && expiring == 0),
		Figure:  fmt.Sprintf("setnx: unavailable for 10 leases in %d of %d runs, and the key had an expiry in %d.", stuck, len(runs), expiring),
	}
}
