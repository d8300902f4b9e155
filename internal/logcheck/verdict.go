package logcheck

import (
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/logcheck/logline"
	"lockstep/internal/say"
)

// Verdict is the judgement of a property, for one lock or for all of them.
type Verdict string

// The verdicts, from good to bad. None is earned: without contention, or in part, a log is Unknown.
const (
	None     Verdict = "none"
	Unknown  Verdict = "unknown"
	Possible Verdict = "possible"
	Certain  Verdict = "certain"
)

// verdicts are all of them, the worst last.
var verdicts = []Verdict{None, Unknown, Possible, Certain}

func (v Verdict) badness() int { return slices.Index(verdicts, v) }

// worse returns the worse of two verdicts.
func worse(a, b Verdict) Verdict { return verdicts[max(a.badness(), b.badness())] }

// Sort is the property that a violation breaks.
type Sort string

// The sorts of violations.
const (
	Overlap    Sort = "overlap"     // two clients held one lock
	StaleWrite Sort = "stale-write" // a client wrote although a newer holder had had the lock
)

// Violation is one certain or possible failure of a lock.
type Violation struct {
	Sort    Sort
	Certain bool // otherwise within the error of the clocks, or because a client is silent
	Lock    string
	// Holds are those that overlap: first the intruder, which acquired last, then the earlier
	// ones, in the order of acquisition. A possible overlap has two.
	// Of a stale write: that of the writer, if it still held.
	Holds []*Hold
	// Further counts later acquisitions that possibly overlap the same silent client.
	Further int64
	inside  bool // of a possible overlap: the intruder certainly began before the other hold ended
	files   files
	unit    Unit
	widest  *Setting
	Quotes  []Quoted // its lines, when Quote has read them
	Write   Event    // of a stale write, with the token of its writer
	Newer   Event    // of a stale write: the acquisition or the write of the newer holder
}

// maxFound bounds the holds of a violation besides the intruder's.
const maxFound = 8

// Span returns the time in which the clients held together, by the log's own times; it may be
// empty.
func (v *Violation) Span() (from, to int64) {
	if v.Sort == StaleWrite {
		return v.Write.At, v.Write.At
	}
	y := v.Holds[0]
	from, to = y.At, y.At
	for _, x := range v.Holds[1:] {
		to = max(to, min(x.Heard, y.Heard))
	}
	return from, to
}

// Together returns the least and the greatest length of the overlap, in nanoseconds, within the
// errors of clocks, grains and late lines: the longest that the intruder has with one of the
// others. The greatest is at least Endless when nothing ends a hold.
func (v *Violation) Together() (least, most int64) {
	y := v.Holds[0]
	for _, x := range v.Holds[1:] {
		off := 2 * int64(v.widest.ClockError)
		from := y.At + y.grain()
		least = max(least, min(x.shown(v.widest)-from-off, y.shown(v.widest)-from))
		most = max(most, min(x.Possible()+x.grain()-y.At+off, y.Possible()+y.grain()-y.At))
	}
	if !v.Certain { // one of them may not have held it at all
		least = 0
	}
	return least, most
}

// Endless is longer than any hold of a log.
const Endless = forever / 2

// Place returns the place of a line: 12, or of several files pod-b.csv:12.
func (v *Violation) Place(line int64) string {
	number := strconv.FormatInt(lineOf(line), 10)
	if name := v.files.name(line); name != "" {
		return name + ":" + number
	}
	return number
}

// Time formats a time of the log.
func (v *Violation) Time(at int64) string { return v.unit.At(at) }

// silent reports whether the violation is possible only because a client is silent.
func (v *Violation) silent() bool { return !v.inside && v.Holds[1].Ending != ByLine }

// Clients are the intruder, then the other holders; of a stale write the writer, then the newer
// holder.
func (v *Violation) Clients() (names []string) {
	if v.Sort == StaleWrite {
		return []string{v.Write.Client, v.Newer.Client}
	}
	for _, h := range v.Holds {
		names = append(names, h.Client)
	}
	return names
}

// Shown returns the time of the line that shows the violation, its number, and the name of its file
// when the log has several.
func (v *Violation) Shown() (at, line int64, file string) {
	at, line = v.Write.At, v.Write.Line
	if v.Sort == Overlap {
		at, line = v.Holds[0].At, v.Holds[0].Line
	}
	return at, lineOf(line), v.files.name(line)
}

// Count is how often a property failed.
type Count struct {
	Certain  int64 `json:"certain"`
	Possible int64 `json:"possible"`
	AtLeast  bool  `json:"at_least"` // there may have been more than that
}

func (c *Count) sum(other Count) {
	c.Certain += other.Certain
	c.Possible += other.Possible
	c.AtLeast = c.AtLeast || other.AtLeast
}

// verdict returns the verdict on a property; with doubts, it is not none.
func (c *Count) verdict(doubtful bool) Verdict {
	switch {
	case c.Certain > 0:
		return Certain
	case c.Possible > 0:
		return Possible
	case doubtful:
		return Unknown
	}
	return None
}

// Finding is the judgement of one lock.
type Finding struct {
	Lock         string
	Acquired     int64
	Overlaps     Count
	StaleWrites  Count
	Writes       int64
	Contended    bool // some client had to wait for another or, in a log without waiting lines, the holder changed
	Doubts       []say.Phrase
	partial      bool  // a part of the log was left unread, or its order is unknown
	repeated     int64 // lines that end a hold which had already ended
	repeatedLine int64 // the first of them
}

// Verdict returns the verdict on the lock.
func (f *Finding) Verdict() Verdict {
	doubtful := !f.Contended || len(f.Doubts) > 0 || f.partial
	return worse(f.Overlaps.verdict(doubtful), f.StaleWrites.verdict(doubtful))
}

// Totals are the numbers of a log.
type Totals struct {
	Lines     int64 `json:"lines"`     // read
	Events    int64 `json:"events"`    // judged
	Skipped   int64 `json:"skipped"`   // invalid lines
	Other     int64 `json:"other"`     // lines about something else
	Unread    int64 `json:"unread"`    // lines that mention a lock and were not understood
	Locks     int64 `json:"locks"`     // with a line of their own
	Contended int64 `json:"contended"` // of them
}

// Result is the judgement of a whole log.
type Result struct {
	Totals
	Format      string         // csv, json, text, monitor, or the preset; of several files, joined by +
	Reads       []logline.Read // of the first file
	Rules       Rules          // by which it was judged
	Unit        Unit           // in which its times are shown
	First       int64          // the time of the first event
	Last        int64          // the time of the last event
	Overlaps    Count
	StaleWrites Count
	Writes      int64
	Findings    []Finding    // of the locks: the worst first, at most maxFindings
	Settings    []Setting    // first the one of the verdict, then those with fewer assumptions
	Violations  []*Violation // the certain ones first, at most maxViolations of each
	Doubts      []say.Phrase // why none cannot be the verdict
	Remarks     []say.Phrase
}

// FormatName is the format as people read it: CSV, JSONL, logback.
func (r *Result) FormatName() string {
	switch r.Format {
	case "csv", "json", "jsonl", "csv+jsonl", "jsonl+csv":
		return strings.ToUpper(r.Format)
	}
	return r.Format
}

// Limits of a result. Findings and violations above them are still counted.
const (
	maxFindings   = 1000
	maxViolations = 100
)

// Overlap returns the verdict on mutual exclusion.
func (r *Result) Overlap() Verdict { return r.Overlaps.verdict(len(r.Doubts) > 0) }

// StaleWrite returns the verdict on writes. It is None for a log without writes, whose Writes is
// zero.
func (r *Result) StaleWrite() Verdict {
	return r.StaleWrites.verdict(r.Writes > 0 && len(r.Doubts) > 0)
}

// Verdict returns the worst verdict.
func (r *Result) Verdict() Verdict { return worse(r.Overlap(), r.StaleWrite()) }

// Words describes a violation in one sentence, with the lines that show it.
func (v *Violation) Words() say.Phrase {
	at := v.files.at
	if v.Sort == StaleWrite {
		w := &v.Write
		write := say.LogWrites.With(say.Verbatim(w.Client), at(w.Line), token(w.Token))
		newer := say.LogHasHad.With(say.Verbatim(v.Newer.Client), at(v.Newer.Line), token(v.Newer.Token))
		if v.Certain {
			return say.LogStaleWrite.With(write, newer)
		}
		return say.LogMaybeStale.With(write, newer)
	}
	y := v.Holds[0]
	if v.Certain {
		var found say.Clauses
		for _, x := range v.Holds[1:] {
			found = append(found, say.LogHolds.With(v.who(x), at(x.Line), at(x.HeardLine)))
		}
		from, to := v.Span()
		return say.LogOverlap.With(v.who(y), at(y.Line), found, say.OptionalSpan(to-from))
	}
	x := v.Holds[1]
	switch {
	case x.lost || x.Ending == ByLine && (x.Unproven || y.Unproven || y.astray):
		return say.LogMaybeHeld.With(v.who(y), at(y.Line), v.who(x), at(x.HeardLine))
	case v.silent():
		return say.LogMaybeHolds.With(v.who(y), at(y.Line), v.who(x), at(x.HeardLine), say.Optional(v.Further))
	}
	if v.inside { // the doubt is whether the intruder's hold ended before the other began
		x, y = y, x
	}
	if by := x.Heard - y.At; by > 0 {
		return say.LogMaybeBefore.With(v.who(y), at(y.Line), say.Span(by), v.who(x), at(x.HeardLine))
	}
	return say.LogMaybeAfter.With(v.who(y), at(y.Line), v.who(x), at(x.HeardLine), say.OptionalSpan(y.At-x.Heard))
}

// TogetherWords describes the length of the overlap; empty for a write.
func (v *Violation) TogetherWords() say.Phrase {
	if v.Sort != Overlap {
		return say.Phrase{}
	}
	least, most := v.Together()
	if most >= Endless {
		most = 0
	}
	switch {
	case least <= 0 && v.Certain: // a client is silent after its acquisition
		return say.LogTogetherMoment.With(say.OptionalSpan(most))
	case least <= 0:
		return say.LogTogetherAny.With(say.OptionalSpan(most))
	}
	return say.LogTogether.With(say.Span(least), say.OptionalSpan(most))
}

// who names a holder, with its token if another one has the same name.
func (v *Violation) who(h *Hold) say.Phrase {
	for _, other := range v.Holds {
		if other != h && other.Client == h.Client {
			return say.LogHolder.With(say.Verbatim(h.Client), token(h.Token))
		}
	}
	return say.LogHolder.With(say.Verbatim(h.Client), "")
}

// token formats a token, "" for none.
func token(n int64) say.Verbatim {
	if n == NoToken {
		return ""
	}
	return say.Verbatim(say.Number(n).In(say.English))
}

// Words describes the verdict on the whole log in one sentence.
func (r *Result) Words() say.Phrase {
	var writes say.Phrase
	if r.Writes > 0 {
		writes = r.StaleWrites.Words(r.StaleWrite())
	}
	switch r.Verdict() {
	case Unknown:
		return say.LogIsUnknown.With(say.Remarks(r.Doubts))
	case None:
		return say.LogIsClean.With(say.Number(r.Locks), say.Number(r.Contended), writes)
	}
	return say.LogIs.With(r.Overlaps.Words(r.Overlap()), writes)
}

// Words describes a verdict with the number of violations.
func (c *Count) Words(v Verdict) say.Phrase {
	word := say.Text(string(v))
	switch v {
	case Certain:
		return say.LogTimes.With(word, say.Number(c.Certain))
	case Possible:
		return say.LogTimes.With(word, say.Number(c.Possible))
	}
	return word
}
