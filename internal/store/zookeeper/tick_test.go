package zookeeper

import (
	"testing"
	"time"
)

func TestTickFollowsAShortLease(t *testing.T) {
	for lease, want := range map[time.Duration]time.Duration{
		10 * time.Second: 2 * time.Second, 30 * time.Second: 2 * time.Second,
		time.Second: 200 * time.Millisecond, 7 * time.Millisecond: time.Millisecond, 1: time.Millisecond,
	} {
		if got := TickFor(lease); got != want {
			t.Errorf("lease %v: tick %v, want %v", lease, got, want)
		}
	}
}
