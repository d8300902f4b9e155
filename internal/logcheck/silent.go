package logcheck

import (
	"cmp"
	"errors"
	"io"

	"lockstep/internal/logcheck/logline"
	"lockstep/internal/say"
)

// hear decides about the sources with lines about something else, now that all names of locks are
// known. A source without an event hides nothing if its client was up and wanted no lock; otherwise
// it may be the log of a client whose events are missing. In the others, a line may name a lock
// that was not known when it was read.
func (l *log) hear() {
	r, quiet, first := &l.judge.result, 0, 0
	locks := spellings{}
	for name := range l.judge.locks { // order: a set
		locks.add(name)
	}
	for _, n := range l.passed {
		silent := len(l.judge.files) > 1 && l.spans[n].clients == nil
		if !silent && (len(l.judge.certain)+len(l.judge.possible)+len(r.Doubts) > 0 || l.unread.n > 0) {
			continue // it changes no verdict
		}
		up, named := l.again(n, silent, locks)
		switch {
		case !silent && named.n > 0:
			l.unread = named
		case !silent:
		case named.n > 0 || !up:
			r.doubt(say.LogForeignFile.With(say.Verbatim(l.judge.files[n])))
		default:
			if quiet++; quiet == 1 {
				first = n
			}
		}
	}
	if quiet > 0 {
		r.remark(say.LogQuietFiles.With(say.Number(quiet), say.Verbatim(l.judge.files[first])))
	}
}

// again reads a source again: was its client up, by the time of a line, or is it a header only;
// which lines name a lock?
func (l *log) again(n int, silent bool, locks spellings) (up bool, named left) {
	if l.sources[n].Again == nil || silent && int64(len(l.judge.locks)) < l.judge.result.Locks { // some names are forgotten
		return false, named
	}
	s, some := newLog(l.ctx, l.options, l.sources), false
	s.number, s.take = n, func(*Event) error { return nil }
	err := l.sources[n].again(func(in io.Reader) error {
		err := s.open(in)
		for err == nil || errors.Is(err, errLong) {
			var line []byte
			if line, err = s.lines.next(); err == nil && errors.Is(s.decode(line), logline.ErrOther) {
				if up, some = up || s.within(l, line), true; s.format.Kind != logline.Monitor && locks.in(line, silent) {
					named.add(s.place(), line, logline.ErrUnread)
				}
			}
			err = cmp.Or(s.interrupted(s.lines.number), err)
		}
		return err
	})
	return err == io.EOF && (up || !some), named
}

// within reports whether the time of a line lies within another log.
func (l *log) within(other *log, line []byte) bool {
	at, err := l.values.clock.read(l.decoder.Time(line))
	return err == nil && l.values.clock.lacks == other.lacks && other.judge.result.First <= at && at <= other.judge.result.Last
}
