package campaign

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Book is a file of results that new ones are appended to, each completely or not at all.
type Book struct {
	*Results
	mu   sync.Mutex
	f    *os.File // nil: in memory
	size int64    // of the complete lines; 0: the header is not written yet
}

// Look reads the results of a work from a file. There are none when there is no file, or when its
// writer was killed in the first line. ErrOther says that it has other results.
func Look(name string, w *Work, shards int) (*Results, error) {
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	r, _, err := look(name, data, w, shards)
	return r, err
}

// ErrOther is a file with the results of another work, or of one with other shards.
var ErrOther = errors.New("it has the results of something else")

// look also returns how many bytes are complete.
func look(name string, data []byte, w *Work, shards int) (*Results, int64, error) {
	none := NewResults(w, shards)
	none.file = name
	if h := none.header(); len(data) < len(h) && bytes.HasPrefix(h, data) {
		return none, 0, nil
	}
	r, err := Read(name, data)
	if err == nil && !r.Of(w, shards) {
		err = fmt.Errorf("%s: %w: %s: name another file", name, ErrOther,
			cmp.Or(r.Work.Differs(w), fmt.Sprintf("%d shards, not %d", r.Shards, shards)))
	}
	return r, int64(bytes.LastIndexByte(data, '\n') + 1), err
}

// Open opens the file of the results of a work, or creates it. An incomplete last line is removed.
// It has one writer at a time.
func Open(name string, w *Work, shards int) (*Book, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	b := &Book{f: f}
	if err := b.begin(w, shards); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return b, nil
}

func (b *Book) begin(w *Work, shards int) error {
	if info, err := b.f.Stat(); err != nil || !info.Mode().IsRegular() { // a device keeps nothing, and may have no end
		return cmp.Or(err, fmt.Errorf("%s is no regular file: name another one", b.f.Name()))
	}
	if err := lock(b.f); err != nil {
		return fmt.Errorf("%s: another process writes into it (%w): wait for its end, or name another file", b.f.Name(), err)
	}
	data, err := io.ReadAll(b.f)
	if err != nil {
		return err
	}
	if b.Results, b.size, err = look(b.f.Name(), data, w, shards); err != nil || b.size == int64(len(data)) {
		return err
	}
	return b.f.Truncate(b.size)
}

// InMemory is a book without a file that starts with some results; nil: with none, and its lines
// are for this process only.
func InMemory(r *Results) *Book {
	if r == nil {
		r = NewResults(&Work{}, 0)
	}
	return &Book{Results: r}
}

// Add stores the result of a unit. After an error the file is unchanged.
func (b *Book) Add(l *Line) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.f == nil || b.Results.Get(l.Key) != nil {
		return b.Put(l)
	}
	data := l.Store()
	if b.size == 0 {
		data = append(b.header(), data...)
	}
	end, err := b.f.Seek(0, io.SeekEnd)
	if err == nil && end != b.size {
		return fmt.Errorf("%s: another process has written into it: give the command again, and let one at a time write there", b.f.Name())
	}
	if err == nil {
		_, err = b.f.Write(data)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("the result of %s cannot be kept (earlier results are): %w", l.Key, err), b.f.Truncate(b.size))
	}
	b.size += int64(len(data))
	return b.Put(l)
}

// Keep stores the result of a unit, any JSON value. A nil Book keeps nothing.
func (b *Book) Keep(key string, result any) error {
	if b == nil {
		return nil
	}
	l, err := NewLine(b.Work, key, result)
	if err != nil {
		return err
	}
	return b.Add(l)
}

// Get returns the result of a unit; nil when it is unknown.
func (b *Book) Get(key string) *Line {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Results.Get(key)
}

// Lines returns all results in the order of their keys.
func (b *Book) Lines() []*Line {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Results.Lines()
}

// Close closes the file, if there is one.
func (b *Book) Close() error {
	if b.f == nil {
		return nil
	}
	return b.f.Close()
}
