package tidy

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// judges are the packages that look at what was asked and answered, in a history or on its way there.
var judges = []string{
	"internal/checker", "internal/claims", "internal/explain", "internal/explore", "internal/logcheck", "internal/matrix", "internal/real", "internal/report",
	"internal/run", "internal/search", "internal/tour", "internal/worlds", "cmd/simulate",
}

// Histories keep requests and answers as texts, and package world is the only reader of them: one who
// looks for a word in such a text reads the next version of it wrongly, and nobody notices.
func TestOnlyWorldReadsRequestsAndAnswers(t *testing.T) {
	for _, s := range sources(t) {
		// Below real they speak the protocols of servers, and have not made a text of it yet.
		if s.test || !s.under(judges...) || s.under("internal/real") && s.dir != "internal/real" {
			continue
		}
		for _, d := range s.file.Decls {
			for _, call := range dissections(d, s.under("internal/real", "internal/claims")) {
				t.Errorf("%s takes a request or an answer apart: ask world.ReadRequest or world.Answer", s.at(call))
			}
		}
	}
}

// dissections are the calls in a declaration that take the text of a request or an answer apart.
// With fields those are also such texts that are called text.
func dissections(d ast.Node, fields bool) (found []ast.Node) {
	var known []string // variables that such a text was put into
	isText := func(x ast.Expr) bool {
		switch x := x.(type) {
		case *ast.Ident:
			return x.Name == "reply" || x.Name == "answer" || slices.Contains(known, x.Name)
		case *ast.SelectorExpr:
			return x.Sel.Name == "reply" || x.Sel.Name == "Reply" || fields && (x.Sel.Name == "text" || x.Sel.Name == "Text")
		case *ast.CallExpr: // History.Text and what is called like it
			of, ok := x.Fun.(*ast.SelectorExpr)
			return ok && of.Sel.Name == "Text" && len(x.Args) == 1 && name(of.X) != "say"
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
