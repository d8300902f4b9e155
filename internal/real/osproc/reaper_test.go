package osproc_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/real/osproc"
)

// envHarness makes the test's program a harness that dies; its value says how.
const envHarness = "LOCKSTEP_TEST_HARNESS"

var remains = osproc.Remains{
	Env: "LOCKSTEP_TEST_REAPER_OF", Name: "things",
	Remove: func(string) error { return errors.New("it is stuck") },
}

func TestMain(m *testing.M) {
	remains.ReaperMain()
	if how := os.Getenv(envHarness); how != "" {
		reaper, err := remains.Reaper("this")
		if err == nil && how != "dies" {
			err = reaper.End(how == "removed")
		}
		fmt.Println("ends with", err)
		return
	}
	if file := os.Getenv(envSharer); file != "" {
		shareMemory(file)
		return
	}
	os.Exit(m.Run())
}

// A reaper writes its errors to the standard error of the harness.
func TestAReaperTellsWhatItCouldNotRemove(t *testing.T) {
	stuck := "lockstep: not all things were removed that a dead harness has left (this): it is stuck\n"
	for how, want := range map[string]string{
		"dies":    "ends with <nil>\n" + stuck,
		"failed":  stuck + "ends with the process that cleans up: exit status 1\n",
		"removed": "ends with <nil>\n",
	} {
		harness := exec.Command(os.Args[0])
		harness.Env = append(os.Environ(), envHarness+"="+how)
		// Both processes write to one pipe, which ends when both have ended.
		said, err := harness.CombinedOutput()
		if err != nil {
			t.Error(err)
		}
		must.Equalf(t, string(said), want, "%s: the harness and its reaper said", how)
	}
}
