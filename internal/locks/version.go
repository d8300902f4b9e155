package locks

import (
	"crypto/sha256"
	"encoding/hex"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Versions identify the code of each variant: what its file declares and what this package and
// timerwheel declare for it. Comments and layout do not count, nor do the packages of the stores.
func Versions() map[string]string { return versionsIn(sources) }

func versionsIn(sources fs.FS) map[string]string {
	all := declarations(sources)
	out := map[string]string{}
	for _, v := range Known() {
		var texts []string
		seen := map[*declaration]bool{}
		next := slices.Clone(all[inFile(v.File)])
		for len(next) > 0 {
			d := next[0]
			if next = next[1:]; seen[d] {
				continue
			}
			seen[d] = true
			texts = append(texts, d.text)
			for _, name := range d.uses {
				next = append(next, all[name]...)
			}
		}
		slices.Sort(texts)
		sum := sha256.Sum256([]byte(strings.Join(texts, "\n")))
		out[v.ID] = hex.EncodeToString(sum[:6])
	}
	return out
}

// declaration is one declaration without its comments and layout.
type declaration struct {
	text string
	uses []string // identifiers, perhaps of other things that are called alike
}

// uncounted are what only lists locks, and init, which nothing calls by its name.
var uncounted = []string{"Variant", "Register", "registerBug", "Name", "names", "init"}

// declarations are those of this package by name and by file. Methods go by the name of their type,
// and what timerwheel declares goes by the name of that package.
func declarations(sources fs.FS) map[string][]*declaration {
	out := map[string][]*declaration{}
	ours, _ := fs.Glob(sources, "*.go") // the patterns are valid
	below, _ := fs.Glob(sources, "*/*.go")
	for _, file := range append(ours, below...) {
		source, err := fs.ReadFile(sources, file)
		fset := token.NewFileSet()
		parsed, wrong := parser.ParseFile(fset, file, source, parser.SkipObjectResolution)
		if err != nil || wrong != nil {
			panic(file) // it is embedded, and was compiled
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, d := range parsed.Decls {
			one := declarationOf(source[fset.Position(d.Pos()).Offset:fset.Position(d.End()).Offset])
			names := declared(d)
			if dir := path.Dir(file); dir != "." {
				names = []string{dir}
			}
			for _, name := range append(names, inFile(file)) {
				if !slices.Contains(uncounted, name) {
					out[name] = append(out[name], one)
				}
			}
		}
	}
	return out
}

func inFile(file string) string { return "file " + file }

func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
			if of, ok := n.(*ast.Ident); ok {
				names = append(names, of.Name)
			}
			return true
		})
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

func declarationOf(source []byte) *declaration {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(source)), source, nil, 0)
	var d declaration
	for last := token.ILLEGAL; ; {
		_, tok, literal := s.Scan()
		switch {
		case tok == token.EOF:
			return &d
		case tok == token.SEMICOLON: // perhaps a newline
			literal = ""
		case tok == token.IDENT && last != token.PERIOD:
			d.uses = append(d.uses, literal)
		}
		d.text += tok.String() + " " + literal + "\n"
		last = tok
	}
}
