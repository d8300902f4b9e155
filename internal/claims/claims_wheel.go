package claims

import (
	"fmt"
	"time"

	"lockstep/internal/timerwheel"
)

// Claims about the timer wheel on which Redisson's watchdog runs.

func init() {
	Register(Claim{18, "On a wheel of 8 slots and 1 s a timer of 17 s waits in slot 1 with round 2 and runs on the third pass; a pass runs only the timers of round 0.", "S1:403-409", timerOnTheWheel})
}

const (
	wheelSlots = 8
	wheelTick  = time.Second
)

// timerOnTheWheel turns the document's wheel. True when the timer of 17 s runs as
// the hand visits slot 1 for the third time, and those of 1 s and 9 s, which wait in
// the same slot, one and two passes before it. How late timers run is measured with
// many delays and starts.
func timerOnTheWheel(*Lab) Result {
	wheel := timerwheel.New[int](wheelSlots, wheelTick, 0)
	for _, delay := range []int{17, 9, 1} {
		wheel.Add(0, time.Duration(delay)*time.Second, delay)
	}
	const slot = 17 % wheelSlots
	passes := 0
	ranOn := map[int]int{} // delay -> the pass of the slot on which it ran
	strayed := 0           // ran while the hand was elsewhere
	for tick := range 3 * wheelSlots {
		if tick%wheelSlots == slot {
			passes++
		}
		for _, delay := range wheel.Advance(time.Duration(tick+1) * wheelTick) { // a slot is visited at the end of its tick
			ranOn[delay] = passes
			if tick%wheelSlots != slot {
				strayed++
			}
		}
	}
	least, most, n := lateness()
	return Result{
		Verdict: Verdict(ranOn[17] == 3 && ranOn[9] == 2 && ranOn[1] == 1 && strayed == 0),
		Figure: fmt.Sprintf("Timers of 1, 9 and 17 s in slot %d ran on passes %d, %d and %d; %d timers of other delays ran %s to %s late, never early.",
			slot, ranOn[1], ranOn[9], ranOn[17], n, Seconds(least), Seconds(most)),
	}
}

// lateness starts timers at all parts of a tick, with all delays up to two and a
// half rounds, and returns by how much they ran late: negative for early.
func lateness() (least, most time.Duration, n int) {
	const step = 50 * time.Millisecond
	least = wheelSlots * wheelTick
	for start := time.Duration(0); start < wheelTick; start += step {
		wheel := timerwheel.New[time.Duration](wheelSlots, wheelTick, 0)
		for delay := step; delay <= 20*wheelTick; delay += step {
			wheel.Add(start, delay, start+delay)
		}
		for now := start; now <= start+22*wheelTick; now += step {
			for _, due := range wheel.Advance(now) {
				least, most, n = min(least, now-due), max(most, now-due), n+1
			}
		}
	}
	return least, most, n
}
