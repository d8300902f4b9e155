// Package each has what package slices lacks: loops that only translate, find or count.
package each

// Map translates all elements.
func Map[T, U any](all []T, of func(T) U) []U {
	out := make([]U, len(all))
	for i, x := range all {
		out[i] = of(x)
	}
	return out
}

// Find returns the first element of which something is true; nil when there is none.
func Find[T any](all []T, is func(*T) bool) *T {
	for i := range all {
		if is(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

// Count counts the elements of which something is true.
func Count[T any](all []T, is func(*T) bool) (n int) {
	for i := range all {
		if is(&all[i]) {
			n++
		}
	}
	return n
}
