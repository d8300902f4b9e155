package export

import "lockstep/internal/history"

// Replayed is the comparison of one lock's histories.
type Replayed struct {
	Lock      string      `json:"lock"`
	Identical bool        `json:"identical"`
	Events    int         `json:"events"`
	Stored    string      `json:"hash_stored"`
	Played    string      `json:"hash_played"`
	First     *Difference `json:"first_difference"` // null when there is none
}

// Difference is the first difference of two histories.
type Difference struct {
	Index  int      `json:"index"`  // of the event, counted from 0; -1: the headers
	Stored string   `json:"stored"` // the event as it is stored; "" for headers and after the end
	Played string   `json:"played"`
	Fields []string `json:"fields"` // that differ
}

// CompareHistories compares a stored history with a replayed one.
func CompareHistories(stored, played *history.History) Replayed {
	r := Replayed{
		Lock: stored.Header.Lock, Events: len(stored.Events), Stored: stored.Hash().String(), Played: played.Hash().String(),
	}
	r.Identical = r.Stored == r.Played
	if d := history.FirstDifference(stored, played); d != nil {
		r.First = &Difference{Index: d.Index, Stored: stored.Line(d.Index), Played: played.Line(d.Index), Fields: d.Fields}
	}
	return r
}
