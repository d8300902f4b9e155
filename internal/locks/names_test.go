package locks_test

import (
	"testing"
	"unicode/utf8"

	"lockstep/internal/locks"
	_ "lockstep/internal/locks/libraries"
	"lockstep/internal/say"
)

// The main designs have names, which are unique and fit into a menu.
func TestNamesOfLocks(t *testing.T) {
	seen := map[string]string{}
	for _, v := range locks.All() {
		name := locks.Name(v.ID)
		if locks.Main(v.ID) && name.English() == v.ID && v.ID != "redlock" {
			t.Errorf("%s has no name", v.ID)
		}
		for _, said := range []string{name.English(), name.In(say.Chinese)} {
			if by := seen[said]; by != "" && by != v.ID {
				t.Errorf("%s and %s are both called %s", by, v.ID, said)
			}
			seen[said] = v.ID
			if utf8.RuneCountInString(said) > 29 {
				t.Errorf("%s is too long for a menu: %s", v.ID, said)
			}
		}
	}
}
