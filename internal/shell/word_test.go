package shell_test

import (
	"os/exec"
	"testing"

	"lockstep/internal/shell"
)

// A shell reads back each word as it was.
func TestPair(t *testing.T) {
	for _, pair := range [][2]string{{"lease", "30s"}, {"workload.fence", "reads and writes"}, {"expect.a'b", "$x"}, {"every lock", "x=y"}} {
		out, err := exec.Command("sh", "-c", "printf '%s' "+shell.Pair(pair[0], pair[1])).Output()
		if err != nil || string(out) != pair[0]+"="+pair[1] {
			t.Errorf("%q is written %s and read %q, %v", pair, shell.Pair(pair[0], pair[1]), out, err)
		}
	}
	if got := shell.Pair("lease", "30s"); got != "lease=30s" {
		t.Errorf("a plain pair is written %s", got)
	}
}

func TestWord(t *testing.T) {
	for _, word := range []string{"", "a", "reports/pause-past-lease/x.yaml", "my runs", "it's", "x; rm -rf ~", "$HOME", "`id`", "a\nb", "-n", "é", "*"} {
		out, err := exec.Command("sh", "-c", "printf '%s' "+shell.Word(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q is written %s and read %q, %v", word, shell.Word(word), out, err)
		}
	}
	if got := shell.Word("reports/a-b_c.yaml"); got != "reports/a-b_c.yaml" {
		t.Errorf("a plain word is written %s", got)
	}
}
