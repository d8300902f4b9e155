package logcheck

import "lockstep/internal/say"

// Verdict is what a log shows of a property, for one lock or for all of them.
type Verdict string

// The verdicts, from good to bad. None is earned: of a log in which nobody contended for the lock,
// or of which a part is missing, nothing is known.
const (
	None     Verdict = "none"
	Unknown  Verdict = "unknown"
	Possible Verdict = "possible"
	Certain  Verdict = "certain"
)

// worse returns the worse of two verdicts.
func worse(a, b Verdict) Verdict {
	for _, v := range []Verdict{Certain, Possible, Unknown} {
		if a == v || b == v {
			return v
		}
	}
	return None
}

// Sort is what a violation is about.
type Sort string

// The sorts of violations.
const (
	Overlap    Sort = "overlap"     // two clients held one lock
	StaleWrite Sort = "stale-write" // a client wrote although a newer holder had had the lock
)

// Violation is one time that a lock failed, or may have.
type Violation struct {
	Sort    Sort
	Certain bool // else within the error of the clocks, or because nothing is heard of a client
	Lock    string
	// Holds are those that overlap: first the intruder, who acquired last, then those that it
	// found, in the order in which they were acquired. Of one that is only possible there are two.
	// Of a stale write: that of the writer, if it still held.
	Holds []*Hold
	// Further counts acquisitions that met the same silent client after the intruder of this one.
	Further int64
	Write   Event // of a stale write, with the token of its writer
	Newer   Grant // and the acquisition or the write that shows the newer holder
}

// Grant is an acquisition of a lock, or a write whose token tells of one.
type Grant struct {
	Client   string
	At, Line int64
	Token    int64 // NoToken when there is none
}

// maxFound is how many holds a violation names besides that of the intruder.
const maxFound = 8

// Span returns from when until when the clients held together, as far as the log shows it: an
// overlap that is possible only may have no length by the log's own times.
func (v *Violation) Span() (from, to int64) {
	if v.Sort == StaleWrite {
		return v.Write.At, v.Write.At
	}
	y := v.Holds[0]
	from, to = y.From, y.From
	for _, x := range v.Holds[1:] {
		both := min(x.Heard, y.Heard)
		if y.silent() {
			both = x.Heard
		}
		to = max(to, both)
	}
	return from, to
}

// Clients are those that the violation is about: the intruder, then those that it found; of a stale
// write, who wrote, then the newer holder.
func (v *Violation) Clients() (names []string) {
	if v.Sort == StaleWrite {
		return []string{v.Write.Client, v.Newer.Client}
	}
	for _, h := range v.Holds {
		names = append(names, h.Client)
	}
	return names
}

// Shown returns the time and the number of the line that shows the violation.
func (v *Violation) Shown() (at, line int64) {
	if v.Sort == StaleWrite {
		return v.Write.At, v.Write.Line
	}
	return v.Holds[0].From, v.Holds[0].Line
}

// Count is how often a property failed.
type Count struct {
	Certain, Possible int64
	AtLeast           bool // there may have been more
}

func (c *Count) add(v *Violation) {
	if v.Certain {
		c.Certain++
	} else {
		c.Possible++
	}
}

func (c *Count) sum(other Count) {
	c.Certain += other.Certain
	c.Possible += other.Possible
	c.AtLeast = c.AtLeast || other.AtLeast
}

// verdict is that of a property, when doubts are what keeps it from being none.
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

// Finding is what the log shows of one lock.
type Finding struct {
	Lock         string
	Acquired     int64
	Overlaps     Count
	StaleWrites  Count
	Writes       int64
	Contended    bool // some client had to wait for another or, in a log without waiting lines, the lock changed hands
	Doubts       []say.Phrase
	repeated     int64 // lines that end a hold which had ended
	repeatedLine int64 // the first of them
}

// Verdict is that of the lock.
func (f *Finding) Verdict() Verdict {
	doubtful := !f.Contended || len(f.Doubts) > 0
	return worse(f.Overlaps.verdict(doubtful), f.StaleWrites.verdict(doubtful))
}

// Result is what a whole log shows.
type Result struct {
	Format      string // csv or jsonl
	Lines       int64  // read
	Skipped     int64  // lines that make no sense
	Events      int64  // judged
	First       int64  // the time of the first event
	Last        int64  // and that of the last one
	Locks       int64  // with a line of their own
	Contended   int64  // of them
	Overlaps    Count
	StaleWrites Count
	Writes      int64
	Findings    []Finding    // of the locks: the worst first, no more than maxFindings
	Violations  []*Violation // those that were found first, no more than maxViolations
	Doubts      []say.Phrase // why none would be too much to say, of the log as a whole and of the first lock with one
	Remarks     []say.Phrase // what else there is to say
}

// Limits of what a result keeps. All is counted.
const (
	maxFindings   = 1000
	maxViolations = 100
)

// Overlap is the verdict on mutual exclusion.
func (r *Result) Overlap() Verdict { return r.Overlaps.verdict(len(r.Doubts) > 0) }

// StaleWrite is the verdict on writes. A log without writes has none to say: then it is None, and Writes
// is zero.
func (r *Result) StaleWrite() Verdict {
	return r.StaleWrites.verdict(r.Writes > 0 && len(r.Doubts) > 0)
}

// Verdict is the worst of all.
func (r *Result) Verdict() Verdict { return worse(r.Overlap(), r.StaleWrite()) }
