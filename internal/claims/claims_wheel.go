package claims

import (
	"time"

	"lockstep/internal/say"
	"lockstep/internal/timerwheel"
)

// Claims about the timer wheel on which Redisson's watchdog runs.

func init() {
	Register(Claim{18, both("On a wheel of 8 slots and 1 s a timer of 5 s waits in slot 5 with round 0, one of 17 s in slot 1 with round 2, which runs on the third pass; a pass runs only the timers of round 0.", "在 8 格、每格 1 秒的轮上，5 秒的定时器在第 5 格等，轮次 0；17 秒的在第 1 格，轮次 2，到第三圈才运行；一圈只运行轮次为 0 的定时器。"), "S1:401-409", timerOnTheWheel})
}

const (
	wheelSlots = 8
	wheelTick  = time.Second
)

// place is where on the wheel a timer ran: in which slot, and on which pass of that.
type place struct{ slot, pass int }

// timerOnTheWheel turns the document's wheel. True when the timer of 5 s runs in slot 5 on
// the first pass, and that of 17 s in slot 1 on the third, one pass each after those of 9 s and of 1 s, which
// wait in the same slot. How late timers run is measured with many delays and starts.
func timerOnTheWheel(*Lab) Result {
	wheel := timerwheel.New[int](wheelSlots, wheelTick, 0)
	for _, delay := range []int{17, 9, 5, 1} {
		wheel.Add(0, time.Duration(delay)*time.Second, delay)
	}
	ran := map[int]place{} // by delay; never ranged over
	for tick := range 3 * wheelSlots {
		for _, delay := range wheel.Advance(time.Duration(tick+1) * wheelTick) { // a slot is visited at the end of its tick
			ran[delay] = place{tick % wheelSlots, tick/wheelSlots + 1}
		}
	}
	least, most, n := lateness()
	said := func(delay int) say.Both {
		return both("slot %d on pass %d", "第 %[1]d 格、第 %[2]d 圈", ran[delay].slot, ran[delay].pass)
	}
	return Result{
		Verdict: Verdict(ran[5] == place{5, 1} && ran[17] == place{1, 3} && ran[9] == place{1, 2} && ran[1] == place{1, 1}),
		Figure: both("The timer of 5 s ran in %s, that of 17 s in %s, those of 1 and 9 s in %s and in %s; %d timers of other delays ran %s to %s late, never early.",
			"5 秒的定时器在%s运行，17 秒的在%s，1 秒和 9 秒的在%s和%s；其他延迟的 %d 个定时器晚了 %s到 %s，从不提早。",
			said(5), said(17), said(1), said(9), n, Seconds(least), Seconds(most)),
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
