package claims

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/say"
)

// experiment is the measurement of a claim.
type experiment struct {
	*Claim
	lab        *Lab
	found      map[string]*found // by the names of Find
	conditions []condition       // of the rule, when it has been applied
	held       []bool            // which of them hold
}

// found is the answers of all runs of a play to one question, by its variations.
type found struct{ cells []cell }

// cell is the answers of the runs of one variation.
type cell struct {
	key    []string // one for each name of Each
	runs   int
	values []int64
	texts  []text
}

// text is a text that was found, with its meaning where it is an answer.
type text struct {
	say.Both
	says history.Answer
}

// result measures the claim.
func (c *Claim) result(lab *Lab) Result {
	x := &experiment{Claim: c, lab: lab, found: map[string]*found{}}
	for _, p := range c.Plays {
		x.vary(p)
	}
	verdict := x.verdict()
	return Result{verdict, say.Both{English: x.fill(c.Template, say.English), Chinese: say.Spaced(x.fill(c.TemplateZh, say.Chinese))}}
}

// vary plays all variations of a play, those of its first name outermost.
func (x *experiment) vary(p yaml.MapSlice) {
	var each yaml.MapSlice
	for _, item := range p {
		if item.Key == "each" {
			each, _ = item.Value.(yaml.MapSlice)
		}
	}
	var walk func(p yaml.MapSlice, depth int, key []string)
	walk = func(p yaml.MapSlice, depth int, key []string) {
		if depth == len(each) {
			x.play(p, slices.Clone(key))
			return
		}
		name := fmt.Sprint(each[depth].Key)
		for _, v := range values(each[depth].Value) {
			of := fmt.Sprint(v.Key)
			walk(overlaid(p, name, v.Value), depth+1, append(key, of))
		}
	}
	walk(p, 0, nil)
}

// values are the values of a name of Each, with what each is called. "100ms..1s by 50ms" is a
// sequence, "every design" all simulated locks but misprints.
func values(of any) (out yaml.MapSlice) {
	switch of := of.(type) {
	case yaml.MapSlice:
		return of
	case []any:
		for _, v := range of {
			out = append(out, yaml.MapItem{Key: v, Value: v})
		}
	case string:
		if of == "every design" {
			for _, v := range locks.Simulated() {
				if !locks.Misprint(v.ID) {
					out = append(out, yaml.MapItem{Key: v.ID, Value: v.ID})
				}
			}
			return out
		}
		var from, to, by time.Duration
		for i, text := range strings.Split(strings.ReplaceAll(of, " by ", ".."), "..") {
			d, err := time.ParseDuration(text)
			if err != nil {
				panic(failure{err})
			}
			*[]*time.Duration{&from, &to, &by}[i] = d
		}
		for ; from <= to; from += by {
			text := fmt.Sprintf("%dms", from.Milliseconds())
			out = append(out, yaml.MapItem{Key: text, Value: text})
		}
	}
	return out
}

// overlaid is a play with one of its names set: to a map of keys, to a key, or {name} in its texts.
func overlaid(p yaml.MapSlice, name string, v any) yaml.MapSlice {
	if more, ok := v.(yaml.MapSlice); ok {
		out := slices.Clone(p)
		for _, item := range more {
			at := slices.IndexFunc(out, func(old yaml.MapItem) bool { return old.Key == item.Key })
			if at < 0 {
				out = append(out, item)
			} else {
				out[at] = item
			}
		}
		return out
	}
	switch name {
	case "lock", "work", "lease", "crowd", "variant", "servers":
		return overlaid(p, "", yaml.MapSlice{{Key: name, Value: v}})
	case "faults":
		return overlaid(p, "", yaml.MapSlice{{Key: name, Value: []any{v}}})
	}
	return overlaid(p, "", yaml.MapSlice{{Key: "{" + name + "}", Value: v}})
}

// play plays one variation and asks its runs.
func (x *experiment) play(raw yaml.MapSlice, key []string) {
	var p play
	var names []yaml.MapItem
	raw = slices.DeleteFunc(slices.Clone(raw), func(item yaml.MapItem) bool {
		is := strings.HasPrefix(item.Key.(string), "{")
		if is {
			names = append(names, item)
		}
		return is
	})
	text, err := yaml.Marshal(raw)
	if err != nil {
		panic(failure{err})
	}
	for _, name := range names { // a value may contain a later name
		key := []byte(name.Key.(string))
		if !bytes.Contains(text, key) { // all variations would play the same story
			panic(failure{fmt.Errorf("%s is varied but never used", key)})
		}
		text = bytes.ReplaceAll(text, key, fmt.Append(nil, name.Value))
	}
	if err := yaml.UnmarshalWithOptions(text, &p, yaml.Strict(), yaml.UseOrderedMap()); err != nil {
		panic(failure{err})
	}
	switch {
	case p.Lab != "":
		experiments[p.Lab](x)
		return
	case p.Bare != "":
		x.session(&p, key)
		return
	}
	runs := x.lab.runs(&p, x.Scripts)
	for _, item := range p.Find {
		name := item.Key.(string)
		c := cell{key: key, runs: len(runs)}
		for _, r := range runs {
			c.add(r.ask(item.Value.(string)))
		}
		x.add(name, c)
	}
}

// add adds what was found; a bare session may give several replies one name.
func (x *experiment) add(name string, c cell) {
	f := x.found[name]
	if f == nil {
		f = &found{}
		x.found[name] = f
	}
	if last := len(f.cells) - 1; last >= 0 && slices.Equal(f.cells[last].key, c.key) {
		f.cells[last].values = append(f.cells[last].values, c.values...)
		for i := range c.texts { // joined in one text
			f.cells[last].texts[i] = text{Both: say.Both{English: f.cells[last].texts[i].English + " " + c.texts[i].English}}
		}
		return
	}
	f.cells = append(f.cells, c)
}

// add adds an answer: a number, several, or a text.
func (c *cell) add(v any) {
	switch v := v.(type) {
	case int64:
		c.values = append(c.values, v)
	case []int64:
		c.values = append(c.values, v...)
	case say.Both:
		c.texts = append(c.texts, text{Both: v})
	case text:
		c.texts = append(c.texts, v)
	default:
		panic(fmt.Sprintf("claims: an answer of type %T", v))
	}
}

// only returns the cells of certain variations: "a|b" is those of both.
func (f *found) only(names string) *found {
	out := &found{}
	for _, c := range f.cells {
		if slices.ContainsFunc(strings.Split(names, "|"), func(n string) bool { return slices.Contains(c.key, n) }) {
			out.cells = append(out.cells, c)
		}
	}
	return out
}

// groups returns the cells by the values of the first name of Each.
func (f *found) groups() (names []string, of []*found) {
	for _, c := range f.cells {
		at := slices.Index(names, c.key[0])
		if at < 0 {
			at, names, of = len(names), append(names, c.key[0]), append(of, &found{})
		}
		of[at].cells = append(of[at].cells, c)
	}
	return names, of
}

// all returns the values and texts of all cells, and the number of their runs.
func (f *found) all() (values []int64, texts []text, runs int64) {
	for _, c := range f.cells {
		values, texts, runs = append(values, c.values...), append(texts, c.texts...), runs+int64(c.runs)
	}
	return values, texts, runs
}

func (f *found) sum() (sum int64) {
	values, _, _ := f.all()
	for _, v := range values {
		sum += v
	}
	return sum
}

// field computes a statistic of what was found: n, mean, p99 and so on.
func (f *found) field(name string) any {
	values, _, runs := f.all()
	n := int64(len(values))
	switch name {
	case "n": // how many values
		return n
	case "runs":
		return runs
	case "cells": // how many variations
		return int64(len(f.cells))
	case "hits", "misses", "first", "agree": // of the first name of Each
		return f.ofGroups(name)
	}
	if n == 0 {
		return none()
	}
	slices.Sort(values)
	switch name {
	case "least":
		return values[0]
	case "most":
		return values[n-1]
	case "mean":
		return f.sum() / n
	case "thousandths":
		return f.sum() * 1000 / n
	case "p99":
		return values[(n*99+99)/100-1]
	}
	panic(failure{fmt.Errorf("what was found has no figure %q", name)})
}

// ofGroups are the figures that compare the values of the first name of Each.
func (f *found) ofGroups(name string) any {
	var hits, agree int64
	var with, without []string
	names, groups := f.groups()
	for i, g := range groups {
		if g.sum() > 0 {
			hits++
			with = append(with, names[i])
		} else {
			without = append(without, names[i])
		}
		for i, text := range g.cells[0].texts {
			agree += truth(!slices.ContainsFunc(g.cells, func(c cell) bool { return c.texts[i] != text }))
		}
	}
	switch {
	case name == "hits": // for how many something was found
		return hits
	case name == "agree": // how many texts are the same in all of its variations
		return agree
	case name == "misses": // for which nothing was found
		return without
	case len(with) == 0:
		return none()
	}
	return say.Both{English: with[0]} // the first for which something was found
}
