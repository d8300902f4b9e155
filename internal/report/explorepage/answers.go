package explorepage

import (
	"fmt"
	"html/template"
	"strings"

	"lockstep/internal/campaign/advice"
	"lockstep/internal/campaign/results"
	"lockstep/internal/locks"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/shell"
)

// askView is a question with its choices.
type askView struct {
	Name, Says string
	Note       string // when it matters; "" for always
	Choices    []choiceView
}

// choiceView is one choice; How is a line below it, and Refuses, for a resource, is yes or no: whether it
// can refuse old tokens.
type choiceView struct{ ID, Says, How, Refuses string }

// lockName is the common name of a lock, and its id.
type lockName struct{ Name, ID string }

func nameOf(id string, l say.Language) lockName {
	return lockName{locks.Name(id).In(l), sanitize.Text(id, sanitize.MaxName)}
}

// answerView is an answer in words.
type answerView struct {
	ID, Class, Question, Sentence string
	Lines                         []lineView
	Story, Command                string
	Near, NearSays                string // the closest other answer
}

// lineView is a line of an answer; Lock links to more about a lock, "" for none.
type lineView struct{ Head, Says, Lock string }

// answerRow has the answers for one choice of "What do you have?".
type answerRow struct {
	Have  string
	Cells []answerCell
}

// answerCell is a lock, or a text with an empty ID.
type answerCell struct {
	ID, Class string
	Lock      lockName
}

// presetView ticks the faults to expect for a choice.
type presetView struct{ Name, Kinds, Stores string }

func asks(l say.Language) []askView {
	view := func(name, says string, choices []advice.Choice) askView {
		v := askView{Name: name, Says: say.Text(says).In(l)}
		for _, c := range choices {
			v.Choices = append(v.Choices, choiceView{ID: c.ID, Says: c.Name.In(l)})
		}
		return v
	}
	tokens := view("tokens", "What does the lock protect, and can that refuse an old token?", advice.Tokens())
	tokens.Note = say.Text("It matters only if two at once do damage.").In(l)
	for i, r := range advice.Resources() {
		tokens.Choices[i].How, tokens.Choices[i].Refuses = r.How.In(l), r.Tokens
	}
	return []askView{
		view("have", "What do you have?", advice.Haves()), view("if-two", "What happens if two work at once?", advice.IfTwo()), tokens,
	}
}

func presets(l say.Language) (out []presetView) {
	for _, c := range advice.Haves() {
		q := advice.Question{Have: c.ID, IfTwo: advice.Duplicate, Tokens: advice.No}
		if stores := q.Stores(); len(stores) > 0 {
			out = append(out, presetView{c.Name.In(l), strings.Join(q.ToExpect(), " "), strings.Join(stores, " ")})
		}
	}
	return out
}

// under passes the names of columns to the style, for narrow screens with one cell per line.
func under(columns []string) template.CSS {
	var b strings.Builder
	for i, name := range columns {
		fmt.Fprintf(&b, "--u%d:%q;", i, name)
	}
	return template.CSS(b.String()) // our own texts
}

// answers answers all questions.
func (v *exploreView) answers(f *advice.Facts, l say.Language) {
	for _, q := range advice.Questions() {
		a := advice.To(q, f)
		view := answerView{ID: "answer-" + q.Key(), Class: "unknown", Question: q.Words().In(l), Sentence: sanitize.Sentence(a.Sentence().In(l))}
		lock := lockName{Name: say.Text("not searched").In(l)}
		switch {
		case a.Nearest != "":
			near := advice.Question{Have: a.Nearest, IfTwo: q.IfTwo, Tokens: q.Tokens}
			view.Near, view.NearSays = "answer-"+near.Key(), near.Words().In(l)
			lock.Name = say.Text("not in this program").In(l)
		case a.Best != nil:
			lock = nameOf(a.Best.Lock, l)
			if a.Survives() {
				view.Class = "kept"
			} else if a.Best.Verdict == results.Broken {
				view.Class = "broken"
			}
			if a.Best.Story != "" {
				view.Story = sanitize.Text(a.Best.Story, sanitize.MaxLine)
				view.Command = "simulate run " + shell.Word(view.Story)
			}
		}
		for _, line := range a.Lines() {
			view.Lines = append(view.Lines, lineView{line.Head.In(l), sanitize.Sentence(line.Text.In(l)), sanitize.Text(line.Lock, sanitize.MaxName)})
		}
		v.Answers = append(v.Answers, view)
		name := a.HaveName().In(l)
		if n := len(v.Table); n == 0 || v.Table[n-1].Have != name {
			v.Table = append(v.Table, answerRow{Have: name})
		}
		row := &v.Table[len(v.Table)-1]
		row.Cells = append(row.Cells, answerCell{view.ID, view.Class, lock})
	}
}
