package door

import "testing"

// A client's numbers of leases are those of the model in another order, and 0 is still no lease.
func TestNumbersOfLeasesDoNotGrow(t *testing.T) {
	shrank := 0
	for lease, last := int64(0x694d7a1b00000001), int64(0); lease < 0x694d7a1b00000009; lease++ {
		n := number(lease)
		if n <= 0 || number(n) != lease {
			t.Errorf("%x is %x for clients, which is %x for the model", lease, n, number(n))
		}
		if n < last {
			shrank++
		}
		last = n
	}
	if shrank == 0 || number(0) != 0 {
		t.Errorf("%d of 8 numbers are lower than the one before, and no lease is %d", shrank, number(0))
	}
}
