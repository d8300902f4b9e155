package tidy

import (
	"go/ast"
	"testing"
)

// mostLoops is how many loops over events there may be outside the timeline, the checkers and the
// stored form. What a new one would work out is probably in package timeline, or belongs there.
const mostLoops = 10

func TestAHistoryIsFollowedInOnePlace(t *testing.T) {
	var found []string
	for _, s := range sources(t) {
		if s.test || s.under("internal/timeline", "internal/checker", "internal/history") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			loop, ok := n.(*ast.RangeStmt)
			if !ok {
				return true
			}
			over := loop.X
			if part, ok := over.(*ast.SliceExpr); ok {
				over = part.X
			}
			if list, ok := over.(*ast.SelectorExpr); ok && list.Sel.Name == "Events" {
				found = append(found, s.set.Position(loop.Pos()).String())
			}
			return true
		})
	}
	if len(found) == 0 || len(found) > mostLoops {
		t.Errorf("%d loops over events, 1 to %d expected: let package timeline follow a history\n%q", len(found), mostLoops, found)
	}
}
