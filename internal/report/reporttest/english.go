package reporttest

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/store"
)

// English returns the texts of a page with English words, for tests of Chinese pages.
func English(page []byte) (out []string) {
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
			} else {
				data = titles.ReplaceAllString(data, "")
			}
			if len(words(data)) > 0 {
				out = append(out, strings.TrimSpace(data))
			}
			return
		case n.Type == html.ElementNode && quotes(n):
			return
		}
		for _, a := range n.Attr {
			if slices.Contains([]string{"aria-label", "title", "placeholder"}, a.Key) && len(words(a.Val)) > 0 {
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

// NoEnglish demands a page without English words.
func NoEnglish(t *testing.T, page []byte, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range English(page) {
		t.Error(text)
	}
}

// quotes reports whether an element has no text of the page itself: messages on the wire, code.
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

// keys matches the keys and placeholders in the data of the page's script.
var keys = regexp.MustCompile(`"[a-z]+":|\{[a-z]+\}`)

var latin = regexp.MustCompile(`-{0,2}[A-Za-z][A-Za-z0-9_./:-]*[A-Za-z0-9/]`)

// EnglishRuns returns runs of three or more English words in a Chinese text full of code.
func EnglishRuns(text string) []string {
	return slices.DeleteFunc(runs.FindAllString(inBrackets.ReplaceAllString(titles.ReplaceAllString(text, ""), ""), -1), func(run string) bool { return len(words(run)) < 3 })
}

var runs = regexp.MustCompile(`[A-Za-z][A-Za-z'-]*(?:[,;:]? [A-Za-z][A-Za-z'-]*){2,}`)

// words are the English words of a text, without names.
func words(s string) []string {
	s = inBrackets.ReplaceAllString(s, "")
	return slices.DeleteFunc(latin.FindAllString(s, -1), func(word string) bool {
		return names[word] || strings.ContainsAny(word, "0123456789_./") || strings.HasPrefix(word, "--") || word == strings.ToUpper(word) || identifier.MatchString(word)
	})
}

// titles matches titles of published works, which stay in their own language.
var titles = regexp.MustCompile(`"[A-Z][^"]*"`)

// identifier matches identifiers in code, as in lockAndGetToken.
var identifier = regexp.MustCompile(`[a-z][A-Z]`)

// inBrackets matches the English name of an explained term, or an error of a server.
var inBrackets = regexp.MustCompile(`（[A-Za-z -]+）|ERR .*`)

// names are Latin words in a Chinese text: products, properties, locks, files and flags.
var names = func() map[string]bool {
	all := map[string]bool{}
	for _, list := range [][]string{
		strings.Fields("Cluster Redisson Redlock Go simulate search sim process ppm Lua zip lockstep"),
		strings.Fields("lease pause loss ms run report svg FILE"),                                                      // keys and units of scenarios, commands and a form
		strings.Fields("acquire lock unlock renew release obtain extend exists Txn ClassCastException String Integer"), // scripts of the locks, and what a driver says
		// terms and code in the texts of stories and locks
		strings.Fields("watch revision keep-alive keepalive context socket nil finally kill id hash tag czxid create delete Linux Valkey TairString"),
		strings.Fields("lock-delay ModifyIndex node-timeout repl-timeout fairLockWaitTimeout leaseTime tryLock getToken lockAndGetToken"),
		strings.Fields("key value name token owner deadline prefix seconds milliseconds lKey lkey lockKey"), // arguments of commands
		strings.Fields("go-redis Refresh Extend"), // a client library, and methods of libraries
	} {
		for _, name := range list {
			all[name] = true
		}
	}
	for _, s := range store.All() {
		all[string(s.ID)], all[s.Title] = true, true
		for _, set := range s.Settings {
			all[set.Name] = true
		}
	}
	for _, p := range checker.All() {
		all[p.ID] = true
	}
	for _, v := range locks.Known() {
		all[v.ID] = true
	}
	return all
}()
