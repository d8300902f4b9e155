package claims

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// verb matches what a form of fmt fills in, with the number of the argument where it names one.
var verb = regexp.MustCompile(`%(?:\[([0-9]+)\])?([a-z])|%%`)

// verbs are those of a form, in the order of the arguments; "" for one that is not used, or twice.
func verbs(form string, arguments int) []string {
	out, next := make([]string, arguments), 0
	for _, m := range verb.FindAllStringSubmatch(form, -1) {
		if m[0] == "%%" {
			continue
		}
		if n, err := strconv.Atoi(m[1]); err == nil {
			next = n - 1
		}
		if next >= arguments || out[next] != "" {
			return nil
		}
		out[next], next = m[2], next+1
	}
	return out
}

// Each form fills in each argument once, and in Chinese as in English.
func TestBothLanguagesSayTheSameArguments(t *testing.T) {
	packages, err := parser.ParseDir(token.NewFileSet(), ".", func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	ast.Inspect(packages["claims"], func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			return true
		}
		if f, ok := call.Fun.(*ast.Ident); !ok || f.Name != "both" {
			return true
		}
		var forms [2]string
		for i := range forms {
			text, ok := call.Args[i].(*ast.BasicLit)
			if !ok {
				t.Errorf("a form is not written out")
				return true
			}
			forms[i], _ = strconv.Unquote(text.Value)
		}
		seen++
		if args := len(call.Args) - 2; args > 0 {
			english, chinese := verbs(forms[0], args), verbs(forms[1], args)
			if slices.Contains(english, "") || english == nil || !slices.Equal(english, chinese) {
				t.Errorf("%d arguments, not each once, or not the same in both:\n%s\n%s", args, forms[0], forms[1])
			}
		}
		if strings.ContainsFunc(forms[0], unicode.IsLower) && len(strings.Fields(forms[0])) > 4 && !strings.ContainsFunc(forms[1], func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			t.Errorf("not in Chinese: %s", forms[1])
		}
		return true
	})
	if seen < 2*len(registry) {
		t.Errorf("%d forms for %d claims", seen, len(registry))
	}
}
