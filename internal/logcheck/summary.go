package logcheck

import (
	"cmp"
	"strings"
	"time"

	"lockstep/internal/say"
)

// Summary is the JSON form of a judged log.
type Summary struct {
	File   string   `json:"file"`  // or several, as they were named
	Files  []string `json:"files"` // that are this log
	Format string   `json:"format"`
	Totals
	Reads      map[string]string         `json:"reads"` // our names to those of the log
	From       string                    `json:"from"`  // the time of the first event, in the log's own unit; "" for none
	To         string                    `json:"to"`
	Verdict    Verdict                   `json:"verdict"` // the worst of all
	Words      string                    `json:"words"`
	Verdicts   map[string]verdictSummary `json:"verdicts"` // by property
	Settings   []settingSummary          `json:"settings"` // the verdicts under each assumption; those above are of the first
	Doubts     []string                  `json:"doubts"`   // why none cannot be the verdict
	Remarks    []string                  `json:"remarks"`
	ByLock     []lockSummary             `json:"by_lock"`        // the worst first, up to a limit
	Violations []violationSummary        `json:"violations"`     // the first ones
	Page       string                    `json:"page,omitempty"` // the path of its page; "" without one
	Result     *Result                   `json:"-"`
}

type verdictSummary struct {
	Verdict Verdict `json:"verdict"`
	Count
	Writes *int64 `json:"writes,omitempty"` // of stale writes: how many writes were read; with 0 nothing was judged
}

type settingSummary struct {
	ClockError    string  `json:"clock_error"`
	ReleasedAfter string  `json:"released_after"`
	Exclusion     Verdict `json:"mutual_exclusion"`
	StaleWrite    Verdict `json:"no_stale_write"`
}

type lockSummary struct {
	Lock      string  `json:"lock"`
	Verdict   Verdict `json:"verdict"`
	Acquired  int64   `json:"acquired"`
	Contended bool    `json:"contended"`
	Overlaps  int64   `json:"overlaps"`     // certain and possible
	Stale     int64   `json:"stale_writes"` // likewise
}

type violationSummary struct {
	Sort    Sort     `json:"sort"`
	Certain bool     `json:"certain"`
	Lock    string   `json:"lock"`
	Clients []string `json:"clients"` // the intruder, then the other holders; or the writer, then the newer holder
	At      string   `json:"at"`      // the time of the line that shows it
	Line    int64    `json:"line"`    // and its number
	File    string   `json:"file"`    // in this file
	Words   string   `json:"words"`
	Least   string   `json:"together_least,omitempty"` // for how long clients held together
	Most    string   `json:"together_most,omitempty"`  // none when nothing ends a hold
	Quotes  []Quoted `json:"quotes,omitempty"`
}

// The properties of a log have the names of a run's properties in JSON.
const (
	exclusionID  = "mutual-exclusion"
	staleWriteID = "no-stale-write"
)

// Summary returns the result for JSON. names are those of the files.
func (r *Result) Summary(names []string) *Summary {
	unit := r.Unit
	written := func(v Verdict) Verdict {
		if r.Writes == 0 { // nothing was judged
			return Unknown
		}
		return v
	}
	c := &Summary{
		File: strings.Join(names, " + "), Files: names, Format: r.Format, Totals: r.Totals, Reads: map[string]string{},
		Verdict: r.Verdict(), Words: r.Words().English(), Doubts: inEnglish(r.Doubts), Remarks: inEnglish(r.Remarks), Result: r,
		Verdicts: map[string]verdictSummary{
			exclusionID:  {r.Overlap(), r.Overlaps, nil},
			staleWriteID: {written(r.StaleWrite()), r.StaleWrites, &r.Writes},
		},
		Settings: []settingSummary{}, ByLock: []lockSummary{}, Violations: []violationSummary{},
	}
	if r.Events > 0 {
		c.From, c.To = unit.At(r.First), unit.At(r.Last)
	}
	for _, read := range r.Reads {
		c.Reads[read.Ours] = read.Theirs
	}
	for _, s := range r.Settings {
		c.Settings = append(c.Settings, settingSummary{s.ClockError.String(), s.ReleasedAfter.String(), s.Overlap, written(s.StaleWrite)})
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		c.ByLock = append(c.ByLock, lockSummary{
			f.Lock, f.Verdict(), f.Acquired, f.Contended, f.Overlaps.Certain + f.Overlaps.Possible, f.StaleWrites.Certain + f.StaleWrites.Possible,
		})
	}
	for _, v := range r.Violations {
		at, line, file := v.Shown()
		one := violationSummary{
			Sort: v.Sort, Certain: v.Certain, Lock: v.Lock, Clients: v.Clients(), At: unit.At(at), Line: line, File: cmp.Or(file, names[0]),
			Words: v.Words().English(), Quotes: v.Quotes,
		}
		if v.Sort == Overlap {
			least, most := v.Together()
			if one.Least = time.Duration(least).String(); most < Endless {
				one.Most = time.Duration(most).String()
			}
		}
		c.Violations = append(c.Violations, one)
	}
	return c
}

func inEnglish(phrases []say.Phrase) []string {
	out := []string{}
	for _, p := range phrases {
		out = append(out, p.English())
	}
	return out
}
