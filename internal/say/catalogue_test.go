package say

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/measurements"
)

var (
	// asked matches what templates of pages and code ask for by its English.
	asked = regexp.MustCompile(`(?:say\.Text\(|\{\{say |\{\{of \S+ )("(?:[^"\\]|\\.)*")`)
	// made matches a template that code makes.
	made = regexp.MustCompile(`\bNew[0-5](?:\[[^\]]*\])?\(\s*("(?:[^"\\\n]|\\.)*"(?:\s*\+\s*"(?:[^"\\\n]|\\.)*")*)`)
	// parts are those of a template, which no translation changes.
	parts = regexp.MustCompile(`\{[^}]*\}`)
	// literal matches a string of Go, or a text of a page.
	literal = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"(?:\s*\+\s*"(?:[^"\\\n]|\\.)*")*`)
	// told matches a story of a measured library.
	told    = regexp.MustCompile(`"text": *("(?:[^"\\]|\\.)*")`)
	part    = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	message = regexp.MustCompile(`(?m)^(?:msgctxt ("(?:[^"\\]|\\.)*")\n)?msgid ("(?:[^"\\]|\\.)*")\nmsgstr ("(?:[^"\\]|\\.)*")$`)
)

// What a page or a terminal asks for has a translation, and no translation is left behind.
func TestTheCatalogueIsWhole(t *testing.T) {
	literals := map[string]bool{}
	var all strings.Builder
	look := func(path string, d fs.DirEntry, err error) error {
		if d.IsDir() && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if ext := filepath.Ext(path); err != nil || ext != ".go" && ext != ".html" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		all.Write(data)
		for _, m := range literal.FindAll(data, -1) {
			whole := ""
			for _, p := range part.FindAll(m, -1) {
				text, _ := strconv.Unquote(string(p))
				literals[text] = true
				whole += text
			}
			literals[whole] = true
		}
		for _, m := range asked.FindAllSubmatch(data, -1) {
			if text, err := strconv.Unquote(string(m[1])); err != nil || translated(Chinese, text) == text && words(text) {
				t.Errorf("%s: no Chinese for %s (%v)", path, m[1], err)
			}
		}
		for _, m := range made.FindAllSubmatch(data, -1) {
			text := ""
			for _, p := range part.FindAll(m[1], -1) {
				one, _ := strconv.Unquote(string(p))
				text += one
			}
			if translated(Chinese, text) == text && words(parts.ReplaceAllString(text, "")) {
				t.Errorf("%s: no entry in internal/say/zh.po for the template %q", path, text)
			}
		}
		return err
	}
	for _, dir := range []string{"../../internal", "../../cmd"} {
		must.Do(t, filepath.WalkDir(dir, look))
	}
	libraries := must.Get(measurements.Libraries())(t)
	for _, m := range told.FindAllSubmatch(bytes.Join(libraries, nil), -1) {
		text, _ := strconv.Unquote(string(m[1]))
		if literals[text] = true; translated(Chinese, text) == text {
			t.Errorf("no Chinese for %q, a story of a library", text)
		}
	}
	messages := message.FindAllSubmatch(chinese, -1)
	if entries := strings.Count(string(chinese), "\nmsgid \""); len(messages) != entries || entries < 1000 {
		t.Fatalf("%d of %d entries can be read", len(messages), entries)
	}
	seen := map[string]bool{}
	for _, m := range messages[1:] { // the first is the head
		english, err1 := strconv.Unquote(string(m[2]))
		said, err2 := strconv.Unquote(string(m[3]))
		key := string(m[1]) + english
		switch {
		case err1 != nil || err2 != nil || said == "" || said == english:
			t.Errorf("%s is %s", m[2], m[3])
		case seen[key]:
			t.Errorf("%s occurs twice", m[2])
		case !literals[english] && !composed[english] && !strings.Contains(all.String(), strconv.Quote(english)):
			t.Errorf("no code says %s any more", m[2])
		case m[1] == nil && translated(Chinese, english) != said:
			t.Errorf("%s is read as %q", m[2], translated(Chinese, english))
		}
		seen[key] = true
	}
}

// composed are texts that code puts together, or that are the words of histories and plans.
var composed = map[string]bool{
	"a MySQL database": true, "a PostgreSQL database": true, "one MySQL server": true, "one PostgreSQL server": true,
}
