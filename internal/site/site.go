// Package site makes the static site: the playground, the reference, the matrix, what it takes to
// break each lock, and a gallery of reports. All pages but the playground can be opened as files;
// on the first page, only the handle then does nothing. The simulator needs a server, and any
// server of static files will do.
package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"lockstep/internal/campaign/results"
	"lockstep/internal/report/playpage"
	"lockstep/internal/say"
	"lockstep/internal/tour"
	"lockstep/measurements"
)

// Input is what the site is made of.
type Input struct {
	Program, Go []byte            // the simulator as WASM, and the script of Go's distribution that starts it
	Docs        Tree              // the reference as Markdown, by its path below docs/
	Scenarios   Tree              // by their paths below scenarios/
	Explored    *results.Explored // the stored search, whose stories the reference names; nil: none
	// Pages are the pages of the program, by language and by name on the site.
	Pages   map[say.Language]Tree
	Gallery []string // names of the reports among the pages, gallery/<name>.html
	Cards   map[say.Language][]tour.Card
	Titles  map[say.Language]map[string]string // of the gallery's stories
}

// FromSources is the part of the input that is in the sources of lockstep: reference, scenarios,
// stored search and lessons.
func FromSources(root string) (in Input, err error) {
	in.Pages, in.Titles = map[say.Language]Tree{}, map[say.Language]map[string]string{}
	in.Cards = map[say.Language][]tour.Card{}
	if in.Docs, err = Read(path.Join(root, "docs"), ".md"); err != nil {
		return in, err
	}
	if in.Scenarios, err = Read(path.Join(root, "scenarios"), ".yaml"); err != nil {
		return in, err
	}
	walk, err := measurements.Explore()
	if err != nil {
		return in, err
	}
	if in.Explored, err = results.ReadExplored(walk); err != nil {
		return in, fmt.Errorf("the stored search %w", err)
	}
	for _, l := range Languages {
		if in.Cards[l], err = tour.Cards(context.Background(), 1, l); err != nil {
			return in, err
		}
	}
	return in, nil
}

// Tree is a folder: files by their paths, with slashes.
type Tree map[string][]byte

// Languages are those of the site.
var Languages = []say.Language{say.English, say.Chinese}

// named is the file name of a page in a language.
func named(name string, l say.Language) string {
	if l == say.Chinese {
		return name + "-zh.html"
	}
	return name + ".html"
}

// home is the first page in a language.
func home(l say.Language) string {
	if l == say.Chinese {
		return "zh.html"
	}
	return "index.html"
}

// Make makes all files of the site.
func Make(in Input) (Tree, error) {
	out := Tree{}
	if err := playgroundInto(out, &in); err != nil {
		return nil, err
	}
	for _, l := range Languages {
		for _, name := range slices.Sorted(maps.Keys(in.Pages[l])) {
			base := name[:len(name)-len(path.Ext(name))]
			drawn, err := withBar(in.withStories(inItsLanguage(in.Pages[l][name], l), strings.Repeat("../", strings.Count(name, "/")), l), base, l)
			if err != nil {
				return nil, err
			}
			out[named(base, l)] = drawn
		}
		first, err := indexPage(&in, l)
		if err != nil {
			return nil, err
		}
		out[home(l)] = first
	}
	return out, referenceInto(out, &in)
}

// toMatrix are the links between the pages of the matrix, which are the same in both languages.
var toMatrix = regexp.MustCompile(`(href="(?:\.\./)?matrix(?:/[^"#]*)?)\.html`)

func inItsLanguage(drawn []byte, l say.Language) []byte {
	if l != say.Chinese {
		return drawn
	}
	return toMatrix.ReplaceAll(drawn, []byte("${1}-zh.html"))
}

// playgroundInto adds the playground.
func playgroundInto(out Tree, in *Input) error {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression) // reproducible: without a time
	if err != nil {
		return err
	}
	if _, err := w.Write(in.Program); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	out["playground/"+playpage.Program], out["playground/"+playpage.Go] = packed.Bytes(), in.Go
	for name, data := range playpage.Scripts() { // order: each file on its own
		out["playground/"+name] = data
	}
	for _, l := range Languages {
		page, err := playpage.HTML(in.Cards[l], home(l), links(l, true), l)
		if err != nil {
			return fmt.Errorf("the playground: %w", err)
		}
		out["playground/"+playpage.Name(l)] = page
	}
	return nil
}

// links are the links to the pages of the site, relative to its root.
func links(l say.Language, fromPlayground bool) []playpage.Link {
	word := func(english string) string { return say.Text(english).In(l) }
	all := []playpage.Link{
		{Href: "playground/" + playpage.Name(l), Text: word("Playground")},
		{Href: named("matrix", l), Text: word("Matrix")},
		{Href: named("which-lock", l), Text: word("Which lock?")},
		{Href: home(l) + "#gallery", Text: word("Gallery")},
		{Href: map[say.Language]string{say.English: "reference/index.html", say.Chinese: "reference/zh.html"}[l], Text: word("Reference")},
	}
	if fromPlayground {
		return all[1:]
	}
	return all
}
