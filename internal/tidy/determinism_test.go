package tidy

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// deterministic are the packages on the way to a history or to the bytes of a
// report.
var deterministic = []string{
	"internal/history", "internal/ports", "internal/locks", "internal/faults", "internal/plan",
	"internal/workload", "internal/checker", "internal/sim", "internal/store", "internal/explain", "internal/report",
	"internal/locks/timerwheel", "internal/rng",
}

// forbidden are the calls that would make two runs differ.
var forbidden = map[string]string{
	"time.Now": "", "time.Sleep": "", "time.After": "", "time.AfterFunc": "", "time.Tick": "",
	"time.NewTimer": "", "time.NewTicker": "", "time.Since": "", "time.Until": "",
	"os.Getenv": "", "os.Getpid": "", "os.Hostname": "", "runtime.NumCPU": "", "runtime.GOMAXPROCS": "",
}

func TestNothingUndeterministicIsCalled(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || !s.under(deterministic...) || s.under("internal/locks/libraries") || s.live() {
			continue // libraries are not simulated
		}
		for _, imported := range s.imports() {
			if imported == "math/rand" || (imported == "math/rand/v2" && s.dir != "internal/rng") {
				t.Errorf("%s imports %s: random numbers come from the streams of rng", s.path, imported)
			}
			if imported == "sync" && !s.under("internal/store/redis") {
				t.Errorf("%s imports sync: there is one thread here", s.path)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok {
					if _, bad := forbidden[x.Name+"."+n.Sel.Name]; bad {
						t.Errorf("%s: %s.%s ends determinism: use the world's clock", s.at(n), x.Name, n.Sel.Name)
					}
				}
			case *ast.GoStmt:
				t.Errorf("%s: a goroutine ends determinism: use Env.Go or the kernel's tasks", s.at(n))
			case *ast.SelectStmt:
				t.Errorf("%s: select chooses at random: use Signal", s.at(n))
			}
			return true
		})
	}
}

// Floats may be fused into one instruction by one compiler and not by another,
// and then two builds disagree. They are fine in pictures, not in histories.
func TestNoFloatsOnThePathToAHistory(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || !s.under("internal/history", "internal/ports", "internal/locks", "internal/faults",
			"internal/plan", "internal/workload", "internal/checker", "internal/sim", "internal/store",
			"internal/locks/timerwheel", "internal/rng") || s.live() {
			continue
		}
		if s.under("internal/store/redis") {
			continue // Lua's numbers are floats; they are what the real server computes with, too
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if n.Name == "float64" || n.Name == "float32" {
					t.Errorf("%s: %s: integers only on the way to a history", s.at(n), n.Name)
				}
			case *ast.BasicLit:
				if n.Kind == token.FLOAT {
					t.Errorf("%s: %s: integers only on the way to a history", s.at(n), n.Value)
				}
			}
			return true
		})
	}
}

// A range over a map has a new order in each run. The keys must be sorted first,
// and a comment "sorted below" or "order does not matter" must say why it is fine.
func TestNoUnorderedIteration(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.live() || !s.under(append(deterministic, "internal/run", "internal/scenario")...) {
			continue
		}
		shared := mapNames(s.file, false)
		for _, d := range s.file.Decls {
			own := mapNames(d, true)
			ast.Inspect(d, func(n ast.Node) bool {
				r, ok := n.(*ast.RangeStmt)
				if ok && (isMap(r.X, own) || isMap(r.X, shared)) && !excused(&s, r) {
					t.Errorf("%s: range over the map %s: sort the keys, or say in a comment on that line why the order does not matter (// order: ...)",
						s.at(r), types.ExprString(r.X))
				}
				return true
			})
		}
	}
}

// mapNames finds the names that are declared as maps below a node, inside of
// functions or outside of them. It looks at the text only: good enough to stop
// the honest mistake.
func mapNames(from ast.Node, inFunctions bool) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(from, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return inFunctions
		case *ast.Field:
			if _, ok := n.Type.(*ast.MapType); ok {
				for _, id := range n.Names {
					names[id.Name] = true
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				_, typed := n.Type.(*ast.MapType)
				if typed || (i < len(n.Values) && makesMap(n.Values[i])) {
					names[id.Name] = true
				}
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if id, ok := left.(*ast.Ident); ok && i < len(n.Rhs) && makesMap(n.Rhs[i]) {
					names[id.Name] = true
				}
			}
		}
		return true
	})
	return names
}

func makesMap(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CompositeLit:
		_, ok := e.Type.(*ast.MapType)
		return ok
	case *ast.CallExpr:
		if f, ok := e.Fun.(*ast.Ident); ok && f.Name == "make" && len(e.Args) > 0 {
			_, ok := e.Args[0].(*ast.MapType)
			return ok
		}
	}
	return false
}

func isMap(e ast.Expr, names map[string]bool) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return names[e.Name]
	case *ast.SelectorExpr:
		return names[e.Sel.Name]
	default:
		return makesMap(e)
	}
}

// excused looks for a comment "order: ..." on the line of the range, the one
// before or the one after.
func excused(s *source, r *ast.RangeStmt) bool {
	line := s.set.Position(r.Pos()).Line
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			at := s.set.Position(c.Pos()).Line
			if at >= line-1 && at <= line+1 && strings.Contains(c.Text, "order:") {
				return true
			}
		}
	}
	return false
}
