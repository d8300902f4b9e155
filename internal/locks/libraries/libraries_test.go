package libraries

import (
	"crypto/sha1"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/locks"
)

// A library's comment makes it known, its code plays it. They are found in different ways, so
// either could be missing.
func TestEachLibraryHasATextAndCode(t *testing.T) {
	texts := map[string]locks.Variant{}
	for _, v := range locks.Known() {
		if v.Library != "" {
			texts[v.ID] = v
		}
	}
	for _, l := range All() {
		v, ok := texts[l.ID]
		if !ok {
			t.Errorf("the library %s has no text: no file here begins with \"// Lock %s\"", l.ID, l.ID)
			continue
		}
		delete(texts, l.ID)
		source, err := os.ReadFile(strings.TrimPrefix(v.File, "libraries/"))
		if err != nil {
			t.Error(err)
		}
		if !strings.Contains(string(source), "\""+v.Library) {
			t.Errorf("%s does not import %s", v.File, v.Library)
		}
		if renews := l.Renews; renews != "" && !strings.Contains(string(source), "\": \""+renews+"\"") {
			t.Errorf("%s: %q, by which it renews, is none of its scripts", l.ID, renews)
		}
	}
	for id, v := range texts {
		t.Errorf("%s has a text in %s, and no code", id, v.File)
	}
}

// Scripts are loaded into the servers before a run. They have to be exactly those that the library
// sends by hash.
func TestServersAreToldTheScriptsThatLibrariesSend(t *testing.T) {
	for _, l := range All() {
		var told, sent []string
		for _, text := range l.Texts {
			told = append(told, fmt.Sprintf("%x", sha1.Sum([]byte(text))))
		}
		for sum := range l.Scripts {
			sent = append(sent, sum)
		}
		slices.Sort(told)
		slices.Sort(sent)
		if !slices.Equal(told, sent) {
			t.Errorf("%s: the texts have the sums %v, the library sends %v", l.ID, told, sent)
		}
	}
}
