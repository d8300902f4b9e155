package explorepage

import (
	"strings"

	"lockstep/internal/advice"
	"lockstep/internal/measured"
	"lockstep/internal/report/clean"
	"lockstep/internal/say"
	"lockstep/internal/shell"
)

// askView is a question with its choices.
type askView struct {
	Name, Says string
	Choices    []Kind
}

// answerView is an answer, told.
type answerView struct {
	ID, Class, Question, Sentence string
	Lines                         []Kind
	Story, Command                string
	Near, NearSays                string // another answer: of what comes closest
}

// answerRow are the answers for one thing that a reader can have.
type answerRow struct {
	Have  string
	Cells []answerCell
}

type answerCell struct{ ID, Class, Lock string }

// presetView ticks what is to be expected of something.
type presetView struct{ Name, Kinds, Stores string }

func asks(l say.Language) (out []askView) {
	for _, q := range []struct {
		name, says string
		choices    []advice.Choice
	}{
		{"have", "What do you have?", advice.Haves()}, {"if-two", "What happens if two work at once?", advice.IfTwo()},
		{"tokens", "Can your resource refuse an old token?", advice.Tokens()},
	} {
		view := askView{Name: q.name, Says: say.Text(q.says).In(l)}
		for _, c := range q.choices {
			view.Choices = append(view.Choices, Kind{c.ID, c.Name.In(l)})
		}
		out = append(out, view)
	}
	return out
}

func howRefused(l say.Language) (out []Kind) {
	for _, c := range advice.How() {
		out = append(out, Kind{c.ID, c.Name.In(l)})
	}
	return out
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

// answers answers all questions.
func (v *exploreView) answers(x *measured.Explored, costs map[string]measured.Cost, l say.Language) {
	for _, q := range advice.Questions() {
		a := advice.To(q, x, costs)
		view := answerView{ID: "answer-" + q.Key(), Class: "unknown", Question: q.Words().In(l), Sentence: clean.Sentence(a.Sentence().In(l))}
		lock := say.Text("not searched").In(l)
		switch {
		case a.Nearest != "":
			near := advice.Question{Have: a.Nearest, IfTwo: q.IfTwo, Tokens: q.Tokens}
			view.Near, view.NearSays = "answer-"+near.Key(), near.Words().In(l)
			lock = say.Text("not in this program").In(l)
		case a.Best != nil:
			lock = clean.Text(a.Best.Lock, clean.MaxName)
			if a.Survives() {
				view.Class = "kept"
			} else if a.Best.Verdict == measured.Broken {
				view.Class = "broken"
			}
			if a.Best.Story != "" {
				view.Story = clean.Text(a.Best.Story, clean.MaxLine)
				view.Command = "simulate run " + shell.Word(view.Story)
			}
		}
		for _, line := range a.Lines() {
			view.Lines = append(view.Lines, Kind{line.Head.In(l), clean.Sentence(line.Text.In(l))})
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
