package logcheck

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/say"
)

// A file is followed while it grows, is rotated and is truncated. Each step happens when the reader has nothing more to
// read and would wait.
func TestAFileIsFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	write := func(flag int, text string) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flag, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	rename := func() {
		if err := os.Rename(path, path+".1"); err != nil {
			t.Fatal(err)
		}
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
	tail, err := Follow(ctx, path, func(p say.Phrase) { said = append(said, p) })
	if err != nil {
		t.Fatal(err)
	}
	defer tail.Close()
	tail.wait = func(context.Context) {
		if len(steps) == 0 {
			t.Fatal("it waits although it was stopped")
		}
		steps[0]()
		steps = steps[1:]
	}
	got, err := io.ReadAll(tail)
	if err != nil {
		t.Fatal(err)
	}
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
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		create(text)
		ctx, stop := context.WithCancel(context.Background())
		tail, err := Follow(ctx, path, func(say.Phrase) {})
		if err != nil {
			t.Fatal(err)
		}
		steps := []func(){
			func() {
				if err := os.Rename(path, path+".1"); err != nil {
					t.Fatal(err)
				}
				create("three\n")
			},
			stop,
		}
		tail.wait = func(context.Context) {
			steps[0]()
			steps = steps[1:]
		}
		if _, err := io.ReadAll(tail); err != nil {
			t.Fatal(err)
		}
		if missing := tail.Missing(); missing.Is(say.LogRotatedCut) != cut || missing.Empty() == cut {
			t.Errorf("%q: missing %q", text, missing.English())
		}
		if err := tail.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
