package chinese_test

import (
	"bytes"
	"testing"

	"lockstep/internal/chinese"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
)

// The report of a story that a search has shrunk says so, in both languages.
func TestSmallestVersionIsTranslated(t *testing.T) {
	p, err := scenario.Load("../../scenarios/regressions/primary-storm-set-wait.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w := sim.New()
	defer w.Close()
	page := pageOf(t, w, p)
	if !bytes.Contains(page, []byte("<h4>Smallest version</h4>")) || !bytes.Contains(page, []byte("with seed 166 and shrunk it")) {
		t.Error("the page does not say where the story comes from")
	}
	translated, _, err := chinese.Page(page)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(translated, []byte("最小版本")) || bytes.Contains(translated, []byte("with seed 166")) {
		t.Error("the part about the smallest version is not translated")
	}
}
