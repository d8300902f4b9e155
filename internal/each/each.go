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

// Group has the elements with one key.
type Group[K comparable, T any] struct {
	Key K
	All []T
}

// Groups puts elements with the same key together, in the order in which the keys first occur.
func Groups[K comparable, T any](all []T, key func(T) K) (groups []Group[K, T]) {
	at := map[K]int{}
	for _, x := range all {
		k := key(x)
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k], groups = i, append(groups, Group[K, T]{Key: k})
		}
		groups[i].All = append(groups[i].All, x)
	}
	return groups
}
