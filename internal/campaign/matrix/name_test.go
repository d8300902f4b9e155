package matrix

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/say"
	"lockstep/internal/sim"
)

// english matches a word that is no node and no command.
var english = regexp.MustCompile(`[A-Za-z]*[a-z][A-Za-z]*`)

// saysItInChinese fails for a name that is not wholly in Chinese; commands stay as they are.
func saysItInChinese(t *testing.T, where string, name say.Phrase, commands ...string) {
	t.Helper()
	foreign := slices.ContainsFunc(english.FindAllString(name.In(say.Chinese), -1), func(word string) bool { return !slices.Contains(commands, word) })
	if foreign || !strings.ContainsFunc(name.In(say.Chinese), func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		t.Errorf("%s: %q is %q in Chinese", where, name.English(), name.In(say.Chinese))
	}
}

func TestColumnsAndScriptsHaveChineseNames(t *testing.T) {
	for _, c := range append(Columns(), Topologies()...) {
		saysItInChinese(t, c.Code, c.Name)
		saysItInChinese(t, c.Code, c.Summary)
	}
	w := sim.New()
	defer w.Close()
	scripts := 0
	for _, v := range locks.Simulated() {
		p := must.Get(profileOf(context.Background(), w, v))(t)
		commands := slices.Concat(p.Acquire, p.Hold, p.Release)
		for _, c := range Columns() {
			for _, s := range c.sketch(subject{v, p}) {
				scripts++
				saysItInChinese(t, v.ID+" "+c.Code, s.name, commands...)
				if stored := Named(s.name.English()); stored.English() != s.name.English() || stored.In(say.Chinese) != s.name.In(say.Chinese) {
					t.Errorf("%q is stored, and read as %q, %q", s.name.English(), stored.English(), stored.In(say.Chinese))
				}
			}
		}
	}
	if scripts < 2000 {
		t.Errorf("%d scripts only", scripts)
	}
}
