package kernel

import (
	"context"
	"fmt"
	"testing"
	"time"
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
