package logcheck

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"slices"
)

// sorter sorts any number of events by time: it writes sorted chunks to files, and merges them.
type sorter struct {
	dir    string // "": the system's temporary folder
	events []Event
	bytes  int // approximate size of the events
	chunks []*os.File
}

// Limits of a sorter: memory for one chunk, and open files.
const (
	chunkBytes = 48 << 20
	maxChunks  = 128
)

// eventBytes is the size of an event without its names.
const eventBytes = 104

func (s *sorter) add(e *Event) error {
	s.events = append(s.events, *e)
	if s.bytes += eventBytes + len(e.Client) + len(e.Lock); s.bytes < chunkBytes {
		return nil
	}
	return s.spill()
}

// spill writes the events in memory to a file.
func (s *sorter) spill() error {
	if err := s.write(s.inMemory); err != nil {
		return err
	}
	s.events, s.bytes = s.events[:0], 0
	if len(s.chunks) < maxChunks {
		return nil
	}
	full := &sorter{chunks: s.chunks}
	s.chunks = nil
	defer full.close()
	return s.write(full.merge)
}

// inMemory calls put for the events that are not in files, in their order.
func (s *sorter) inMemory(put func(*Event) error) error {
	slices.SortFunc(s.events, func(a, b Event) int { return compare(&a, &b) })
	for i := range s.events {
		if err := put(&s.events[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *sorter) write(all func(put func(*Event) error) error) error {
	f, err := os.CreateTemp(s.dir, "simulate-sort-")
	if err != nil {
		return err
	}
	s.chunks = append(s.chunks, f)
	_ = os.Remove(f.Name()) // while it is open, so none is left however the program ends; fails on Windows
	out := bufio.NewWriterSize(f, 256<<10)
	records := gob.NewEncoder(out)
	if err := all(func(e *Event) error { return records.Encode(e) }); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

func (s *sorter) each(f func(*Event) error) error {
	if len(s.chunks) == 0 {
		return s.inMemory(f)
	}
	if err := s.spill(); err != nil {
		return err
	}
	return s.merge(f)
}

func (s *sorter) close() {
	for _, f := range s.chunks {
		f.Close()
	}
}

// merge calls f for the events of all chunks in their order. An event is valid until the next one.
func (s *sorter) merge(f func(*Event) error) error {
	var q []*chunk // in the order of their events
	next := func(c *chunk) error {
		c.Event = Event{} // gob omits zero fields
		switch err := c.in.Decode(&c.Event); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("a file of sorted lines cannot be read back: %w", err)
		}
		at, _ := slices.BinarySearchFunc(q, c, func(a, b *chunk) int { return compare(&a.Event, &b.Event) })
		q = slices.Insert(q, at, c)
		return nil
	}
	for _, file := range s.chunks {
		if err := next(&chunk{in: gob.NewDecoder(bufio.NewReaderSize(file, 64<<10))}); err != nil {
			return err
		}
	}
	for len(q) > 0 {
		c := q[0]
		if err := f(&c.Event); err != nil {
			return err
		}
		q = q[1:]
		if err := next(c); err != nil {
			return err
		}
	}
	return nil
}

type chunk struct {
	in *gob.Decoder
	Event
}
