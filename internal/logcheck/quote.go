package logcheck

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
)

// Quote reads the sources once more, and gives the violations of a result the lines that show them, as they stand there.
// Of a source that can be read once only there are none.
func Quote(ctx context.Context, o Options, r *Result, sources ...Source) error {
	wanted := make([][]int64, len(sources))
	for _, v := range r.Violations[:min(len(r.Violations), maxQuoted)] {
		for _, place := range v.places() {
			file := place >> fileBits
			wanted[file] = append(wanted[file], lineOf(place))
		}
	}
	quotes := map[int64]string{}
	for file, lines := range wanted {
		if len(lines) == 0 || sources[file].Again == nil {
			continue
		}
		slices.Sort(lines)
		in, err := sources[file].Again()
		if err != nil {
			return err
		}
		err = quote(ctx, o, in, slices.Compact(lines), func(line int64, text string) { quotes[placed(file, line)] = text })
		in.Close()
		if err != nil {
			return err
		}
	}
	for _, v := range r.Violations[:min(len(r.Violations), maxQuoted)] {
		for _, place := range v.places() {
			if text, ok := quotes[place]; ok {
				v.Quotes = append(v.Quotes, Quoted{v.Place(place), text})
			}
		}
	}
	return nil
}

// Quoted is a line of a log, with where it stands.
type Quoted struct{ Place, Text string }

// maxQuoted is how many violations have their lines.
const maxQuoted = 60

// places are the lines that show a violation, in the order of their files.
func (v *Violation) places() (all []int64) {
	for _, h := range v.Holds {
		all = append(all, h.Line, h.HeardLine)
		if h.Ending == ByLine {
			all = append(all, h.ToLine)
		}
	}
	if v.Sort == StaleWrite {
		all = append(all, v.Write.Line, v.Newer.Line)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// quote calls found with some lines, which are in order. That a file is a shorter one than before is no error: it may
// have been rotated.
func quote(ctx context.Context, o Options, in io.Reader, lines []int64, found func(int64, string)) error {
	l := newLog(ctx, o, nil)
	if err := l.open(in); err != nil {
		return err
	}
	var text []string // of the line that is wanted next: of an array, it may have several objects
	for len(lines) > 0 {
		line, err := l.lines.next()
		if stop := l.interrupted(l.lines.number); stop != nil {
			return stop
		}
		ended := err != nil && !errors.Is(err, errLong)
		if len(text) > 0 && (ended || l.lines.number > lines[0]) {
			found(lines[0], strings.Join(text, " "))
			lines, text = lines[1:], nil
		}
		if ended {
			return nil
		}
		if len(lines) > 0 && l.lines.number == lines[0] && len(text) < maxObjects {
			text = append(text, strings.TrimSpace(string(line)))
		}
	}
	return nil
}

// maxObjects is how many objects of one line are quoted.
const maxObjects = 8
