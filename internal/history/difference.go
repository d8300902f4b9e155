package history

// Difference is the first difference of two histories.
type Difference struct {
	Index  int      // of the event, counted from 0; -1: their headers differ
	Fields []string // that differ, in words
}

// FirstDifference compares two histories; nil when they have the same hash.
func FirstDifference(a, b *History) *Difference {
	if a.Hash() == b.Hash() {
		return nil
	}
	if fields := differing(headerFields, &a.Header, &b.Header); len(fields) > 0 {
		return &Difference{-1, fields}
	}
	common := min(len(a.Events), len(b.Events))
	x, y := lineOf(a), lineOf(b)
	for i := range common {
		if fields := differing(eventFields, x.of(i), y.of(i)); len(fields) > 0 {
			return &Difference{i, fields}
		}
	}
	if len(a.Events) != len(b.Events) {
		return &Difference{common, []string{"the number of events"}}
	}
	return &Difference{common, []string{"the hash alone"}}
}
