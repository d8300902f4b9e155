package browser_test

import (
	"os"
	"path/filepath"
	"testing"

	"lockstep/internal/browser"
	"lockstep/internal/must"
)

// LOCKSTEP_SCREENSHOTS=DIR keeps pictures of some reports and of the playground, to be looked at.
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("LOCKSTEP_SCREENSHOTS")
	if dir == "" {
		t.Skip("set LOCKSTEP_SCREENSHOTS to a directory for pictures of reports and of the playground")
	}
	keep := func(name string, p *browser.Page) {
		must.Do(t, os.WriteFile(filepath.Join(dir, name+".png"), p.Screenshot(), 0o644))
	}
	for _, name := range []string{
		"pause-past-lease", "redlock-and-a-jumping-clock", "fence-saves-the-resource", "split-brain",
	} {
		for kind, o := range map[string]browser.Options{
			"": {}, "-dark": {Dark: true, Width: 1280, Height: 720, Hash: "#s4"},
			"-phone": {Width: 390, Height: 844}, "-print": {Print: true, Width: 718},
		} {
			keep(name+kind, browser.Open(t, lesson(t, name), o))
		}
	}
	address := playgroundAt(t)
	for name, o := range map[string]browser.Options{
		"play-1280": {Width: 1280, Height: 800}, "play-390": {Width: 390, Height: 844},
		"play-dark": {Width: 1280, Height: 800, Dark: true},
		"lesson":    {Width: 1280, Height: 800, Hash: "#lesson=pause"},
		"story":     {Width: 1280, Height: 800, Hash: "#story=redlock-and-a-jumping-clock"},
	} {
		page := "index.html"
		if o.Hash != "" {
			page = "zh.html"
		}
		p := browser.Visit(t, address+page, o)
		p.Await(`document.querySelectorAll(".lock").length > 0`)
		settled(p)
		keep(name, p)
	}
}
