package report

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The head of a page, with its policy, is in one file, and so is every rule of style.
func TestNothingOfAPageIsRepeated(t *testing.T) {
	files, err := filepath.Glob("*.html")
	if err != nil || len(files) < 7 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text := read(t, file)
		if file != "parts.html" && strings.Contains(text, "<meta") {
			t.Errorf("%s has a head of its own", file)
		}
	}
	styles, err := filepath.Glob("*.css")
	if err != nil || len(styles) < 7 {
		t.Fatal(styles, err)
	}
	rule := regexp.MustCompile(`[^{}]+\{[^{}]+\}`)
	seen := map[string]string{}
	for _, file := range styles {
		for _, r := range rule.FindAllString(read(t, file), -1) {
			r = strings.Join(strings.Fields(r), " ")
			if other := seen[r]; other != "" && other != file {
				t.Errorf("%s and %s both have %s", other, file, r)
			}
			seen[r] = file
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Every page may ask for nothing, and runs its own script or none.
func TestPolicies(t *testing.T) {
	const quiet = `content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"`
	const scripted = `content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"`
	for file, policy := range map[string]string{
		"report.html": scripted, "matrix.html": scripted, "index.html": scripted, "comparison.html": quiet, "sweep.html": quiet, "worlds.html": quiet,
	} {
		page := read(t, "testdata/"+file)
		if !strings.Contains(page, policy) {
			t.Errorf("%s lacks the policy %s", file, policy)
		}
		if strings.Contains(page, "<script") != (policy == scripted) {
			t.Errorf("%s has a script and may not run it, or none and may", file)
		}
	}
}

// A class that no rule and no script speaks of was forgotten, here or there.
func TestEveryClassHasAStyle(t *testing.T) {
	style := regexp.MustCompile(`(?s)<style>.*?</style>`)
	script := regexp.MustCompile(`(?s)<script.*?</script>`)
	class := regexp.MustCompile(`class="([^"]*)"`)
	word := regexp.MustCompile(`[\w-]+`)
	for _, file := range []string{"report", "matrix", "index", "comparison", "sweep", "worlds"} {
		page := read(t, "testdata/"+file+".html")
		known := map[string]bool{}
		for _, w := range word.FindAllString(style.FindString(page)+strings.Join(script.FindAllString(page, -1), " "), -1) {
			known[w] = true
		}
		body := script.ReplaceAllString(style.ReplaceAllString(page, ""), "")
		for _, m := range class.FindAllStringSubmatch(body, -1) {
			for name := range strings.FieldsSeq(m[1]) {
				if !known[name] {
					t.Errorf("%s: nothing styles class %q", file, name)
				}
			}
		}
	}
}
