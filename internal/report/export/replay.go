package export

import (
	"fmt"

	"lockstep/internal/history"
	"lockstep/internal/report/trace"
	"lockstep/internal/say"
)

// Replayed is the comparison of one lock's histories.
type Replayed struct {
	Lock      string      `json:"lock"`
	Identical bool        `json:"identical"`
	Events    int         `json:"events"`
	Stored    string      `json:"hash_stored"`
	Played    string      `json:"hash_played"`
	First     *Difference `json:"first_difference"` // null when there is none

	StoredWords, PlayedWords say.Phrase `json:"-"` // of the first difference
}

// Difference is the first difference of two histories, in words.
type Difference struct {
	Index  int      `json:"index"` // of the event, counted from 0; -1: the headers
	Stored string   `json:"stored"`
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
		r.StoredWords, r.PlayedWords = eventLine(stored, d.Index), eventLine(played, d.Index)
		r.First = &Difference{Index: d.Index, Stored: r.StoredWords.English(), Played: r.PlayedWords.English(), Fields: d.Fields}
	}
	return r
}

// eventLine is an event in words, with its true time to the nanosecond. Index -1 is the header.
func eventLine(h *history.History, i int) say.Phrase {
	switch {
	case i < 0:
		return say.Text("its header")
	case i >= len(h.Events):
		return say.Text("(the history has ended)")
	}
	at := int64(h.Events[i].At)
	return say.ExactlyAt.With(say.Verbatim(fmt.Sprintf("%d.%09d", at/1e9, at%1e9)), trace.InWords(h, i))
}
