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

// Tail reads a file that grows, until its context ends: then it is at its end. A file that was
// rotated is read to its end, and after it the one that now has its name; one that was truncated is
// read from its beginning. Both are told. What was written to a file between two looks and then
// truncated is lost: that is what Missing says.
type Tail struct {
	ctx     context.Context
	path    string
	file    *os.File
	wait    func(context.Context) // until it is time to look again
	tell    func(say.Phrase)
	at      int64 // how far the file was read
	last    byte  // what was read last
	missing say.Phrase
}

// Follow opens a file to follow. tell is told what happens to it.
func Follow(ctx context.Context, path string, tell func(say.Phrase)) (*Tail, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &Tail{ctx: ctx, path: path, file: f, wait: lookAgain, tell: tell, last: '\n'}, nil
}

// lookAgain waits a moment. Looking now and then works on every file system, as no notice does.
func lookAgain(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(200 * time.Millisecond):
	}
}

// Close closes the file.
func (t *Tail) Close() error { return t.file.Close() }

// Missing says what could not be read; it is empty when all was read.
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
		if n, err := t.read(p); n > 0 || err != nil { // written until it was rotated
			next.Close()
			return n, err
		}
		t.file.Close()
		t.file, t.at = next, 0
		t.tell(say.LogRotated.With(say.Verbatim(t.path)))
		if t.last != '\n' { // the end of a line that will never be written
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

// renewed opens the file that has taken the place of the one that is read; nil when none has. One that
// was truncated is read from its beginning.
func (t *Tail) renewed() (*os.File, error) {
	now, err := os.Stat(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // between two names
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
		t.tell(t.missing)
		t.at = 0
		_, err := t.file.Seek(0, io.SeekStart)
		return nil, err
	}
	return nil, nil
}
