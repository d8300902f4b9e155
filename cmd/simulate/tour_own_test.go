package main

import (
	"testing"

	"lockstep/internal/tour"
)

// What the last lesson tells the learner to type for a lock of his own, this program takes.
func TestTheLearnersOwnCommandsExist(t *testing.T) {
	lessons, err := tour.Lessons()
	if err != nil {
		t.Fatal(err)
	}
	own := lessons[len(lessons)-1].Own
	if len(own) == 0 {
		t.Error("the tour does not end with the learner's own lock")
	}
	for _, step := range own {
		words, err := splitWords(step.Command)
		if err != nil || len(words) < 2 || words[0] != "simulate" {
			t.Errorf("%q is no command of this program: %v", step.Command, err)
			continue
		}
		cmd, args, err := rootCommand().Find(words[1:])
		if err != nil || cmd == cmd.Root() {
			t.Errorf("%q: %v", step.Command, err)
			continue
		}
		if err := cmd.ParseFlags(args); err != nil {
			t.Errorf("%q: %v", step.Command, err)
		}
	}
}
