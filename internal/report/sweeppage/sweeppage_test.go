package sweeppage

import (
	"bytes"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

func TestSweepGolden(t *testing.T) {
	s := reporttest.Sweep()
	page := must.Get(HTML(s))(t)
	reporttest.Golden(t, "sweep.html", page)
}

// Names come from files that others write.
func TestSweepIsSafeFromNames(t *testing.T) {
	s := reporttest.Sweep()
	const evil = `</title><script>alert(1)</script>` + "\x1b[31m"
	s.Plan.Name, s.Plan.Story, s.Property, s.Replay = evil, evil, evil, evil
	s.Maps[0].Lock, s.Maps[0].Property, s.Maps[0].X.Name, s.Maps[0].Y.Name = evil, evil, evil, evil
	page := must.Get(HTML(s))(t)
	if bytes.Contains(page, []byte("<script")) || bytes.ContainsRune(page, '\x1b') {
		t.Error("a name became a script or a control character")
	}
}

func TestNoEnglishIsLeftOnAChineseSweep(t *testing.T) {
	s := reporttest.Sweep()
	s.Plan.Name, s.Plan.Story, s.Language = "停顿", "A 停住。", say.Chinese
	page, err := HTML(s)
	reporttest.NoEnglish(t, page, err)
}
