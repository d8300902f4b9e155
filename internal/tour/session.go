package tour

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"lockstep/internal/report/ink"
	"lockstep/internal/say"
)

// Options are the settings of a tour.
type Options struct {
	Language    say.Language
	Seed        uint64
	Width       int  // columns; raised to minWidth
	Color       bool // use colours
	Interactive bool // wait for keys; otherwise print everything at once
	Quiet       bool // the verdicts only
	In          io.Reader
	Out         io.Writer
}

// minWidth is the narrowest page, in columns: a lock's name must fit beside a verdict.
const minWidth = 64

// place is a page of the tour: lesson -1 is the list.
type place struct {
	lesson int // index
	page   int
}

// session is one learner's way through the lessons.
type session struct {
	o       *Options
	lessons []*Lesson
	shows   []*show          // by lesson; nil until it has been played
	seen    []bool           // by lesson: its first run has been shown
	first   map[string]place // the first occurrence of each term
	lines   <-chan string
}

// Take gives the tour, beginning with a lesson or, without one, with the list. At a terminal it
// goes on to the end or until the learner quits; otherwise it prints that lesson, or all of them.
// An error comes from the output or from ctx, or is a bug.
func Take(ctx context.Context, lessons []*Lesson, from *Lesson, o Options) error {
	o.Width = max(o.Width, minWidth)
	s := &session{
		o: &o, lessons: lessons, shows: make([]*show, len(lessons)), seen: make([]bool, len(lessons)),
		first: map[string]place{},
	}
	at := place{lesson: -1}
	if from != nil {
		at.lesson = from.Number - 1
	}
	if !o.Interactive {
		return s.printAll(ctx, at, from != nil)
	}
	s.lines = linesOf(ctx, o.In)
	return s.walk(ctx, at)
}

// printAll prints one lesson, or the list and every lesson.
func (s *session) printAll(ctx context.Context, at place, one bool) error {
	for ok := true; ok; at, ok = s.next(at) {
		if err := s.page(ctx, at); err != nil {
			return err
		}
		if next, more := s.next(at); one && more && next.lesson != at.lesson {
			break
		}
	}
	return s.summary()
}

// walk shows pages as the learner asks for them.
func (s *session) walk(ctx context.Context, at place) error {
	for {
		if err := s.page(ctx, at); err != nil {
			return err
		}
		next, done, err := s.ask(ctx, at)
		if err != nil {
			return err
		}
		if done {
			return s.summary()
		}
		at = next
	}
}

// ask waits for a key and says where to go.
func (s *session) ask(ctx context.Context, at place) (to place, done bool, err error) {
	for {
		if _, err := fmt.Fprintf(s.o.Out, "\n%s ", newCanvas(s.o).Paint(ink.Faint, s.keys(at))); err != nil {
			return at, true, err
		}
		var key string
		select {
		case <-ctx.Done():
			return at, true, ctx.Err()
		case line, open := <-s.lines:
			if !open {
				_, err := fmt.Fprintln(s.o.Out)
				return at, true, err
			}
			key = strings.ToLower(strings.TrimSpace(line))
		}
		if to, done, ok := s.follow(at, key); ok {
			return to, done, nil
		}
		if _, err := fmt.Fprintln(s.o.Out, s.o.say("no such")); err != nil {
			return at, true, err
		}
	}
}

// follow returns the page to which a key leads; ok is false for an unknown key.
func (s *session) follow(at place, key string) (to place, done, ok bool) {
	n, notNumber := strconv.Atoi(key)
	switch {
	case key == "":
		next, more := s.next(at)
		return next, !more, true
	case key == "q":
		return at, true, true
	case key == "l":
		return place{lesson: -1}, false, true
	case key == "b":
		return s.back(at), false, true
	case at.lesson < 0:
		if l := Find(s.lessons, key); l != nil {
			return place{lesson: l.Number - 1}, false, true
		}
	case s.kindAt(at) == predictPage && notNumber == nil && n >= 1 && n <= len(s.lessons[at.lesson].Predict.Answers):
		s.shows[at.lesson].guess = n
		next, more := s.next(at)
		return next, !more, true
	}
	return at, false, false
}

func (s *session) keys(at place) string {
	_, more := s.next(at)
	switch {
	case at.lesson < 0:
		return s.o.say("keys first", len(s.lessons))
	case s.kindAt(at) == predictPage:
		return s.o.say("keys guess", len(s.lessons[at.lesson].Predict.Answers))
	case !more:
		return s.o.say("keys last")
	}
	return s.o.say("keys")
}

func (s *session) kindAt(at place) kind { return pagesOf(s.o)[at.page] }

// next is the following page; false after the last.
func (s *session) next(at place) (place, bool) {
	if at.lesson >= 0 && at.page+1 < len(pagesOf(s.o)) {
		return place{at.lesson, at.page + 1}, true
	}
	return place{lesson: at.lesson + 1}, at.lesson+1 < len(s.lessons)
}

// back is the previous page; before the first lesson it is the list.
func (s *session) back(at place) place {
	switch {
	case at.page > 0:
		return place{at.lesson, at.page - 1}
	case at.lesson > 0:
		return place{at.lesson - 1, len(pagesOf(s.o)) - 1}
	}
	return place{lesson: -1}
}

// page prints a page. A lesson is played when it is first shown.
func (s *session) page(ctx context.Context, at place) error {
	c := newCanvas(s.o)
	if at.lesson < 0 {
		s.list(c)
		explainTerms(c, s.first, at)
		return s.flush(c)
	}
	if s.shows[at.lesson] == nil {
		played, err := perform(ctx, s.lessons[at.lesson], s.o.Seed)
		if err != nil {
			return err
		}
		s.shows[at.lesson] = played
	}
	k := s.kindAt(at)
	s.seen[at.lesson] = s.seen[at.lesson] || k >= runPage
	s.shows[at.lesson].write(c, k, len(s.lessons))
	if !s.o.Quiet {
		explainTerms(c, s.first, at)
	}
	return s.flush(c)
}

// flush prints a canvas after an empty line.
func (s *session) flush(c *canvas) error {
	_, err := fmt.Fprint(s.o.Out, "\n"+c.String())
	return err
}

func (s *session) list(c *canvas) {
	c.title(s.o.say("heading", len(s.lessons)))
	c.Gap()
	c.prose(s.o.say("about"))
	c.Gap()
	for _, l := range s.lessons {
		c.Line(margin + fmt.Sprintf("%2d  ", l.Number) + c.Paint(ink.Bold, c.Pad(l.Name, 17)) + l.Title.In(s.o.Language))
	}
}

// linesOf reads lines in the background, so that the tour can be interrupted while it waits for a
// key. The channel is closed at the end of the input.
func linesOf(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(in); scanner.Scan(); {
			select {
			case lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}
