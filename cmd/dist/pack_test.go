package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
)

var (
	packed = []file{{"README.md", []byte("read me"), false}, {"simulate", []byte("a program"), true}}
	made   = time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
)

// Archives hold their files, with the time of the commit, and are reproducible.
func TestArchivesHoldWhatIsPacked(t *testing.T) {
	data, err := tarred("lockstep-1", packed, made)
	again, errAgain := tarred("lockstep-1", packed, made)
	if err != nil || errAgain != nil || !bytes.Equal(data, again) {
		t.Fatal("an archive differs from itself", err, errAgain)
	}
	plain := must.Get(gzip.NewReader(bytes.NewReader(data)))(t)
	r := tar.NewReader(plain)
	for i, mode := range []int64{0o644, 0o755} {
		h := must.Get(r.Next())(t)
		text, _ := io.ReadAll(r)
		if h.Name != "lockstep-1/"+packed[i].name || h.Mode != mode || !h.ModTime.Equal(made) || h.Uid != 0 || string(text) != string(packed[i].data) {
			t.Errorf("%+v holds %q", h, text)
		}
	}
	data = must.Get(zipped("lockstep-1", packed, made))(t)
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(z.File) != 2 || z.File[1].Name != "lockstep-1/simulate" || !z.File[0].Modified.Equal(made) {
		t.Errorf("%v, %v", z.File, err)
	}
}

// scripts/cross compiles for each system and each processor that has an archive; linux/amd64 runs
// the tests.
func TestEachSystemIsCompiled(t *testing.T) {
	script := must.Get(os.ReadFile("../../scripts/cross"))(t)
	for _, s := range targets {
		if s.goos != "linux" && !strings.Contains(string(script), s.goos+"/") || s.goarch != "amd64" && !strings.Contains(string(script), "/"+s.goarch) {
			t.Errorf("scripts/cross does not compile for %s or %s", s.goos, s.goarch)
		}
	}
}
