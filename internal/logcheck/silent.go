package logcheck

import (
	"errors"
	"io"

	"lockstep/internal/logcheck/logline"
	"lockstep/internal/say"
)

// hear decides about the sources without an event. That of a client which was up and wanted no lock hides nothing;
// another one may be the log of a client whose events are missing.
func (l *log) hear() {
	quiet := []int{}
	for _, n := range l.silent {
		if l.quiet(n) {
			quiet = append(quiet, n)
		} else {
			l.judge.result.doubt(say.LogForeignFile.With(say.Verbatim(l.judge.files[n])))
		}
	}
	if len(quiet) > 0 {
		l.judge.result.remark(say.LogQuietFiles.With(say.Number(len(quiet)), say.Verbatim(l.judge.files[quiet[0]])))
	}
}

// quiet reads a source without an event again. It reports whether no line of it names a lock of the log, and the time
// of one lies within the log, so that its client was up; or whether it is a header only.
func (l *log) quiet(n int) bool {
	if l.sources[n].Again == nil || int64(len(l.judge.locks)) < l.judge.result.Locks { // some names are forgotten
		return false
	}
	in, err := l.sources[n].Again()
	if err != nil {
		return false
	}
	defer in.Close()
	s := newLog(l.ctx, l.options, l.sources)
	s.number = n
	if s.open(in) != nil {
		return false
	}
	for up, some := false, false; ; {
		line, err := s.lines.next()
		switch {
		case err == io.EOF:
			return up || !some
		case err == nil:
			err = s.decode(line)
		case !errors.Is(err, errLong):
			return false
		}
		if s.interrupted(s.lines.number) != nil || names(line, l.judge.locks, true) {
			return false
		}
		if errors.Is(err, logline.ErrOther) {
			up, some = up || s.within(l, line), true
		}
	}
}

// within reports whether the time of a line lies within another log.
func (l *log) within(other *log, line []byte) bool {
	at, err := l.values.clock.read(l.decoder.Time(line))
	return err == nil && l.values.clock.lacks == other.lacks && other.judge.result.First <= at && at <= other.judge.result.Last
}
