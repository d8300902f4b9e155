package page_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/must"
	"lockstep/internal/report/bundle"
	_ "lockstep/internal/report/explorepage" // these four have scripts
	_ "lockstep/internal/report/indexpage"
	_ "lockstep/internal/report/matrixpage"
	"lockstep/internal/report/page"
	"lockstep/internal/report/reporttest"
	_ "lockstep/internal/report/runpage"
	"lockstep/internal/say"
)

// The head of pages with its policy is in one file, and so is each rule of style.
func TestNothingOfAPageIsRepeated(t *testing.T) {
	files, err := filepath.Glob("../*/*.html")
	if err != nil || len(files) < 13 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text := read(t, file)
		if file != "../page/parts.html" && strings.Contains(text, "<meta") {
			t.Errorf("%s has a head of its own", file)
		}
	}
	styles, err := filepath.Glob("../*/*.css")
	if err != nil || len(styles) < 8 {
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
	return string(must.Get(os.ReadFile(file))(t))
}

// No page may make requests, and the only script that may run is its own, which the policy names by
// its hash.
func TestPolicies(t *testing.T) {
	const before, after = `content="default-src 'none'; style-src 'unsafe-inline'; `, `img-src data:; base-uri 'none'; form-action 'none'"`
	script := regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	for file, scripted := range map[string]bool{
		"runpage/testdata/report": true, "matrixpage/testdata/matrix": true, "indexpage/testdata/index": true,
		"compare/testdata/comparison": false, "sweeppage/testdata/sweep": false, "worldspage/testdata/worlds": false,
	} {
		drawn, whole := read(t, "../"+file+".html"), string(reporttest.Page(t, "../"+file+".html"))
		if script.MatchString(drawn) != scripted {
			t.Errorf("%s: has a script: %v, want %v", file, !scripted, scripted)
			continue
		}
		policy := before + after
		if scripted {
			policy = before + "script-src " + reporttest.OwnHash + "; " + after
			if !strings.Contains(page.Policy(), reporttest.HashOf(whole)) {
				t.Errorf("%s: a server does not let its script run: %s", file, page.Policy())
			}
		}
		if !strings.Contains(drawn, policy) {
			t.Errorf("%s lacks the policy %s", file, policy)
		}
	}
	if strings.Count(page.Policy(), "unsafe") != 1 || strings.Count(page.Policy(), "sha256-") != 4 {
		t.Errorf("the policy of all pages is %s", page.Policy())
	}
}

// A stored finding may have any verdict; only the three of the checker are shown as such.
func TestAForeignVerdictIsNotJudged(t *testing.T) {
	for _, verdict := range []checker.Verdict{"", "safe", "damaged", "KEPT"} {
		r := &bundle.Run{Judgement: checker.Judgement{Findings: []checker.Finding{{Property: "x", Verdict: verdict}}}}
		if got, want := page.NewCell(r, "x", say.English), (page.Cell{Class: "unknown", Text: "not judged"}); got != want {
			t.Errorf("%q: %+v, want %+v", verdict, got, want)
		}
	}
}

// Every class has a rule of style or is used by a script.
func TestEveryClassHasAStyle(t *testing.T) {
	style := regexp.MustCompile(`(?s)<style>.*?</style>`)
	script := regexp.MustCompile(`(?s)<script.*?</script>`)
	class := regexp.MustCompile(`class="([^"]*)"`)
	word := regexp.MustCompile(`[\w-]+`)
	files, err := filepath.Glob("../*/testdata/*.html")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		drawn := string(reporttest.Page(t, file))
		known := map[string]bool{}
		for _, w := range word.FindAllString(style.FindString(drawn)+strings.Join(script.FindAllString(drawn, -1), " "), -1) {
			known[w] = true
		}
		body := script.ReplaceAllString(style.ReplaceAllString(drawn, ""), "")
		for _, m := range class.FindAllStringSubmatch(body, -1) {
			for name := range strings.FieldsSeq(m[1]) {
				if !known[name] {
					t.Errorf("%s: nothing styles class %q", file, name)
				}
			}
		}
	}
}

// A page loads nothing, its ids are unique, its links have targets, and its table heads have
// scopes.
func TestPagesAreSelfContained(t *testing.T) {
	files, err := filepath.Glob("../*/testdata/*.html")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	attribute := func(text, name string) (all []string) {
		for _, m := range regexp.MustCompile(` `+name+`="([^"]*)"`).FindAllStringSubmatch(text, -1) {
			all = append(all, m[1])
		}
		return all
	}
	for _, file := range files {
		drawn, _, _ := strings.Cut(string(reporttest.Page(t, file)), "<script>") // a script makes such elements itself
		for _, loads := range []string{`src="`, `<link rel="s`, `<link href`, "@import", "fetch(", "https://", `url("`, "url(h"} {
			if strings.Contains(drawn, loads) {
				t.Errorf("%s contains %s", file, loads)
			}
		}
		seen := map[string]bool{}
		for _, id := range attribute(drawn, "id") {
			if seen[id] {
				t.Errorf("%s: id %s is given twice", file, id)
			}
			seen[id] = true
		}
		for _, to := range attribute(drawn, "href") {
			if id, within := strings.CutPrefix(to, "#"); within && !seen[id] {
				t.Errorf("%s: a link leads to #%s, which does not exist", file, id)
			}
		}
		for _, head := range regexp.MustCompile(`<th[ >][^>]*`).FindAllString(drawn, -1) {
			if !strings.Contains(head, "scope=") {
				t.Errorf("%s: a header without scope: %s", file, head)
			}
		}
	}
}

// In each theme, text has a contrast of 4.5 to 1 with its backgrounds, as WCAG 2.2 demands, and the
// bars of clients have one of 3 to 1.
func TestContrast(t *testing.T) {
	all := themes(t)
	if len(all) != 3 {
		t.Fatalf("%d themes, want light, dark and print", len(all))
	}
	for n, p := range all {
		for least, names := range map[float64][]string{
			4.5: append([]string{"fg", "soft", "bad", "good", "open", "link"}, verdicts...), 3: clients,
		} {
			for _, name := range names {
				for _, ground := range []string{"bg", "panel"} {
					if c := contrast(t, p[name], p[ground]); c < least {
						t.Errorf("theme %d: --%s on --%s has a contrast of %.2f", n, name, ground, c)
					}
				}
			}
		}
	}
	if c := contrast(t, "#000", "#ffffff"); c != 21 {
		t.Errorf("black on white has %v", c)
	}
}

// contrast is the ratio of WCAG 2.2, 1.4.3.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	light, dark := luminance(t, a), luminance(t, b)
	if light < dark {
		light, dark = dark, light
	}
	return (light + 0.05) / (dark + 0.05)
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	c := linear(t, hex)
	return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
}
