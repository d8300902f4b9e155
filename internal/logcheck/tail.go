package logcheck

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"lockstep/internal/say"
)

// Tail reads a growing file until its context ends. A rotated file is read to its end, followed by
// the file that now has its name; a truncated one is read from its beginning, and what was not read
// of it is lost.
type Tail struct {
	ctx     context.Context
	path    string
	file    *os.File
	wait    func(context.Context) // until the next poll
	notify  func(say.Phrase)
	at      int64 // bytes read of the file
	last    byte  // that was read
	missing say.Phrase
}

// Follow opens a file to follow. It calls notify when the file is rotated or truncated.
func Follow(ctx context.Context, path string, notify func(say.Phrase)) (*Tail, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &Tail{ctx: ctx, path: path, file: f, wait: awaitPoll, notify: notify, last: '\n'}, nil
}

// awaitPoll waits for the next poll. Polling works on every file system, unlike notifications.
func awaitPoll(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(200 * time.Millisecond):
	}
}

// Close closes the file.
func (t *Tail) Close() error { return t.file.Close() }

// Missing says what could not be read; it is empty when nothing is missing.
func (t *Tail) Missing() say.Phrase { return t.missing }

// Read implements io.Reader.
func (t *Tail) Read(p []byte) (int, error) {
	for t.ctx.Err() == nil {
		n, err := t.read(p)
		if n > 0 || err != nil {
			return n, err
		}
		next, err := t.renewed()
		if err != nil {
			return 0, err
		}
		if next == nil {
			t.wait(t.ctx)
			continue
		}
		if n, err := t.read(p); n > 0 || err != nil { // written just before the rotation
			next.Close()
			return n, err
		}
		t.file.Close()
		t.file, t.at = next, 0
		t.notify(say.LogRotated.With(say.Verbatim(t.path)))
		if t.last != '\n' { // end an incomplete line, which may look like a whole one
			t.missing = say.LogRotatedCut.With(say.Verbatim(t.path))
			t.last = '\n'
			p[0] = '\n'
			return 1, nil
		}
	}
	return 0, io.EOF
}

func (t *Tail) read(p []byte) (int, error) {
	n, err := t.file.Read(p)
	if n > 0 {
		t.at += int64(n)
		t.last = p[n-1]
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// renewed opens the file that has replaced this one; nil for none. It rewinds a truncated file.
func (t *Tail) renewed() (*os.File, error) {
	now, err := os.Stat(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // in the middle of a rotation
	}
	if err != nil {
		return nil, err
	}
	own, err := t.file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !os.SameFile(own, now):
		f, err := os.Open(t.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return f, err
	case now.Size() < t.at:
		t.missing = say.LogTruncated.With(say.Verbatim(t.path), say.Number(t.at))
		t.notify(t.missing)
		t.at = 0
		_, err := t.file.Seek(0, io.SeekStart)
		return nil, err
	}
	return nil, nil
}
