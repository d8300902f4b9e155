package glossary

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"lockstep/internal/say"
)

func Example() {
	for _, t := range Find(say.English, "The lease ends, and the lock is stuck.") {
		fmt.Printf("%s: %s\n", t.Chinese.Name, t.English.Name)
	}
	// Output:
	// 租约: lease
	// 锁: lock
	// progress: progress
}

func TestFind(t *testing.T) {
	tests := []struct {
		name     string
		language say.Language
		give     string
		want     []string
	}{
		{"the longest term counts", say.English, "a random token, and a token", []string{"random-token", "fencing-token"}},
		{"each once, in the order of the text", say.English, "Locks, leases, a lock.", []string{"lock", "lease"}},
		{"at the start of a sentence", say.English, "Watchdogs renew.", []string{"watchdog", "renew"}},
		{"no part of a word", say.English, "block, clockwise, released", nil},
		{"no part of a name", say.English, "set-nx-token-getdel, watchdog-lua", nil},
		{"capitals stay capitals", say.English, "wait, WAIT", []string{"wait"}},
		{"Chinese has no blanks", say.Chinese, "看门狗为租约续期。", []string{"watchdog", "lease", "renew"}},
		{"the longest in Chinese", say.Chinese, "防护令牌", []string{"fencing-token"}},
		{"Latin in Chinese", say.Chinese, "用SETNX创建", []string{"setnx"}},
		{"nothing", say.English, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, term := range Find(tt.language, tt.give) {
				got = append(got, term.ID)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTermsAreWhole(t *testing.T) {
	written := map[string]string{}
	for _, term := range All() {
		if got, ok := Lookup(term.ID); !ok || got.ID != term.ID {
			t.Errorf("%s cannot be looked up", term.ID)
		}
		if id := strings.ToLower(strings.ReplaceAll(term.English.Name, " ", "-")); id != term.ID {
			t.Errorf("%s is called %q in English: its id should be %s", term.ID, term.English.Name, id)
		}
		for _, l := range []say.Language{say.English, say.Chinese} {
			e := term.In(l)
			for _, text := range append([]string{e.Name}, e.Also...) {
				key := string(l) + " " + text
				if other := written[key]; other != "" {
					t.Errorf("%q means both %s and %s", text, other, term.ID)
				}
				written[key] = term.ID
			}
		}
		e := term.English
		if !strings.HasSuffix(e.Meaning, ".") || strings.Contains(e.Meaning, ". ") && !term.Page {
			t.Errorf("%s: the meaning is one sentence: %s", term.ID, e.Meaning)
		}
		e = term.Chinese
		if !strings.HasSuffix(e.Meaning, "。") || strings.Count(e.Meaning, "。") != 1 && !term.Page {
			t.Errorf("%s: the Chinese meaning is one sentence: %s", term.ID, e.Meaning)
		}
		if strings.IndexFunc(term.Chinese.Meaning, func(r rune) bool { return unicode.Is(unicode.Han, r) }) < 0 {
			t.Errorf("%s: the Chinese meaning is not Chinese", term.ID)
		}
	}
	if _, ok := Lookup("quantum"); ok {
		t.Error("an unknown term was found")
	}
}
