package report

import (
	"crypto/sha256"
	"encoding/base64"
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

// Every page may ask for nothing, and runs its own script or none: the very text that the
// policy names by its hash.
func TestPolicies(t *testing.T) {
	const before, after = `content="default-src 'none'; style-src 'unsafe-inline'; `, `img-src data:; base-uri 'none'; form-action 'none'"`
	script := regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	for file, scripted := range map[string]bool{
		"report": true, "matrix": true, "index": true, "comparison": false, "sweep": false, "worlds": false,
	} {
		page := read(t, "testdata/"+file+".html")
		own := script.FindStringSubmatch(page)
		if (own != nil) != scripted {
			t.Errorf("%s: has a script: %v, want %v", file, own != nil, scripted)
			continue
		}
		policy := before + after
		if own != nil {
			sum := sha256.Sum256([]byte(own[1]))
			hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
			policy = before + "script-src " + hash + "; " + after
			if !strings.Contains(Policy(), hash) {
				t.Errorf("%s: a server does not let its script run: %s", file, Policy())
			}
		}
		if !strings.Contains(page, policy) {
			t.Errorf("%s lacks the policy %s", file, policy)
		}
	}
	if strings.Count(Policy(), "unsafe") != 1 || strings.Count(Policy(), "sha256-") != 4 {
		t.Errorf("the policy of all pages is %s", Policy())
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
