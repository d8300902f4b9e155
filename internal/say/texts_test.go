package say

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// asked matches what templates and code ask for by name.
var asked = regexp.MustCompile(`(?:say\.Text\(|\{\{say |\{\{of \S+ )("(?:[^"\\]|\\.)*")`)

// What a page or a terminal asks for has a translation, and no translation is left behind.
func TestTextsAreAskedFor(t *testing.T) {
	var all strings.Builder
	look := func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		if d.IsDir() && (name == "testdata" || name == "say") {
			return filepath.SkipDir
		}
		if ext := filepath.Ext(name); err != nil || ext != ".go" && ext != ".html" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		all.Write(data)
		for _, m := range asked.FindAllSubmatch(data, -1) {
			text, err := strconv.Unquote(string(m[1]))
			if _, known := texts[text]; err != nil || !known && words(text) {
				t.Errorf("%s: no Chinese for %s (%v)", path, m[1], err)
			}
		}
		return err
	}
	for _, dir := range []string{"../../internal", "../../cmd"} {
		if err := filepath.WalkDir(dir, look); err != nil {
			t.Fatal(err)
		}
	}
	for text := range texts {
		if !strings.Contains(all.String(), strconv.Quote(text)) && !asWords[text] {
			t.Errorf("nobody asks for %q any more", text)
		}
	}
}

// asWords are texts that are asked for by the words of histories and plans, which have names there.
var asWords = map[string]bool{
	"client": true, "resource": true, "sentinel": true, "replica": true, "reads and writes": true, "writes": true, "certain": true, "possible": true,
}
