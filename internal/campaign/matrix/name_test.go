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
	"lockstep/internal/run"
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

// The outcome of a lock that waits for no replica, and of one that does, as on real servers
// (compare-worlds --topologies). S or L depends on which client has to wait, so both are L here.
// A cut that a lock cannot notice is no test of it.
var letterOfTopology = map[string][2]string{
	"T1": {"V", "L"}, "T2": {"V", "L"}, "T3": {"L", "L"}, "T4": {"L", "L"}, "T5": {"V", "L"},
	"T6": {"L", "L"}, "T7": {"V", "V"}, "T8": {"V", "V"}, "T9": {"V", "L"}, "T10": {"?", "L"},
	"T11": {"?", ""}, "T12": {"V", ""}, "T13": {"V", ""}, "T14": {"V", "V"}, "T15": {"L", "D"},
	"T16": {"V", "D"}, "T17": {"V", "L"}, "T18": {"L", "L"}, "T19": {"V", "V"},
}

func TestTopologies(t *testing.T) {
	w := sim.New()
	defer w.Close()
	columns := Topologies()
	if len(columns) != len(letterOfTopology) {
		t.Errorf("%d topologies have a letter, there are %d", len(letterOfTopology), len(columns))
	}
	for i, lock := range []string{"set-nx-lua", "set-wait"} {
		v, _ := locks.Lookup(lock)
		for _, c := range columns {
			want := letterOfTopology[c.Code][i]
			scripts, _, err := ScriptsOf(context.Background(), w, v, c)
			if err != nil {
				t.Fatal(err)
			}
			if (len(scripts) == 0) != (want == "") {
				t.Errorf("%s for %s has %d scripts", c.Code, lock, len(scripts))
				continue
			}
			for seed := uint64(1); want != "" && seed <= 20; seed++ {
				out := run.One(context.Background(), w, scripts[0].Plan(), lock, seed)
				got := string(out.Judgement.Letter)
				if got == "S" {
					got = "L"
				}
				if out.Err != nil || got != want {
					t.Errorf("%s (%s) with %s, seed %d: %s, want %s (%v)", c.Code, c.Name.English(), lock, seed, out.Judgement.Letter, want, out.Err)
					break
				}
			}
		}
	}
}
