package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/campaign"
	"lockstep/internal/must"
)

// Parts of another version of the program are refused.
func TestPartsOfAnotherVersionAreNotMerged(t *testing.T) {
	w := must.Get(campaign.NewWork("v0.1", "claims", nil, claimsOptions{[]int{10}}))(t)
	line, err := campaign.NewLine(w, "1/1", []map[string]any{{"n": 10, "verdict": "true", "figure": "nothing"}})
	part := campaign.NewResults(w, 1)
	must.Do(t, errors.Join(err, part.Put(line)))
	file := filepath.Join(t.TempDir(), "part-1.json")
	writeIn(t, file, string(part.Store()))
	f := &mergeFlags{globals: &globals{stdout: newScreen(), json: true}}
	if err := f.merge(t.Context(), []string{file}); err == nil || !strings.Contains(err.Error(), "version v0.1 of the program") {
		t.Errorf("got %v", err)
	}
}
