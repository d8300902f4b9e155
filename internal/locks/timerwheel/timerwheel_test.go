package timerwheel

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The wheel of the document that explains Redisson's watchdog: 8 slots, one
// second per tick, the hand at slot 0.
func TestTheWheelOfTheDocument(t *testing.T) {
	w := New[string](8, time.Second, 0)
	five := w.Add(0, 5*time.Second, "five")
	seventeen := w.Add(0, 17*time.Second, "seventeen")
	if five.slot != 5 || five.rounds != 0 {
		t.Errorf("5 s: slot %d, round %d, want 5 and 0", five.slot, five.rounds)
	}
	if seventeen.slot != 1 || seventeen.rounds != 2 {
		t.Errorf("17 s: slot %d, round %d, want 1 and 2", seventeen.slot, seventeen.rounds)
	}
	passes := 0
	for second := 1; second <= 18; second++ {
		visited := (second - 1) % 8
		due := w.Advance(time.Duration(second) * time.Second)
		if visited == 1 {
			passes++
		}
		want := "[]"
		switch {
		case second == 6:
			want = "[five]"
		case passes == 3 && visited == 1:
			want = "[seventeen]"
		}
		if got := fmt.Sprint(due); got != want {
			t.Errorf("pass %d of slot %d: ran %s, want %s", (second+7)/8, visited, got, want)
		}
	}
	if passes != 3 {
		t.Errorf("slot 1 was passed %d times", passes)
	}
}

func TestAWheelNeedsSlotsAndATick(t *testing.T) {
	for _, make := range []func(){
		func() { New[int](0, time.Second, 0) },
		func() { New[int](8, 0, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			make()
		}()
	}
}

// entry is a timer in a sorted list.
type entry struct {
	id   int
	end  time.Duration // of the tick that has its deadline
	gone bool
	t    *Timer[int]
}

// The wheel behaves like a sorted list: a timer runs at the first end of a tick after its deadline,
// timers of one tick in the order in which they were added.
func TestAWheelIsASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tick := time.Duration(rapid.Int64Range(1, 50).Draw(t, "tick"))
		now := time.Duration(rapid.Int64Range(0, 1000).Draw(t, "start"))
		start := now
		w := New[int](rapid.IntRange(1, 9).Draw(t, "slots"), tick, start)
		var list []*entry
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				delay := time.Duration(rapid.Int64Range(0, 2000).Draw(t, "delay"))
				end := start
				for end <= now+delay {
					end += tick
				}
				list = append(list, &entry{id: len(list), end: end, t: w.Add(now, delay, len(list))})
			},
			"cancel": func(t *rapid.T) {
				if len(list) == 0 {
					t.Skip("nothing to cancel")
				}
				e := rapid.SampledFrom(list).Draw(t, "timer")
				e.t.Cancel()
				e.gone = true
			},
			"advance": func(t *rapid.T) {
				now += time.Duration(rapid.Int64Range(0, 300).Draw(t, "by"))
				var want []*entry
				for _, e := range list {
					if !e.gone && e.end <= now {
						want = append(want, e)
						e.gone = true
					}
				}
				slices.SortStableFunc(want, func(a, b *entry) int { return cmp.Compare(a.end, b.end) })
				got := w.Advance(now)
				if len(got) != len(want) {
					t.Fatalf("at %d: ran %v, want %d timers", now, got, len(want))
				}
				for i := range want {
					if got[i] != want[i].id {
						t.Fatalf("at %d: ran %v, number %d should be timer %d", now, got, i, want[i].id)
					}
				}
			},
			"": func(t *rapid.T) {
				least, some := time.Duration(0), false
				for _, e := range list {
					if !e.gone && (!some || e.end < least) {
						least, some = e.end, true
					}
				}
				if next, ok := w.Next(); ok != some || next != least {
					t.Fatalf("next at %d (%v), want %d (%v)", next, ok, least, some)
				}
			},
		})
	})
}

func BenchmarkAddAndCancel(b *testing.B) {
	w := New[int](1024, 100*time.Millisecond, 0)
	for b.Loop() {
		w.Add(0, 10*time.Second, 1).Cancel()
	}
}
