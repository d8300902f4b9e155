package logcheck

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/say"
)

// A file is followed while it grows, is rotated and is truncated. Each step happens when the reader has nothing more to
// read and would wait.
func TestAFileIsFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	write := func(flag int, text string) {
		f := must.Get(os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flag, 0o600))(t)
		defer f.Close()
		must.Get(f.WriteString(text))(t)
	}
	rename := func() {
		must.Do(t, os.Rename(path, path+".1"))
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	steps := []func(){
		func() { write(os.O_APPEND, "two\n") },
		func() { write(os.O_APPEND, "th") },
		func() { write(os.O_APPEND, "ree\n") },
		rename, // and for a moment no file has the name
		func() { write(os.O_APPEND, "four\nfi") },
		func() { // written to the old one until the last moment
			rename()
			write(os.O_APPEND, "six\n")
		},
		func() { write(os.O_TRUNC, "7\n") },
		func() { write(os.O_APPEND, "eight\n") },
		stop,
	}
	write(0, "one\n")
	var said []say.Phrase
	tail := must.Get(Follow(ctx, path, func(p say.Phrase) { said = append(said, p) }))(t)
	defer tail.Close()
	tail.wait = func(context.Context) {
		if len(steps) == 0 {
			t.Fatal("it waits although it was stopped")
		}
		steps[0]()
		steps = steps[1:]
	}
	got := must.Get(io.ReadAll(tail))(t)
	if want := "one\ntwo\nthree\nfour\nfi\nsix\n7\neight\n"; string(got) != want {
		t.Errorf("read %q, want %q", got, want)
	}
	var kinds []string
	for _, p := range said {
		switch {
		case p.Is(say.LogRotated):
			kinds = append(kinds, "rotated")
		case p.Is(say.LogTruncated):
			kinds = append(kinds, "truncated")
		}
	}
	if strings.Join(kinds, " ") != "rotated rotated truncated" || tail.missing.Empty() {
		t.Errorf("said %q, missing: %v", kinds, tail.missing)
	}
}

// A line that a rotation leaves incomplete may look like a whole one, so it is reported.
func TestARotationCutsALine(t *testing.T) {
	for text, cut := range map[string]bool{"one\n": false, "one\ntw": true} {
		path := filepath.Join(t.TempDir(), "log")
		create := func(text string) {
			must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		}
		create(text)
		ctx, stop := context.WithCancel(context.Background())
		tail := must.Get(Follow(ctx, path, func(say.Phrase) {}))(t)
		steps := []func(){
			func() {
				must.Do(t, os.Rename(path, path+".1"))
				create("three\n")
			},
			stop,
		}
		tail.wait = func(context.Context) {
			steps[0]()
			steps = steps[1:]
		}
		must.Get(io.ReadAll(tail))(t)
		if missing := tail.Missing(); missing.Is(say.LogRotatedCut) != cut || missing.Empty() == cut {
			t.Errorf("%q: missing %q", text, missing.English())
		}
		must.Do(t, tail.Close())
	}
}
