package main

import (
	"bytes"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"lockstep/internal/docs"
	"lockstep/internal/must"
)

// freshReference is the reference as this program writes it.
var freshReference = sync.OnceValues(func() ([]docs.Page, error) {
	plans, err := repositoryPlans("../..")
	if err != nil {
		return nil, err
	}
	return reference(plans, "../..", "../../docs")
})

func referencePages(t *testing.T) []docs.Page {
	t.Helper()
	return must.Get(freshReference())(t)
}

// The committed reference is what the program writes.
func TestDocsAreUpToDate(t *testing.T) {
	const cure = "run go run ./cmd/simulate dev docs"
	pages := referencePages(t)
	stale := 0
	for _, p := range pages {
		have, err := os.ReadFile(filepath.Join("../../docs", p.Path))
		if err == nil && bytes.Equal(have, p.Data) {
			continue
		}
		if stale++; stale <= 5 {
			t.Errorf("docs/%s is missing or stale: %s", p.Path, cure)
		}
	}
	if stale > 5 {
		t.Errorf("and %d more", stale-5)
	}
	for _, path := range must.Get(stalePages("../../docs", pages))(t) {
		t.Errorf("%s is about something that is gone: %s", path, cure)
	}
}

var links = regexp.MustCompile(`\]\(([^)]*)\)`)

// Every link of the reference leads to a page or to a file.
func TestLinksOfTheDocsLeadSomewhere(t *testing.T) {
	pages := referencePages(t)
	known := map[string]bool{}
	for _, p := range pages {
		known[path.Join("docs", p.Path)] = true
	}
	followed := 0
	for _, p := range pages {
		for _, m := range links.FindAllStringSubmatch(string(p.Data), -1) {
			to, err := url.PathUnescape(m[1])
			if err != nil || strings.Contains(to, "://") {
				continue
			}
			followed++
			if page, anchor, ok := strings.Cut(to, "#"); ok {
				to = page
				if target := path.Join(path.Dir(p.Path), page); !hasHeading(pages, target, anchor) {
					t.Errorf("docs/%s links to a heading %s of %s, which is not there", p.Path, anchor, page)
				}
			}
			to = path.Join("docs", path.Dir(p.Path), to)
			if known[to] {
				continue
			}
			if _, err := os.Stat(filepath.Join("../..", to)); err != nil {
				t.Errorf("docs/%s links to %s, which is not there", p.Path, to)
			}
		}
	}
	if followed < 500 {
		t.Errorf("only %d links were followed", followed)
	}
}

// hasHeading reports whether a page has the heading that an anchor stands for.
func hasHeading(pages []docs.Page, of, anchor string) bool {
	for _, p := range pages {
		if p.Path != of {
			continue
		}
		for line := range strings.Lines(string(p.Data)) {
			if words, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimSpace(line), "#"), " "); ok && line[0] == '#' &&
				strings.ToLower(strings.ReplaceAll(words, " ", "-")) == anchor {
				return true
			}
		}
	}
	return false
}

// The pages depend on neither home directory nor number of cores. (Those of two times are the same: see
// TestDocsAreUpToDate.)
func TestDocsSayNothingOfThisMachine(t *testing.T) {
	for _, p := range referencePages(t) {
		if home, err := os.UserHomeDir(); err == nil && len(home) > 1 && bytes.Contains(p.Data, []byte(home)) {
			t.Errorf("docs/%s names the home directory", p.Path)
		}
		if p.Path == "commands.md" && !bytes.Contains(p.Data, []byte("(default one for each core)")) {
			t.Errorf("docs/%s says how many cores this machine has:\n%s", p.Path, p.Data)
		}
	}
}
