package main

import (
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/report/export"
)

// A store that cannot be read is not one without runs.
func TestListOfAnUnreadableStore(t *testing.T) {
	root := filepath.Join(t.TempDir(), "reports")
	if got, err := listRuns(root); err != nil || len(got.rows) != 0 {
		t.Errorf("a store that is not there yet: %d runs, %v", len(got.rows), err)
	}
	writeIn(t, root, "")
	if _, err := listRuns(root); err == nil || !strings.Contains(err.Error(), "cannot be listed") {
		t.Errorf("a file in the place of the store: %v", err)
	}
}

// Another version of the properties is listed among the changes.
func TestChangesNameTheVersion(t *testing.T) {
	r, _ := storedPause(t)
	was := &export.RunResult{}
	if got := changes(was, r); len(got) != 0 {
		t.Errorf("a result without a version has %d changes", len(got))
	}
	was.Versions.Checker = 99
	if got := changes(was, r); len(got) != 1 || !strings.HasPrefix(got[0].English(), "version of the properties: was 99, is ") {
		t.Errorf("%d changes, or a wrong one", len(got))
	}
}
