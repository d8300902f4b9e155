package export

import (
	"fmt"

	"lockstep/internal/history"
	"lockstep/internal/report/trace"
)

// Replayed is the comparison of one lock's histories.
type Replayed struct {
	Lock      string      `json:"lock"`
	Identical bool        `json:"identical"`
	Events    int         `json:"events"`
	Stored    string      `json:"hash_stored"`
	Played    string      `json:"hash_played"`
	First     *Difference `json:"first_difference"` // null when there is none
}

// Difference is where two histories part, in words.
type Difference struct {
	Index  int      `json:"index"` // of the event, counted from 0; -1: the headers
	Stored string   `json:"stored"`
	Played string   `json:"played"`
	Fields []string `json:"fields"` // in which the two differ
}

// CompareHistories compares a history with the one that was played again.
func CompareHistories(stored, played *history.History) Replayed {
	r := Replayed{
		Lock: stored.Header.Lock, Events: len(stored.Events), Stored: stored.Hash().String(), Played: played.Hash().String(),
	}
	r.Identical = r.Stored == r.Played
	if d := history.FirstDifference(stored, played); d != nil {
		r.First = &Difference{Index: d.Index, Stored: "its header", Played: "its header", Fields: d.Fields}
		if d.Index >= 0 {
			r.First.Stored, r.First.Played = eventLine(stored, d.Index), eventLine(played, d.Index)
		}
	}
	return r
}

// eventLine is an event in words, with its true time to the nanosecond.
func eventLine(h *history.History, i int) string {
	if i >= len(h.Events) {
		return "(the history has ended)"
	}
	at := int64(h.Events[i].At)
	return fmt.Sprintf("%d.%09d s  %s", at/1e9, at%1e9, trace.InWords(h, i))
}
