package shell_test

import (
	"os/exec"
	"strings"
	"testing"

	"lockstep/internal/shell"
)

// A shell reads back each word and pair as it was.
func TestAShellReadsBack(t *testing.T) {
	quoted := map[string]string{} // by the text
	for _, word := range []string{
		"", "a", "reports/pause-past-lease/x.yaml", "my runs", "it's", "x; rm -rf ~", "$HOME", "`id`",
		"a\nb", "-n", "é", "*",
	} {
		quoted[word] = shell.Word(word)
	}
	for _, pair := range [][2]string{
		{"workload.fence", "reads and writes"}, {"expect.a'b", "$x"}, {"every lock", "x=y"},
	} {
		change := pair[0] + "=" + pair[1]
		quoted[change] = strings.TrimPrefix(shell.Set(change), " --set ")
	}
	for text, written := range quoted {
		out, err := exec.Command("sh", "-c", "printf '%s' "+written).Output()
		if err != nil || string(out) != text {
			t.Errorf("%q is written %s and read %q, %v", text, written, out, err)
		}
	}
	for got, want := range map[string]string{
		shell.Set("lease=30s", "seed=1"): " --set lease=30s --set seed=1",
		shell.Word("reports/a-b_c.yaml"): "reports/a-b_c.yaml",
	} {
		if got != want {
			t.Errorf("plain %s is written %s", want, got)
		}
	}
}
