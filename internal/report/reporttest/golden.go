package reporttest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// Update makes tests rewrite golden files. A program has one flag of that name.
var Update = flag.Bool("update", false, "write the golden files again")

// Golden compares with a file below testdata. A page is kept without its style sheets and scripts:
// Page reads it whole.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path, page := filepath.Join("testdata", name), filepath.Ext(name) == ".html"
	kept := got
	if page {
		kept = fold(t, got)
	}
	if *Update {
		must.Do(t, os.WriteFile(path, kept, 0o644))
	}
	want := must.Get(os.ReadFile(path))(t)
	if !bytes.Equal(kept, want) {
		t.Errorf("%s differs; look at the change and run its test with -update", path)
	} else if page && !bytes.Equal(Page(t, path), got) {
		t.Errorf("%s, read whole, is another page", path)
	}
}

// Page reads a golden page, with the style sheets and scripts of today.
func Page(t *testing.T, path string) []byte {
	t.Helper()
	page := string(must.Get(os.ReadFile(path))(t))
	for _, a := range assets(t) {
		page = strings.ReplaceAll(page, a.name, a.text)
	}
	return []byte(strings.ReplaceAll(page, OwnHash, HashOf(page)))
}

// fold replaces style sheets and scripts by their names, and the hash of the page's script in its
// policy, if it is the right one, by a word.
func fold(t *testing.T, page []byte) []byte {
	t.Helper()
	text := strings.ReplaceAll(string(page), HashOf(string(page)), OwnHash)
	for _, a := range assets(t) {
		text = strings.ReplaceAll(text, a.text, a.name)
	}
	return []byte(text)
}

// OwnHash stands in a golden page for the hash of its script, if the page had the right one.
const OwnHash = "'the hash of its script'"

// HashOf returns the source of a page's script as its policy names it.
func HashOf(page string) string {
	_, script, _ := strings.Cut(page, "<script>")
	script, _, _ = strings.Cut(script, "</script>")
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// asset is a style sheet or a script, and its name in golden pages.
type asset struct{ name, text string }

// assets returns those of all pages, the longest first, as seen from a package of internal/report
// or beside it.
func assets(t *testing.T) (all []asset) {
	t.Helper()
	for _, pattern := range []string{"../*/*.css", "../*/*.js", "../report/*/*.css", "../report/*/*.js"} {
		for _, path := range must.Get(filepath.Glob(pattern))(t) {
			text := strings.TrimSpace(string(must.Get(os.ReadFile(path))(t)))
			all = append(all, asset{"{{" + filepath.Base(path) + "}}", text})
		}
	}
	if len(all) < 8 {
		t.Fatalf("%d style sheets and scripts found", len(all))
	}
	slices.SortFunc(all, func(a, b asset) int { return len(b.text) - len(a.text) })
	return all
}

// WantLines compares lists, a line for each element.
func WantLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("%s:\n%s\nwant:\n%s", what, g, w)
	}
}

// Has demands texts in a page; Lacks forbids them.
func Has[T string | []byte](t *testing.T, page T, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(string(page), want) {
			t.Errorf("%q is not in:\n%.4000s", want, page)
		}
	}
}

func Lacks[T string | []byte](t *testing.T, page T, nevers ...string) {
	t.Helper()
	for _, never := range nevers {
		if strings.Contains(string(page), never) {
			t.Errorf("%q is in:\n%.4000s", never, page)
		}
	}
}
