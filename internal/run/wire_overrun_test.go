package run

import (
	"testing"
	"time"

	"lockstep/internal/plan"
)

// The requests of locks that compare and act in the client, when A and B work for 12 s with a lease
// of 10 s. As in the wire files, the lines are written by hand from the documents.
func TestOverrunOnTheWire(t *testing.T) {
	tests := []struct {
		lock string
		want []string
	}{
		// B finds A's key expired, deletes it and makes its own. At 12 s A deletes B's key, so
		// there is none when B is done.
		{"setnx-timestamp-del", []string{
			`A SETNX lock <time> -> (integer) 1`,
			`A DEL lock -> (integer) 1`,
			`B SETNX lock <time> -> (integer) 0`,
			`B GET lock -> "<time>"`,
			`B DEL lock -> (integer) 1`,
			`B SETNX lock <time> -> (integer) 1`,
			`B DEL lock -> (integer) 0`,
		}},
		// B takes over by GETSET. Neither deletes anything, as its own time is over by then.
		{"setnx-timestamp-getset", []string{
			`A SETNX lock <time> -> (integer) 1`,
			`B SETNX lock <time> -> (integer) 0`,
			`B GET lock -> "<time>"`,
			`B GETSET lock <time> -> "<time>"`,
		}},
		// The client looks, finds B's token, and leaves the key alone. B finds nothing.
		{"set-nx-token-getdel", []string{
			`A SET lock <token> PX 10000 NX -> OK`,
			`A GET lock -> "<token>"`,
			`B SET lock <token> PX 10000 NX -> (nil)`,
			`B SET lock <token> PX 10000 NX -> OK`,
			`B GET lock -> (nil)`,
		}},
		// The clock says at 9 s that the work must end, and the key is still A's.
		{"self-fence", []string{
			`A SET lock <token> PX 10000 NX -> OK`,
			`A EVAL unlock lock <token> -> (integer) 1`,
			`B SET lock <token> PX 10000 NX -> (nil)`,
			`B SET lock <token> PX 10000 NX -> OK`,
			`B EVAL unlock lock <token> -> (integer) 1`,
		}},
		// Every renewal of the daemon succeeds; the release comes after the third one.
		{"watchdog-blind", []string{
			`A SET lock <token> EX 10 NX -> OK`,
			`A EXPIRE lock 10 -> (integer) 1`,
			`A EVAL unlock lock <token> -> (integer) 1`,
			`B SET lock <token> EX 10 NX -> (nil)`,
			`B SET lock <token> EX 10 NX -> OK`,
			`B EXPIRE lock 10 -> (integer) 1`,
			`B EVAL unlock lock <token> -> (integer) 1`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.lock, func(t *testing.T) {
			p := wirePlan()
			p.Workload.Work = plan.Range{Min: 12 * time.Second, Max: 12 * time.Second}
			compareWire(t, playWire(t, &p, tt.lock), tt.want)
		})
	}
}
