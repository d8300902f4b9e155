package redis_test

import (
	"fmt"
	"time"

	"lockstep/internal/store/redis"
)

// A lock of client 1 runs out and client 2 takes it over; then client 1, late,
// removes it with a blind DEL.
func Example() {
	s := redis.New()
	take := redis.Set("lock", "token").NX().PX(10 * time.Second)
	del := redis.Del("lock")
	show := func(reply redis.Reply) {
		fmt.Println(reply)
		for _, c := range s.Changes() {
			fmt.Printf("  %v: %s of client %d\n", c.Kind, c.Key, c.Owner)
		}
	}
	show(s.Exec(0, 1, &take))
	show(s.Exec(10_000, 2, &take)) // Redis expires when now > when: not yet
	show(s.Exec(10_001, 2, &take))
	show(s.Exec(12_000, 1, &del))
	// Output:
	// OK
	//   granted: lock of client 1
	// (nil)
	// OK
	//   expired: lock of client 1
	//   granted: lock of client 2
	// (integer) 1
	//   removed: lock of client 2
}
