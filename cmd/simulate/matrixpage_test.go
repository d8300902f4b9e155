package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"lockstep/internal/campaign/matrix"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/report/matrixpage"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
)

// pageOf measures a small matrix and returns its page, followed by the pages of evidence.
func pageOf(t *testing.T, jobs int, scale string) []byte { return pageIn(t, say.English, jobs, scale) }

func pageIn(t *testing.T, l say.Language, jobs int, scale string) []byte {
	t.Helper()
	f := &matrixFlags{cellFlags: cellFlags{globals: &globals{language: l}, jobs: jobs, backend: sim.Backend, scale: scale}, seeds: 8}
	scalePPM := must.Get(parseScale(scale))(t)
	o := matrix.Options{Seeds: f.seeds, Jobs: jobs, Backend: sim.Backend, ScalePPM: scalePPM, Worlds: func() run.World { return sim.New() }}
	for _, id := range []string{"zk-ephemeral", "redlock", "set-nx-ex-del", "setnx-timestamp-del"} {
		v, ok := locks.Lookup(id)
		if !ok {
			t.Fatal(id)
		}
		o.Locks = append(o.Locks, v)
	}
	for _, code := range []string{"N0", "CC", "GP", "SB", "SX"} {
		c, ok := matrix.Lookup(code)
		if !ok {
			t.Fatal(code)
		}
		o.Columns = append(o.Columns, c)
	}
	m := must.Get(matrix.Measure(context.Background(), o))(t)
	f.out = filepath.Join(t.TempDir(), "new")
	path := must.Get(f.save(context.Background(), m))(t)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	evidence := must.Get(filepath.Glob(filepath.Join(f.out, matrixpage.Folder, "*.html")))(t)
	var all []byte
	for _, path := range append([]string{path}, evidence...) {
		data := must.Get(os.ReadFile(path))(t)
		all = append(all, data...)
	}
	return all
}

// The Chinese page has no English except names, commands and files.
func TestNoEnglishIsLeftOnAMeasuredMatrix(t *testing.T) {
	page := pageIn(t, say.Chinese, 0, "1")
	for _, text := range reporttest.English(page) {
		t.Error(text)
	}
	for _, want := range []string{"<span>" + say.LibrariesByTheirCode.With().In(say.Chinese) + "</span>", `id="redsync"`, `id="bsm-redislock"`} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// The pages do not depend on the number of workers; the designs to choose from come first.
func TestMatrixPageIsStable(t *testing.T) {
	one, two := pageOf(t, 1, "1"), pageOf(t, 3, "1")
	if !bytes.Equal(one, two) {
		t.Error("the page differs between two measurements")
	}
	last := -1
	for _, name := range []string{"<span>Designs to choose from, the least harmed first</span>", "<small>redlock</small>", "<small>set-nx-ex-del</small>", "<span>Variants, and designs with a known defect</span>", "<small>zk-ephemeral</small>", "<small>redsync</small>"} {
		at := bytes.Index(one, []byte(name))
		if at <= last {
			t.Errorf("%s is at %d, after %d", name, at, last)
		}
		last = at
	}
}

var (
	savedFile = regexp.MustCompile(`(?s)--lock ([^ ]+) --seed ([0-9]+)(?: --scale ([0-9.]+))?</code></p>\n<pre tabindex="0">(.*?)</pre>\n<p class="hash">history hash <code>([0-9a-f]+)</code>`)
	resolved  = regexp.MustCompile(`(?m)^level: `) // only a file that leaves nothing open has this line
)

// The files and commands of the page give the histories with its hashes, for scripts and for random
// variations of them, at any scale.
func TestMatrixPageCanBePlayedAgain(t *testing.T) {
	for _, scale := range []string{"1", "0.3"} {
		t.Run("scale "+scale, func(t *testing.T) { playPageAgain(t, scale) })
	}
}

func playPageAgain(t *testing.T, scale string) {
	scripts, variations := 0, 0
	for _, found := range savedFile.FindAllStringSubmatch(string(pageOf(t, 0, scale)), -1) {
		text := html.UnescapeString(found[4])
		seed := must.Get(strconv.ParseUint(found[2], 10, 64))(t)
		p, err := scenario.Parse("saved.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if found[3] != "" { // as run does with --scale
			ppm := must.Get(parseScale(found[3]))(t)
			*p = p.Scaled(ppm)
		}
		w := sim.New()
		out := run.One(context.Background(), w, p, found[1], seed)
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		if sum := out.Judgement.History.Hash(); hex.EncodeToString(sum[:]) != found[5] {
			t.Errorf("%s: the page says %s, the file gives %x\n%s", found[1], found[5], sum, text)
		}
		w.Close()
		if resolved.MatchString(text) {
			variations++
		} else {
			scripts++
		}
	}
	if scripts == 0 || variations == 0 {
		t.Errorf("%d scripts and %d variations were played, want some of each", scripts, variations)
	}
}

// The command beside a run on real servers has backend and scale, since its file is not scaled.
func TestMatrixPageOfRealServers(t *testing.T) {
	f := &matrixFlags{cellFlags: cellFlags{globals: &globals{}, backend: "process", scale: "0.1"}}
	c := &matrix.Cell{Record: matrix.Record{Lock: "setnx", Worst: &matrix.Sighting{}}}
	if got, want := f.playAgain("setnx-GP.yaml", c), "simulate run setnx-GP.yaml --lock setnx --seed 1 --backend process --scale 0.1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
