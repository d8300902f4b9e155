package tidy

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// judges are the packages that look at what was asked and answered, in a history or on its way there.
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

// dissections are the calls of package strings in a declaration, and scans, that get what History.Text or a
// method called like it returned, or the text of an entry on its way into a history.
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
