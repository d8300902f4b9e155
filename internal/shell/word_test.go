package shell_test

import (
	"os/exec"
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
		quoted[pair[0]+"="+pair[1]] = shell.Pair(pair[0], pair[1])
	}
	for text, written := range quoted {
		out, err := exec.Command("sh", "-c", "printf '%s' "+written).Output()
		if err != nil || string(out) != text {
			t.Errorf("%q is written %s and read %q, %v", text, written, out, err)
		}
	}
	for got, want := range map[string]string{
		shell.Pair("lease", "30s"):       "lease=30s",
		shell.Word("reports/a-b_c.yaml"): "reports/a-b_c.yaml",
	} {
		if got != want {
			t.Errorf("plain %s is written %s", want, got)
		}
	}
}
