package kernel

import (
	"runtime"
	"strings"
	"testing"
)

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
	if got := strings.Join(said, ", "); got != want {
		t.Errorf("%s: coroutines went on in the order %s, want %s", runtime.Version(), got, want)
	}
}
