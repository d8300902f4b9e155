package chinese_test

import (
	"maps"
	"testing"

	"lockstep/internal/chinese"
)

// rare is what the code says where no story of the simulator gets, by template.
var rare = map[string]string{
	"fault {k} has changed nothing": "fault 1 has changed nothing",
	"without effect at {any}":       "without effect at 1.000 s",

	// Package report.
	"Copy the command {x}": "Copy the command simulate run x",
	"{k} more":             "12 more", "inconclusive:": "", "nothing was expected:": "",

	"faults": "", "Nothing relevant happened.": "", "not judged": "",
	"Nothing to show: nobody got the lock.": "", "Nothing to show: nobody wrote to the resource.": "",
	"Not drawn for {any}: all clocks showed true time.":                                     "Not drawn for setnx: all clocks showed true time.",
	"Not drawn for {any}: nobody got the lock.":                                             "Not drawn for setnx: nobody got the lock.",
	"Not drawn for {any}: nobody held the lock.":                                            "Not drawn for setnx: nobody held the lock.",
	"Not drawn for {any}: nobody wrote to the resource.":                                    "Not drawn for setnx: nobody wrote to the resource.",
	"Not drawn for {any}: the lock hands out no token.":                                     "Not drawn for setnx, set-nx-lua: the lock hands out no token.",
	"{d}, {d2}; gave up once":                                                               "1.000 s, 2.000 s; gave up once",
	"The measurements are left out to keep this page small; they are in plots/, beside it.": "",
	"One axis of time for all. The flag is the first step that differs from the first lock's story. Shown are the first {k} of {k2} locks.": "One axis of time for all. The flag is the first step that differs from the first lock's story. Shown are the first 12 of 20 locks.",
}

// Each template is of use: for a page of some story, or for what is listed above. One
// that is not has been left behind by a change of the English words.
func TestEachTemplateIsUsed(t *testing.T) {
	seen := maps.Clone(translateAll(t).used)
	chinese.Watch(func(english string) { seen[english] = true })
	defer chinese.Watch(nil)
	for _, template := range chinese.Templates() {
		if example, known := rare[template]; !seen[template] && !known {
			t.Errorf("nothing is like %q any more", template)
		} else if known {
			checkExample(t, seen, template, example)
		}
	}
}

// checkExample looks whether the example has a translation, and by that template.
func checkExample(t *testing.T, seen map[string]bool, template, example string) {
	t.Helper()
	if example == "" {
		example = template
	}
	delete(seen, template)
	if got, ok := chinese.Text(example); !ok || !seen[template] {
		t.Errorf("%q is not translated by %q, but: %s", example, template, got)
	}
}
