package kernel

// Arena hands out values that are reused only by the next run: during a run it is unknown what
// still refers to them.
type Arena[T any] struct {
	all  []*T
	used int // how many belong to the current run
}

// Next returns a value as its previous user left it; a new one is zero.
func (a *Arena[T]) Next() *T {
	if a.used == len(a.all) {
		a.all = append(a.all, new(T))
	}
	v := a.all[a.used]
	a.used++
	return v
}

// Reset takes all values back.
func (a *Arena[T]) Reset() { a.used = 0 }
