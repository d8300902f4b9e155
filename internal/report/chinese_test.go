package report_test

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"lockstep/internal/chaos"
	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/report"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
)

// played plays a story with all its locks.
func played(t *testing.T, w *sim.World, p *plan.Plan) *report.Bundle {
	t.Helper()
	b := &report.Bundle{Plan: p, Backend: "sim", Seed: 1, Hash: "5f0c", Replay: "simulate run x --seed 1"}
	for _, lock := range p.Locks {
		out := run.One(context.Background(), w, p, lock, 1)
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		shown := report.Run{Lock: lock, Judgement: out.Judgement, Untested: out.Untested()}
		for _, e := range out.Expected {
			shown.Expected = append(shown.Expected, report.Expected{Property: e.Property, Expected: e.Verdict, Got: string(e.Got), Met: e.Met()})
		}
		b.Runs = append(b.Runs, shown)
	}
	return b
}

// others are the same runs as if on real servers, and as if nothing had gone as expected.
func others(b *report.Bundle) []*report.Bundle {
	live, missed := *b, *b
	live.Backend, live.Logs = "process", true
	missed.Runs = slices.Clone(b.Runs)
	for i := range missed.Runs {
		r := &missed.Runs[i]
		r.Untested = say.NeverFired.With(1, say.Both{English: "pause A", Chinese: "让 A 停顿"})
		r.Expected = slices.Clone(r.Expected)
		for k := range r.Expected {
			e := &r.Expected[k]
			e.Met, e.Expected = false, map[string]string{"kept": "broken", "broken": "kept"}[e.Got]
		}
	}
	return []*report.Bundle{b, &live, &missed}
}

// stories are all that the simulator can play, with what is drawn in them.
func stories(t *testing.T) (all []*plan.Plan) {
	t.Helper()
	for _, dir := range []string{"lessons", "search", "regressions"} {
		files, err := filepath.Glob("../../scenarios/" + dir + "/*.yaml")
		if err != nil || len(files) == 0 {
			t.Fatalf("no stories in %s: %v", dir, err)
		}
		for _, file := range files {
			p, err := scenario.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			drawn := *chaos.Draw(p, 1)
			drawn.File = file
			all = append(all, &drawn)
		}
	}
	return all
}

// Nothing on the page of any story is English but names and commands.
func TestNoEnglishIsLeftOnAChinesePage(t *testing.T) {
	w := sim.New()
	defer w.Close()
	left := map[string]string{}
	for _, p := range stories(t) {
		bundles := []*report.Bundle{played(t, w, p)}
		if strings.HasSuffix(p.File, "pause-past-lease.yaml") {
			bundles = others(bundles[0])
		}
		for _, b := range bundles {
			page, err := report.HTML(b, say.Chinese)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range english(page) {
				left[text] = filepath.Base(p.File)
			}
		}
	}
	for text, file := range left {
		t.Errorf("%s: %s", file, text)
	}
}

// The pages of several runs are Chinese as well.
func TestNoEnglishIsLeftOnOtherChinesePages(t *testing.T) {
	c := report.ComparisonOfTests()
	m := report.MatrixOfTests()
	for i := range m.Columns {
		m.Columns[i].Summary = "Clients contend, nothing goes wrong." // one that is
	}
	for i := range m.Locks {
		for k := range m.Locks[i].Cells {
			m.Locks[i].Cells[k].Note = "" // the names of scripts are English
		}
	}
	for i := range c.Runs {
		if p := c.Runs[i].Bundle.Plan; p != nil {
			p.Chinese.Name = "停顿"
		}
		for k := range c.Runs[i].Bundle.Runs {
			c.Runs[i].Bundle.Runs[k].Judgement.History.Header.Scenario = "停顿"
		}
	}
	s := report.SweepOfTests()
	s.Title = "停顿"
	c.Language, m.Language, s.Language = say.Chinese, say.Chinese, say.Chinese
	pages := map[string]func() ([]byte, error){
		"comparison": func() ([]byte, error) { return report.RunsHTML(c) },
		"matrix":     func() ([]byte, error) { return report.MatrixHTML(m) },
		"sweep":      func() ([]byte, error) { return report.SweepHTML(s) },
	}
	for name, draw := range pages {
		page, err := draw()
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range english(page) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// A page says the same in both languages with the same elements.
func TestAChinesePageHasTheSameElements(t *testing.T) {
	w := sim.New()
	defer w.Close()
	p, err := scenario.Load("../../scenarios/lessons/pause-past-lease.yaml")
	if err != nil {
		t.Fatal(err)
	}
	b := played(t, w, p)
	var tags [2][]string
	for i, l := range []say.Language{say.English, say.Chinese} {
		page, err := report.HTML(b, l)
		if err != nil {
			t.Fatal(err)
		}
		if lang := fmt.Sprintf("<html lang=%q>", l); !strings.Contains(string(page), lang) {
			t.Errorf("the page has no %s", lang)
		}
		z := html.NewTokenizer(strings.NewReader(string(page)))
		for z.Next() != html.ErrorToken {
			if tok := z.Token(); tok.Type == html.StartTagToken && !slices.Contains([]string{"a", "dt", "dd"}, tok.Data) {
				tags[i] = append(tags[i], tok.Data)
			}
		}
	}
	if len(tags[0]) < 500 || !slices.Equal(tags[0], tags[1]) {
		t.Errorf("%d elements in English, %d in Chinese", len(tags[0]), len(tags[1]))
	}
}

// english returns the texts of a page that have English words.
func english(page []byte) (out []string) {
	doc, err := html.Parse(strings.NewReader(string(page)))
	if err != nil {
		return []string{err.Error()}
	}
	var visit func(n *html.Node)
	visit = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			data := n.Data
			if n.Parent.Data == "script" {
				data = keys.ReplaceAllString(data, "")
			}
			if prose(data) {
				out = append(out, strings.TrimSpace(data))
			}
			return
		case n.Type == html.ElementNode && quotes(n):
			return
		}
		for _, a := range n.Attr {
			if slices.Contains([]string{"aria-label", "title", "placeholder"}, a.Key) && prose(a.Val) {
				out = append(out, a.Val)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			visit(c)
		}
	}
	visit(doc)
	return out
}

// quotes reports whether an element is not in the words of the page: what goes over the wire, the
// code of the page.
func quotes(n *html.Node) bool {
	var class, kind, translate string
	for _, a := range n.Attr {
		switch a.Key {
		case "class":
			class = a.Val
		case "type":
			kind = a.Val
		case "translate":
			translate = a.Val
		}
	}
	switch n.Data {
	case "style", "code", "kbd":
		return true
	case "script":
		return kind != "application/json"
	case "title":
		if n.Parent.Data == "g" {
			return true // a message of the diagram
		}
	}
	return translate == "no" || n.Data == "text" && strings.HasPrefix(class, "w")
}

// keys are those of the data of the page's script, and what it fills in.
var keys = regexp.MustCompile(`"[a-z]+":|\{[a-z]+\}`)

var latin = regexp.MustCompile(`-{0,2}[A-Za-z][A-Za-z0-9_./:-]*[A-Za-z0-9/]`)

// prose reports whether a text has a word that is no name.
func prose(s string) bool {
	s = inBrackets.ReplaceAllString(s, "")
	return slices.ContainsFunc(latin.FindAllString(s, -1), func(word string) bool {
		return !names[word] && !strings.ContainsAny(word, "0123456789_./") && !strings.HasPrefix(word, "--") && word != strings.ToUpper(word)
	})
}

// inBrackets is the English name of a word that the page explains, or what a server says.
var inBrackets = regexp.MustCompile(`（[A-Za-z -]+）|ERR .*`)

// names are Latin words that a Chinese text has as well: those of products, of verdicts'
// properties, of locks and of the program's own files and flags.
var names = func() map[string]bool {
	all := map[string]bool{}
	for _, list := range [][]string{
		strings.Fields("Redis Cluster MySQL PostgreSQL Consul ZooKeeper etcd Redisson Redlock Go tick simulate search sim process ppm Lua"),
		strings.Fields("lease pause loss ms run FILE redis redis-nodes mysql postgres zookeeper consul"),                                   // keys and units of scenarios, a command, stores
		strings.Fields("acquire lock unlock renew release ClassCastException String Integer"),                                              // scripts of the locks, and what a driver says
		strings.Fields("watch revision keep-alive keepalive context socket nil finally kill hash tag id czxid create delete Linux Valkey"), // terms and code in stories and in what locks say of themselves
		strings.Fields("lock-delay ModifyIndex node-timeout repl-timeout fairLockWaitTimeout leaseTime tryLock getToken lockAndGetToken TairString"),
		strings.Fields("key value name token seconds milliseconds lKey lkey lockKey"), // arguments of commands
	} {
		for _, name := range list {
			all[name] = true
		}
	}
	for _, p := range checker.All() {
		all[p.ID] = true
	}
	for _, v := range locks.All() {
		all[v.ID] = true
	}
	return all
}()
