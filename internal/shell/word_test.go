package shell_test

import (
	"os/exec"
	"testing"

	"lockstep/internal/shell"
)

// A shell reads back each word as it was.
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
