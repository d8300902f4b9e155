package tidy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

// source is one Go file of the repository.
type source struct {
	path  string // from the root, with slashes
	dir   string
	test  bool
	file  *ast.File
	set   *token.FileSet
	lines int
}

// sources parses every Go file of the repository.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && p != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "reports" || name == "bin") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, p, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		all = append(all, source{
			path: rel, dir: path.Dir(rel), test: strings.HasSuffix(name, "_test.go"),
			file: file, set: set, lines: set.File(file.Pos()).LineCount(),
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d Go files found: these tests look at the wrong place", len(all))
	}
	return all
}

// imports returns the paths that a file imports.
func (s *source) imports() []string {
	var out []string
	for _, i := range s.file.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err == nil {
			out = append(out, p)
		}
	}
	return out
}

// live reports whether it is what a store has for real servers or real client libraries.
func (s *source) live() bool { return ofLiveWorld(s.dir) }

// under reports whether the file is in a directory or below it.
func (s *source) under(dirs ...string) bool {
	for _, d := range dirs {
		if s.dir == d || strings.HasPrefix(s.dir, d+"/") {
			return true
		}
	}
	return false
}

// at formats the place of a node.
func (s *source) at(n ast.Node) string {
	p := s.set.Position(n.Pos())
	return s.path + ":" + strconv.Itoa(p.Line)
}
