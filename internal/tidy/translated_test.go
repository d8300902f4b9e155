package tidy

import (
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

// Every shipped story and every lock has Chinese texts, too, in its own file.

func TestEveryStoryIsToldInChinese(t *testing.T) {
	for _, p := range scenarios(t) {
		for key, in := range map[string]func(plan.Texts) string{
			"scenario": func(x plan.Texts) string { return x.Name },
			"story":    func(x plan.Texts) string { return x.Story },
			"question": func(x plan.Texts) string { return x.Question },
			"lesson":   func(x plan.Texts) string { return x.Lesson },
			"origin":   func(x plan.Texts) string { return x.Origin },
		} {
			english, chinese := in(p.Prose(say.English)), in(p.Chinese)
			must.Equalf(t, english != "", isChinese(chinese),
				"%s: %q is %q below zh: %q", p.File, key, english, chinese)
		}
	}
}

func TestEveryLockIsDescribedInChinese(t *testing.T) {
	for _, v := range locks.Known() {
		d := v.Doc(say.Chinese)
		for heading, text := range map[string]string{
			"想法": d.Idea, "协议": strings.Join(d.Protocol, ""), "保证": d.Guarantees, "何时被破坏": d.BreaksWhen, "来源": d.Source,
		} {
			if !isChinese(text) {
				t.Errorf("internal/locks/%s: the heading %s is missing or empty", v.ChineseFile(), heading)
			}
			if left := reporttest.EnglishRuns(text); len(left) > 0 {
				t.Errorf("internal/locks/%s: English below %s: %q", v.ChineseFile(), heading, left)
			}
		}
		if english := v.Doc(say.English).Protocol; len(d.Protocol) != len(english) {
			t.Errorf("internal/locks/%s: the protocol has %d steps in English, and %d in Chinese", v.File, len(english), len(d.Protocol))
		}
	}
}

// sayable matches a text that is more than a proper name.
var sayable = regexp.MustCompile(`(^|[ (])[a-z]`)

func TestWhatIsRegisteredIsSaidInChinese(t *testing.T) {
	said := map[string]say.Words{}
	for _, f := range faults.All() {
		said["the verb "+f.Name] = f.Summary
	}
	for _, m := range faults.MomentPhrases() {
		said["the moment "+m.Text] = m.Doc
	}
	for _, p := range checker.All() {
		said["the property "+p.ID], said["the name of the property "+p.ID] = p.Summary, say.Words(p.ID)
	}
	for _, v := range locks.Known() {
		if name := locks.Name(v.ID); name.English() != v.ID {
			said["the lock "+v.ID] = name
		}
	}
	for what, words := range said {
		if words == "" || words.In(say.Chinese) == words.English() && sayable.MatchString(words.English()) {
			t.Errorf("%s: %q has no entry in internal/say/zh.po", what, words)
		}
	}
}

// The code is in English: Chinese is in the catalogue and in documents. Line breaks of Chinese are
// code.
func TestGoSpeaksEnglish(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.path == "internal/say/lines.go" {
			continue
		}
		data := must.Get(os.ReadFile(filepath.Join(root, filepath.FromSlash(s.path))))(t)
		for i, line := range strings.Split(string(data), "\n") {
			if isChinese(line) {
				t.Errorf("%s:%d: %s: put it into internal/say/zh.po, below its English", s.path, i+1, strings.TrimSpace(line))
			}
		}
	}
}

// Everything that runs or is stored is in English alone; phrases, faults and names are translated
// for a reader.
func TestNothingStoredIsInChinese(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || !s.under(append(judges, deterministic...)...) && !s.under("internal/campaign", "internal/run") || s.under("internal/plan", "internal/report", "internal/campaign/claims") {
			continue // plans, claims and the words of the field are documents
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			f, ok := n.(*ast.Field)
			if !ok {
				return true
			}
			for _, name := range f.Names {
				if strings.HasSuffix(name.Name, "Chinese") || strings.HasSuffix(name.Name, "ZH") {
					t.Errorf("%s: %s: make it of a phrase where it is read", s.at(f), name.Name)
				}
			}
			if f.Tag != nil && strings.Contains(f.Tag.Value, "_zh") {
				t.Errorf("%s: %s: store the English, or what it is made of", s.at(f), f.Tag.Value)
			}
			return true
		})
	}
}

// Every page has a test in Chinese: of its own package, or of one that draws it.
func TestEveryPageIsTriedInChinese(t *testing.T) {
	pages := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(root, "internal"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".html" && !strings.Contains(path, "testdata") && filepath.Base(path) != "parts.html" {
			dir, _ := filepath.Rel(root, filepath.Dir(path))
			pages[filepath.ToSlash(dir)] = false
		}
		return err
	})
	if err != nil || len(pages) < 9 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, s := range sources(t) {
		if !s.test {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if x, ok := n.(*ast.SelectorExpr); ok && name(x.X) == "reporttest" && strings.HasSuffix(x.Sel.Name, "English") {
				for _, dir := range append(s.imports(), "lockstep/"+s.dir) {
					pages[strings.TrimPrefix(dir, "lockstep/")] = true
				}
			}
			return true
		})
	}
	for dir, tried := range pages {
		if !tried {
			t.Errorf("no test asks reporttest.English about the Chinese page of %s", dir)
		}
	}
}

func isChinese(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// judges are the packages that look at what was asked and answered, in a history or on its way
// there.
var judges = []string{
	"internal/checker", "internal/campaign/claims", "internal/explain", "internal/campaign/explore", "internal/logcheck", "internal/campaign/matrix", "internal/playground", "internal/real",
	"internal/report", "internal/run", "internal/campaign/search", "internal/tour", "internal/campaign/crosscheck", "cmd/simulate",
}

// The texts of a history are for people. Code that parses them would misread the next version
// silently; requests and answers are parsed by package history (Op, Answer).
func TestOnlyHistoryTakesTextsApart(t *testing.T) {
	for _, s := range sources(t) {
		// Below real they speak the protocols of servers, and have not made a text of it yet.
		if s.test || !s.under(judges...) || s.under("internal/real") && s.dir != "internal/real" {
			continue
		}
		for _, d := range s.file.Decls {
			for _, call := range dissections(d) {
				t.Errorf("%s takes the text of an event apart: ask History.Op or History.Answer", s.at(call))
			}
		}
	}
}

// dissections are the calls of package strings in a declaration, and scans, that get what
// History.Text or a method called like it returned, or the text of an entry on its way into a
// history.
func dissections(d ast.Node) (found []ast.Node) {
	var known []string // variables that such a text was put into
	isText := func(x ast.Expr) bool {
		switch x := x.(type) {
		case *ast.Ident:
			return slices.Contains(known, x.Name)
		case *ast.SelectorExpr:
			return name(x.X) == "e" && x.Sel.Name == "text"
		case *ast.CallExpr:
			of, ok := x.Fun.(*ast.SelectorExpr)
			return ok && (of.Sel.Name == "Text" || of.Sel.Name == "text") && len(x.Args) == 1 && name(of.X) != "say" && name(of.X) != "clean" && name(of.X) != "args"
		}
		return false
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, x := range n.Rhs {
				if len(n.Lhs) == len(n.Rhs) && isText(x) {
					known = append(known, name(n.Lhs[i]))
				}
			}
		case *ast.CallExpr:
			of, ok := n.Fun.(*ast.SelectorExpr)
			if ok && (name(of.X) == "strings" || strings.HasPrefix(of.Sel.Name, "Sscan")) && of.Sel.Name != "NewReader" && slices.ContainsFunc(n.Args, isText) {
				found = append(found, n)
			}
		}
		return true
	})
	return found
}

// name is that of a variable or package, "" for anything else.
func name(x ast.Expr) string {
	id, _ := x.(*ast.Ident)
	if id == nil {
		return ""
	}
	return id.Name
}
