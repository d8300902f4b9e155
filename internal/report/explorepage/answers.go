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
	Note       string // when it counts; "" for always
	Choices    []choiceView
}

// choiceView is one answer that can be given; How is a line below it, and Refuses says of a resource whether it can refuse
// old tokens, yes or no.
type choiceView struct{ ID, Says, How, Refuses string }

// lockName is a lock as people call it, with its id.
type lockName struct{ Name, ID string }

func nameOf(id string, l say.Language) lockName {
	return lockName{locks.Name(id).In(l), sanitize.Text(id, sanitize.MaxName)}
}

// answerView is an answer, told.
type answerView struct {
	ID, Class, Question, Sentence string
	Lines                         []lineView
	Story, Command                string
	Near, NearSays                string // another answer: of what comes closest
}

// lineView is one thing that an answer says; Lock is one of which the page says more, "" for none.
type lineView struct{ Head, Says, Lock string }

// answerRow are the answers for one thing that a reader can have.
type answerRow struct {
	Have  string
	Cells []answerCell
}

// answerCell is a lock, or what stands where none is: then its ID is empty.
type answerCell struct {
	ID, Class string
	Lock      lockName
}

// presetView ticks what is to be expected of something.
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

// under names the columns of a table to its style, for screens so narrow that each cell is a line of its own.
func under(columns []string) template.CSS {
	var b strings.Builder
	for i, name := range columns {
		fmt.Fprintf(&b, "--u%d:%q;", i, name)
	}
	return template.CSS(b.String()) // texts of ours
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
