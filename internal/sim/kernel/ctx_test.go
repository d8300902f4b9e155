package kernel

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
)

// Five tasks wait on one context. When it ends, those that have not been woken before learn of it
// in the order in which they began to wait.
func TestAContextWakesItsWaitersInTheirOrder(t *testing.T) {
	for _, tt := range []struct {
		early []int
		want  []string
	}{
		{[]int{0}, []string{"1s 0 <nil>", "2s 1 context canceled", "2s 2 context canceled", "2s 3 context canceled", "2s 4 context canceled"}},
		{[]int{2}, []string{"1s 2 <nil>", "2s 0 context canceled", "2s 1 context canceled", "2s 3 context canceled", "2s 4 context canceled"}},
		{[]int{4, 0}, []string{"1s 4 <nil>", "1s 0 <nil>", "2s 1 context canceled", "2s 2 context canceled", "2s 3 context canceled"}},
		{[]int{3, 1, 2, 0, 4}, []string{"1s 3 <nil>", "1s 1 <nil>", "1s 2 <nil>", "1s 0 <nil>", "1s 4 <nil>"}},
	} {
		got := trace(t, func(k *Kernel, note func(string)) {
			p := k.NewProc("A", Clock{})
			wakers := make([]Waker, 5)
			k.Spawn(p, "main", func() {
				ctx, cancel := k.WithCancel(p.Background())
				for i := range wakers {
					k.Go(ctx, p, "waits", func(ctx context.Context) {
						wakers[i] = k.Waker()
						note(fmt.Sprint(i, " ", k.Await(ctx, -1)))
					})
				}
				_ = k.Sleep(p.Background(), time.Second)
				for _, i := range tt.early {
					wakers[i].Wake()
				}
				_ = k.Sleep(p.Background(), time.Second)
				cancel()
			})
		})
		expect(t, got, tt.want...)
	}
}

// Seats rely on undocumented behaviour of iter.Pull: the caller of next or yield waits in that
// iterator, even if it is a coroutine that began in another one. This test fails when a Go version
// changes that.
func TestACoroutineMayWaitInTheIteratorOfAnother(t *testing.T) {
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%s does not let a coroutine wait in the iterator of another: %v", runtime.Version(), r)
		}
	}()
	var said []string
	var one, two *seat
	one = newSeat(func() {
		said = append(said, "first")
		two.yield(struct{}{}) // waits where the second began, and wakes the test
		said = append(said, "first again")
	}) // the second waits here, and goes on
	two = newSeat(func() {
		said = append(said, "second")
		one.next()
		said = append(said, "second again")
	})
	two.next()
	said = append(said, "test")
	two.next()
	said = append(said, "test again")
	const want = "second, first, test, first again, second again, test again"
	must.Equalf(t, strings.Join(said, ", "), want,
		"%s: coroutines went on in the order", runtime.Version())
}
