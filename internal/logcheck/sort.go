package logcheck

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// sorter puts any number of events into the order of time: sorted chunks go to files, which are
// merged. The files have no names any more once they are open, so nothing is left of them however
// the program ends.
type sorter struct {
	dir    string // "": that of the system for temporary files
	names  names
	events []Event
	bytes  int // that the events take, about
	chunks []*os.File
}

// Limits of a sorter: memory for one chunk, and files that are open at once.
const (
	chunkBytes = 48 << 20
	maxChunks  = 128
)

// eventBytes is what an event takes besides its names.
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
	s.sort()
	i := 0
	err := s.write(func() (*Event, error) {
		if i == len(s.events) {
			return nil, io.EOF
		}
		i++
		return &s.events[i-1], nil
	})
	if err != nil {
		return err
	}
	s.events, s.bytes = s.events[:0], 0
	if len(s.chunks) < maxChunks {
		return nil
	}
	next, err := s.merge()
	if err != nil {
		return err
	}
	merged := s.chunks
	s.chunks = nil
	defer closeAll(merged)
	return s.write(next)
}

func (s *sorter) sort() {
	slices.SortFunc(s.events, func(a, b Event) int { return compare(&a, &b) })
}

// write adds a chunk of events that come in order.
func (s *sorter) write(next func() (*Event, error)) (err error) {
	f, err := os.CreateTemp(s.dir, "simulate-sort-")
	if err != nil {
		return err
	}
	s.chunks = append(s.chunks, f)
	_ = os.Remove(f.Name()) // where an open file keeps its name, the next start of the machine removes it
	out := bufio.NewWriterSize(f, 256<<10)
	var record []byte
	for {
		e, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		record = appendEvent(record[:0], e)
		if _, err := out.Write(record); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

// each calls f for all events in their order.
func (s *sorter) each(f func(*Event) error) error {
	s.sort()
	next := func() (*Event, error) { return nil, io.EOF }
	if len(s.chunks) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
		var err error
		if next, err = s.merge(); err != nil {
			return err
		}
	}
	for i := range s.events {
		if err := f(&s.events[i]); err != nil {
			return err
		}
	}
	for {
		e, err := next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = f(e)
		}
		if err != nil {
			return err
		}
	}
}

func (s *sorter) close() { closeAll(s.chunks) }

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// merge returns the events of all chunks in order, one by one; io.EOF behind the last one. An event is good until
// the next call.
func (s *sorter) merge() (func() (*Event, error), error) {
	var q chunkQueue
	for _, f := range s.chunks {
		c := &chunk{in: bufio.NewReaderSize(f, 64<<10), names: s.names}
		if err := c.next(); err == nil {
			q = append(q, c)
		} else if err != io.EOF {
			return nil, err
		}
	}
	heap.Init(&q)
	var current *chunk
	return func() (*Event, error) {
		if current != nil {
			switch err := current.next(); {
			case err == io.EOF:
				heap.Pop(&q)
			case err != nil:
				return nil, err
			default:
				heap.Fix(&q, 0)
			}
		}
		if len(q) == 0 {
			return nil, io.EOF
		}
		current = q[0]
		return &current.event, nil
	}, nil
}

// chunk is a sorted file that is being read.
type chunk struct {
	in    *bufio.Reader
	event Event
	names names
	text  []byte
}

// appendEvent writes an event.
func appendEvent(to []byte, e *Event) []byte {
	to = binary.AppendVarint(to, e.At)
	to = binary.AppendVarint(to, e.Line)
	to = binary.AppendVarint(to, e.Token)
	to = binary.AppendVarint(to, int64(e.Lease))
	to = binary.LittleEndian.AppendUint64(to, e.Sum)
	shared := byte(0)
	if e.Shared {
		shared = 1
	}
	to = append(to, byte(e.Kind), byte(e.Fine), shared)
	for _, name := range [...]string{e.Client, e.Lock} {
		to = binary.AppendUvarint(to, uint64(len(name)))
		to = append(to, name...)
	}
	return to
}

// next reads what appendEvent has written.
func (c *chunk) next() error {
	at, err := binary.ReadVarint(c.in)
	if err != nil {
		return err
	}
	line, err1 := binary.ReadVarint(c.in)
	token, err2 := binary.ReadVarint(c.in)
	lease, err3 := binary.ReadVarint(c.in)
	var fixed [11]byte
	_, err4 := io.ReadFull(c.in, fixed[:])
	client, err5 := c.name()
	lock, err6 := c.name()
	c.event = Event{
		At: at, Line: line, Token: token, Client: client, Lock: lock, Lease: time.Duration(lease), Sum: binary.LittleEndian.Uint64(fixed[:8]),
		Kind: Kind(fixed[8]), Fine: int8(fixed[9]), Shared: fixed[10] == 1,
	}
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return fmt.Errorf("a file of sorted lines cannot be read back: %w", err)
	}
	return nil
}

func (c *chunk) name() (string, error) {
	n, err := binary.ReadUvarint(c.in)
	if err != nil || n > maxName {
		return "", errors.Join(err, io.ErrUnexpectedEOF)
	}
	c.text = slices.Grow(c.text[:0], int(n))[:n]
	if _, err := io.ReadFull(c.in, c.text); err != nil || n == 0 {
		return "", err
	}
	return c.names.of(c.text), nil
}

// chunkQueue is a heap of chunks by their next events.
type chunkQueue []*chunk

func (q chunkQueue) Len() int           { return len(q) }
func (q chunkQueue) Less(i, k int) bool { return compare(&q[i].event, &q[k].event) < 0 }
func (q chunkQueue) Swap(i, k int)      { q[i], q[k] = q[k], q[i] }
func (q *chunkQueue) Push(c any)        { *q = append(*q, c.(*chunk)) }
func (q *chunkQueue) Pop() any {
	last := len(*q) - 1
	c := (*q)[last]
	*q = (*q)[:last]
	return c
}
