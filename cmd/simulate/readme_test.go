package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// The README names the share of updates that the first lock of Jepsen's test loses here.
func TestJepsensFigureInTheReadme(t *testing.T) {
	p := must.Get(loadFile(t.Context(), "../../scenarios/published/jepsen-etcd-3.4.3.yaml"))(t)
	w := simulator()
	defer w.Close()
	share := must.Get(lostBy(w, p, p.Locks[0]))(t)
	data := must.Get(os.ReadFile("../../README.md"))(t)
	want := fmt.Sprintf("the simulator loses %d %%", (200*share.Lost+share.Accepted)/(2*share.Accepted))
	if !strings.Contains(strings.Join(strings.Fields(string(data)), " "), want) {
		t.Errorf("README.md does not say that %s", want)
	}
}

// The recipe for CI uploads the folder in which it stores its runs.
func TestRecipeForCI(t *testing.T) {
	data := must.Get(os.ReadFile("../../docs/in-your-ci.md"))(t)
	_, page, _ := strings.Cut(string(data), "## In the repository of lockstep")
	_, recipe, _ := strings.Cut(page, "```yaml\n- uses")
	recipe, _, _ = strings.Cut(recipe, "```")
	for _, want := range []string{"simulate run scenarios --out reports --quiet", "upload-artifact", "if: always()", "\n      reports\n"} {
		if !strings.Contains(recipe, want) {
			t.Errorf("the recipe lacks %q:\n%s", want, recipe)
		}
	}
}
