package tidy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// parsed is every Go file of the repository.
var parsed = sync.OnceValues(func() (all []source, err error) {
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
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
	return all, err
})

func sources(t *testing.T) []source {
	t.Helper()
	all, err := parsed()
	if err != nil || len(all) < 50 {
		t.Fatalf("%d Go files found: %v", len(all), err)
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

// live reports whether it is the part of a store for real servers (live), for real client libraries
// in a bubble (door) or for tests that compare the model with real servers (storetest).
func (s *source) live() bool {
	return s.under("internal/store") && slices.Contains([]string{"live", "door", "storetest"}, path.Base(s.dir))
}

// under reports whether the file is in a directory or below it.
func (s *source) under(dirs ...string) bool { return within(s.dir, dirs) }

// within reports whether a directory is one of others or below one.
func within(dir string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return dir == d || strings.HasPrefix(dir, d+"/") })
}

// at formats the place of a node.
func (s *source) at(n ast.Node) string {
	p := s.set.Position(n.Pos())
	return s.path + ":" + strconv.Itoa(p.Line)
}
