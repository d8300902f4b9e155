package tidy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A Go file that a document of the sources names is there, under this path or below a folder.
func TestDocumentsNameFilesThatAreThere(t *testing.T) {
	all, dirs := sources(t), map[string]bool{".": true}
	for i := range all {
		dirs[all[i].dir] = true
	}
	named := regexp.MustCompile("`([\\w/.-]+\\.go)`")
	read := 0
	for dir := range dirs {
		for _, name := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md", "DESIGN.md"} {
			text, err := os.ReadFile(filepath.Join(root, dir, name))
			if err != nil {
				continue // most folders have none
			}
			read++
			for _, found := range named.FindAllStringSubmatch(string(text), -1) {
				if !slices.ContainsFunc(all, func(s source) bool { return strings.HasSuffix("/"+s.path, "/"+found[1]) }) {
					t.Errorf("%s names %s, and there is no such file", filepath.Join(dir, name), found[1])
				}
			}
		}
	}
	if read < 15 {
		t.Errorf("%d documents were read", read)
	}
}
