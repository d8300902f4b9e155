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
)

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
func Open(name string, w *Work, shards int) (*Results, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	r, err := begin(f, w, shards)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

func begin(f *os.File, w *Work, shards int) (*Results, error) {
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() { // a device keeps nothing, and may have no end
		return nil, cmp.Or(err, fmt.Errorf("%s is no regular file: name another one", f.Name()))
	}
	if err := lock(f); err != nil {
		return nil, fmt.Errorf("%s: another process writes into it (%w): wait for its end, or name another file", f.Name(), err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	r, size, err := look(f.Name(), data, w, shards)
	if err != nil {
		return nil, err
	}
	r.open, r.size = f, size
	if size == int64(len(data)) {
		return r, nil
	}
	return r, f.Truncate(size)
}

// store appends a result to the file, if there is one. After an error the file is unchanged.
func (r *Results) store(l *Line) error {
	if r.open == nil {
		return nil
	}
	data := l.Store()
	if r.size == 0 {
		data = append(r.header(), data...)
	}
	end, err := r.open.Seek(0, io.SeekEnd)
	if err == nil && end != r.size {
		return fmt.Errorf("%s: another process has written into it: give the command again, and let one at a time write there", r.open.Name())
	}
	if err == nil {
		_, err = r.open.Write(data)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("the result of %s cannot be kept (earlier results are): %w", l.Key, err), r.open.Truncate(r.size))
	}
	r.size += int64(len(data))
	return nil
}

// Close closes the file, if there is one.
func (r *Results) Close() error {
	if r.open == nil {
		return nil
	}
	return r.open.Close()
}
