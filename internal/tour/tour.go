// Package tour is the guided way from SETNX to fencing: lessons for the terminal,
// each with a story, a question, a run in the simulator, the steps of that run, one
// thing that is changed, and the run after the change.
//
// A lesson is data: a file in lessons/ with its texts in English and Chinese and with the names of
// a scenario and a lock. What happens comes from the run that is played while the learner watches,
// and the right answer to the question is the one whose condition holds in that run. The file
// states what its texts assume as claims, which a test compares with many runs.
package tour

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"lockstep/internal/each"
	"lockstep/internal/say"
)

//go:embed lessons/*.yaml
var files embed.FS

// Lesson is one idea.
type Lesson struct {
	Number   int      `yaml:"-"` // from 1, in the order of the files
	Name     string   `yaml:"name"`
	Title    Text     `yaml:"title"`
	Story    Text     `yaml:"story"`
	Predict  Question `yaml:"predict"`
	Run      Run      `yaml:"run"`
	See      Text     `yaml:"see"` // what to look at in the steps of Run
	Switch   Switch   `yaml:"switch"`
	Turn     Text     `yaml:"turn"`     // what the learner does in the playground instead of Switch
	Controls []string `yaml:"controls"` // for Turn: pause, lock, compare, fence, or a fault of the palette
	Yours    Yours    `yaml:"yours"`
	Remember Text     `yaml:"remember"`
	Own      []Step   `yaml:"own"`  // what to type for the learner's own lock
	More     []string `yaml:"more"` // names of further scenarios
}

// Step is a command line with its purpose. One without a text belongs to the previous step.
type Step struct {
	Text    Text   `yaml:"text"`
	Command string `yaml:"command"`
}

// Text is a text in both languages, with an empty line between paragraphs. It may contain figures
// of the set-up: {lease}, {pause}, {pause-again} (of the second run), {lag}.
type Text = say.Both

// Question is what the learner predicts before the run.
type Question struct {
	Text    Text     `yaml:"question"`
	Answers []Answer `yaml:"answers"`
}

// Answer is right if all its conditions hold in the run: facts by name, see Facts.
type Answer struct {
	Text `yaml:",inline"`
	When map[string]string `yaml:"when"`
	Why  Text              `yaml:"why"` // why the run contradicts it; empty for the right one
}

// Switch is the one thing that is changed, and the run after that.
type Switch struct {
	Text Text `yaml:"text"`
	Run  Run  `yaml:"run"`
}

// Yours is a value that the learner finds at the command line, with which the run of the lesson has
// another verdict.
type Yours struct {
	Change string            `yaml:"change"` // a key of the scenario file, or lock
	To     string            `yaml:"to"`     // a solution; not shown
	Reach  map[string]string `yaml:"reach"`  // one property and its verdict
}

// Run says what is played, and how much of it is shown.
type Run struct {
	Scenario string        `yaml:"scenario"` // name of a file of scenarios/lessons
	Lock     string        `yaml:"lock"`
	Fence    string        `yaml:"fence"` // replaces the scenario's, unless ""
	Pause    time.Duration `yaml:"pause"` // replaces the length of the scenario's pause, unless 0

	Steps int      `yaml:"steps"` // how many steps are shown
	Hide  []string `yaml:"hide"`  // kinds of events whose steps are left out, unless a property breaks there

	// Claims are the verdicts that the texts assume, by property. Only a test uses them.
	Claims map[string]string `yaml:"claims"`
}

// Changed reports whether the run differs from the scenario file.
func (r *Run) Changed() bool { return r.Fence != "" || r.Pause != 0 }

// Lessons returns all lessons, in order. An error is a mistake in the embedded files.
func Lessons() ([]*Lesson, error) {
	entries, err := fs.ReadDir(files, "lessons") // sorted by name, which begins with the number
	if err != nil {
		return nil, err
	}
	var all []*Lesson
	for _, e := range entries {
		data, err := fs.ReadFile(files, path.Join("lessons", e.Name()))
		if err != nil {
			return nil, err
		}
		l := &Lesson{}
		if err := yaml.UnmarshalWithOptions(data, l, yaml.DisallowUnknownField()); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		l.Number = len(all) + 1
		if want := fmt.Sprintf("%02d-%s.yaml", l.Number, l.Name); e.Name() != want {
			return nil, fmt.Errorf("%s: lesson %d is named %q, so its file should be %s", e.Name(), l.Number, l.Name, want)
		}
		all = append(all, l)
	}
	return all, nil
}

// Find returns the lesson with a number or a name, or nil.
func Find(lessons []*Lesson, word string) *Lesson {
	n, err := strconv.Atoi(word)
	for _, l := range lessons {
		if l.Name == strings.ToLower(word) || err == nil && n == l.Number {
			return l
		}
	}
	return nil
}

// Names returns the names of the lessons, in order.
func Names(lessons []*Lesson) []string {
	return each.Map(lessons, func(l *Lesson) string { return l.Name })
}
