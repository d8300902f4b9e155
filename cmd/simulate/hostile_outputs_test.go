package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"regexp"
	"sort"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
)

// grammar is the structure of outputs with harmless texts, by kind of file: elements with their
// attributes, and the destinations of links.
type grammar map[string]map[string]bool

// kindOf is the kind of an output: all plots are one.
func kindOf(name string) string {
	if strings.HasPrefix(name, "plots/") {
		return "plot.svg"
	}
	return name
}

func (g grammar) learn(t *testing.T, name string, data []byte) {
	t.Helper()
	kind := kindOf(name)
	if g[kind] == nil {
		g[kind] = map[string]bool{}
	}
	for _, part := range parts(t, name, kind, data) {
		g[kind][part] = true
	}
}

func (g grammar) check(t *testing.T, what, name string, data []byte) {
	t.Helper()
	kind := kindOf(name)
	for _, part := range parts(t, what, kind, data) {
		if !g[kind][part] {
			t.Errorf("%s: %s is not in any output of a harmless text", what, part)
		}
	}
	if strings.HasPrefix(name, "plots/") {
		checkFileName(t, what, name)
	} else if !bytes.Contains(data, []byte(marker)) {
		t.Errorf("%s: the text is not shown", what)
	}
	text := string(data)
	if strings.HasSuffix(kind, ".json") {
		text = strings.ReplaceAll(text, `\\`, "")
	}
	checkCharacters(t, what, text)
	if strings.HasPrefix(kind, "terminal") || strings.HasPrefix(kind, "narrate") || strings.HasPrefix(kind, "check") {
		checkTerminal(t, what, text)
	}
}

// parts parses an output and returns its elements.
func parts(t *testing.T, what, kind string, data []byte) []string {
	t.Helper()
	switch path.Ext(kind) {
	case ".html":
		return htmlParts(t, what, data)
	case ".svg", ".xml":
		return xmlParts(t, what, data)
	case ".json":
		return jsonParts(t, what, data)
	case ".md":
		var page bytes.Buffer
		m := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(goldmarkhtml.WithUnsafe()))
		if err := m.Convert(data, &page); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		checkMentions(t, what, page.Bytes())
		return htmlParts(t, what, page.Bytes())
	case ".edn":
		return ednParts(t, what, string(data))
	}
	if kind == "annotations" {
		return annotationParts(string(data))
	}
	return nil
}

// htmlParts tokenizes a page.
func htmlParts(t *testing.T, what string, data []byte) []string {
	t.Helper()
	var out []string
	in := ""
	for z := html.NewTokenizer(bytes.NewReader(data)); ; {
		kind := z.Next()
		token := z.Token()
		switch kind {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				t.Errorf("%s: %v", what, z.Err())
			}
			return out
		case html.StartTagToken, html.SelfClosingTagToken:
			out = append(out, element(token.Data, token.Attr)...)
			in = token.Data
			if in == "script" && len(token.Attr) > 0 {
				in = "data"
			}
		case html.EndTagToken:
			out = append(out, "</"+token.Data+">")
			in = ""
		case html.TextToken:
			switch {
			case in == "data" && !json.Valid([]byte(token.Data)):
				t.Errorf("%s: the data of the page is not JSON", what)
			case (in == "script" || in == "style") && strings.Contains(token.Data, marker):
				t.Errorf("%s: the text is in a %s", what, in)
			}
		case html.CommentToken:
			if strings.Contains(token.Data, marker) {
				t.Errorf("%s: the text is in a comment", what)
			}
		}
	}
}

// checkMentions refuses names of users and numbers of issues, which GitHub links in all text but
// code.
func checkMentions(t *testing.T, what string, page []byte) {
	t.Helper()
	code := 0
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return
		}
		token := z.Token()
		switch isCode := token.Data == "code"; {
		case isCode && kind == html.StartTagToken:
			code++
		case isCode && kind == html.EndTagToken:
			code--
		case kind == html.TextToken && code == 0 && mention.MatchString(token.Data):
			t.Errorf("%s: a mention in %.200q", what, token.Data)
		}
	}
}

var mention = regexp.MustCompile(`[@#][0-9A-Za-z]`)

// element names an element with its attributes, and with those values that have an effect.
func element(name string, attributes []html.Attribute) []string {
	var names, out []string
	for _, a := range attributes {
		names = append(names, a.Key)
		switch a.Key {
		case "href", "xlink:href", "src", "action", "type", "http-equiv", "content":
			if !fragment.MatchString(a.Val) {
				out = append(out, name+" "+a.Key+"="+a.Val)
			}
		case "style", "class":
			if strings.Contains(a.Val, marker) {
				out = append(out, name+" "+a.Key+" with the text")
			}
		}
	}
	sort.Strings(names)
	return append(out, "<"+name+" "+strings.Join(names, " ")+">")
}

// fragment is a link within a page.
var fragment = regexp.MustCompile(`^#[^\s"<>]*$`)

// xmlParts parses an XML file, strictly.
func xmlParts(t *testing.T, what string, data []byte) []string {
	t.Helper()
	var out []string
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return out
		}
		switch e := token.(type) {
		case xml.StartElement:
			var attributes []html.Attribute
			for _, a := range e.Attr {
				attributes = append(attributes, html.Attribute{Key: a.Name.Local, Val: a.Value})
			}
			if e.Name.Local == "failure" { // its attribute type is a verdict
				attributes = nil
			}
			out = append(out, element(e.Name.Local, attributes)...)
		case xml.Comment, xml.Directive:
			out = append(out, "a comment or a directive")
		}
	}
}

// jsonParts reads one JSON value and returns its keys, except hostile names of properties and
// nodes.
func jsonParts(t *testing.T, what string, data []byte) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	var v any
	if err := d.Decode(&v); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		t.Errorf("%s: the JSON is followed by something", what)
	}
	var out []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, below := range v { // order: a set
				if !strings.Contains(key, marker) {
					out = append(out, "key "+key)
				}
				walk(below)
			}
		case []any:
			for _, below := range v {
				walk(below)
			}
		}
	}
	walk(v)
	return out
}

var ednLine = regexp.MustCompile(`^\{:index \d+, :time \d+, :process [0-9a-z:]+, :type :[a-z]+, :f :[a-z]+, :value (.+)\}$`)

// ednParts reads operations; the escapes of a text are those of JSON.
func ednParts(t *testing.T, what, ops string) []string {
	t.Helper()
	var out []string
	for line := range strings.Lines(ops) {
		m := ednLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Errorf("%s: %q is not an operation", what, line)
			continue
		}
		if strings.HasPrefix(m[1], `"`) {
			out = append(out, jsonParts(t, what, []byte(m[1]))...)
		}
	}
	return out
}

// annotationParts are the commands to GitHub, with the names of their properties.
func annotationParts(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		command, _, _ := strings.Cut(strings.TrimPrefix(line, "::"), "::")
		verb, properties, _ := strings.Cut(command, " ")
		for _, p := range strings.Split(properties, ",") {
			name, _, _ := strings.Cut(p, "=")
			verb += " " + name
		}
		out = append(out, verb)
	}
	return out
}

// checkCharacters refuses characters that control a terminal, are invisible or change the direction
// of writing.
func checkCharacters(t *testing.T, what, text string) {
	t.Helper()
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		bad := unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || unicode.IsControl(r) && r != '\n' && r != '\t' ||
			r == '\u2028' || r == '\u2029' || r == utf8.RuneError && size == 1
		if bad {
			t.Errorf("%s: %U at %d: %q", what, r, i, text[max(0, i-40):i])
			return
		}
	}
}

// checkTerminal checks a text for a terminal or for the log of a CI server.
func checkTerminal(t *testing.T, what, text string) {
	t.Helper()
	checkCharacters(t, what, text)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || ciCommand.MatchString(line) {
			t.Errorf("%s: a command to a CI server: %.100s", what, line)
		}
	}
}

var ciCommand = regexp.MustCompile(`##[a-z]*\[`)

// checkFileName requires a name that every file system accepts, below the run directory.
func checkFileName(t *testing.T, what, name string) {
	t.Helper()
	if !fileName.MatchString(name) || strings.Contains(name, "..") && strings.Contains(name, "/..") || len(path.Base(name)) > 120 {
		t.Errorf("%s: the file name %.200q", what, name)
	}
}

var fileName = regexp.MustCompile(`^(plots/)?[A-Za-z0-9][A-Za-z0-9._-]*$`)
