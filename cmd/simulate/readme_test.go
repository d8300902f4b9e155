package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// readmeCommand matches a command of the README: on a line of its own, where what it is
// for stands behind three blanks, or in a recipe, or in a sentence.
var readmeCommand = regexp.MustCompile("(?m)(?:^ {4,}|&& )(?:bin/|go run ./cmd/)?simulate (.*?)(?:$| {3})|`simulate (.*?)`")

// Every command of the README is one that the program knows, with flags that it has.
// (That they do what is said there is for the tests of the commands.)
func TestCommandsOfTheReadme(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := readmeCommand.FindAllStringSubmatch(string(data), -1)
	if len(found) < 25 {
		t.Fatalf("only %d commands found", len(found))
	}
	for _, m := range found {
		words := strings.Fields(m[1] + m[2])
		cmd, rest, err := rootCommand().Find(words)
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err == nil && cmd.Args != nil && len(words) > 1 { // a sentence may speak of the command alone
			err = cmd.Args(cmd, cmd.Flags().Args())
		}
		if err != nil {
			t.Errorf("simulate %s: %v", strings.Join(words, " "), err)
		}
	}
}

// The README names the share of the updates that the first lock of Jepsen's test loses here.
func TestJepsensFigureInTheReadme(t *testing.T) {
	p, err := loadFile(t.Context(), "../../scenarios/published/jepsen-etcd-3.4.3.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w := simulator()
	defer w.Close()
	share, err := lostBy(w, p, p.Locks[0])
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("the simulator loses %d %%", (200*share.Lost+share.Accepted)/(2*share.Accepted))
	if !strings.Contains(strings.Join(strings.Fields(string(data)), " "), want) {
		t.Errorf("README.md does not say that %s", want)
	}
}

// The recipe for CI keeps what it has played where it uploads it from.
func TestRecipeForCI(t *testing.T) {
	data, err := os.ReadFile("../../docs/in-your-ci.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(string(data), "## In the repository of lockstep")
	_, recipe, _ := strings.Cut(page, "```yaml\n- uses")
	recipe, _, _ = strings.Cut(recipe, "```")
	for _, want := range []string{"simulate run scenarios --out reports --quiet", "upload-artifact", "if: always()", "\n      reports\n"} {
		if !strings.Contains(recipe, want) {
			t.Errorf("the recipe lacks %q:\n%s", want, recipe)
		}
	}
}
