package workload

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
)

// In the scripts, "slow" adds a second, "done" takes the extra work, and other words are events of
// the client.
func TestOvertimeIsForTheRoundThatItCameIn(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"none", "waits acquired entered done", "0s"},
		{"while it waits", "waits slow acquired entered done done", "1s [1], 0s"},
		{"in its section", "waits acquired entered slow done done", "1s [1], 0s"},
		{"twice", "waits slow entered slow done done", "2s [1 2], 0s"},
		{"in its overtime", "waits entered slow done slow done done", "1s [1], 1s [2], 0s"},
		{"before its first round", "slow waits entered done", "1s [1]"},
		{"when the work is done", "waits entered done slow releasing waits entered done", "0s, 0s"},
		{"while it releases", "waits entered done releasing slow released waits entered done", "0s, 0s"},
		{"while it rests", "waits entered done releasing released slow waits entered done", "0s, 0s"},
		{"it gives up", "waits slow gave-up waits entered done", "0s"},
		{"after it has given up", "waits gave-up slow waits entered done", "0s"},
		{"its lock is lost before it is done", "waits entered slow lost-lease releasing waits entered done", "0s"},
		{"of the next round", "waits entered done releasing released waits slow entered done", "0s, 1s [1]"},
	}
	for _, tt := range tests {
		var o ExtendedWork
		var got []string
		fault := 0
		for _, word := range strings.Fields(tt.script) {
			switch word {
			case "slow":
				fault++
				o.Add(fault, time.Second)
			case "done":
				by, faults := o.Take()
				text := by.String()
				if len(faults) > 0 {
					text += fmt.Sprint(" ", faults)
				}
				got = append(got, text)
			default:
				kind, ok := history.ParseKind(word)
				if !ok {
					t.Fatal("no kind " + word)
				}
				o.Observe(kind)
			}
		}
		must.Equalf(t, strings.Join(got, ", "), tt.want, "%s", tt.name)
	}
}
