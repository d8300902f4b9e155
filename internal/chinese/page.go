package chinese

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	xhtml "golang.org/x/net/html"

	"lockstep/internal/glossary"
)

// Page translates the texts of a page that package report has drawn: headings,
// captions, sentences, the words in the figures, the names that screen readers read,
// and the words of the page's script. Everything else stays as it is, byte by byte.
//
// It is done after the page is drawn, not while: so the reports know one language,
// every figure and table is the same in both, and a sentence that has no translation
// yet appears in English. These are returned as well, as they stand on the page.
// What a scenario, a lock's own file or a server says stays in the language in which
// it is written: it is in elements with translate="no".
func Page(page []byte) (translated []byte, untranslated []string, err error) {
	t := &pageTranslator{in: xhtml.NewTokenizer(bytes.NewReader(page)), known: map[string]saying{}}
	for {
		if t.in.Next() == xhtml.ErrorToken {
			t.flush()
			if err := t.in.Err(); err != io.EOF {
				return nil, nil, fmt.Errorf("the page cannot be read: %w", err)
			}
			return t.out.Bytes(), t.left, nil
		}
		raw := bytes.Clone(t.in.Raw()) // Token decodes the text in place
		if err := t.take(raw, t.in.Token()); err != nil {
			return nil, nil, err
		}
	}
}

type pageTranslator struct {
	in   *xhtml.Tokenizer
	out  bytes.Buffer
	left []string // what has no translation

	known map[string]saying // the same texts come again and again

	raw   bytes.Buffer // the run of text that is being read, as it stands on the page
	text  strings.Builder
	terms []string // the explained words in it
	link  bool     // within the link of one

	inside string // the element whose text is not to be translated: style, script, code and such
	depth  int    // how many elements of its name are open within it
	json   bool   // the script is data
	svg    int    // depth of figures
	last   string // the last tag
	wire   bool   // in a figure's message: what it quotes need not have a translation
}

// saying is a text in Chinese, complete or not.
type saying struct {
	text     string
	complete bool
}

func (t *pageTranslator) say(text string) (string, bool) {
	s, ok := t.known[text]
	if !ok {
		s.text, s.complete = Text(text)
		t.known[text] = s
	}
	return s.text, s.complete
}

// take handles one piece of the page.
func (t *pageTranslator) take(raw []byte, token xhtml.Token) error {
	if t.inside != "" {
		return t.takeInside(raw, token)
	}
	switch token.Type {
	case xhtml.TextToken:
		t.raw.Write(raw)
		t.text.WriteString(token.Data)
		return nil
	case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
		if id, ok := termOf(&token); ok {
			t.raw.Write(raw)
			t.terms, t.link = append(t.terms, id), true
			return nil
		}
		t.flush()
		t.enter(&token)
		t.writeTag(raw, &token)
		return nil
	case xhtml.EndTagToken:
		if t.link && token.Data == "a" {
			t.raw.Write(raw)
			t.link = false
			return nil
		}
		t.flush()
		switch token.Data {
		case "svg":
			t.svg--
		case "g":
			t.wire = false
		}
	}
	t.flush()
	t.out.Write(raw)
	return nil
}

// takeInside handles what is not for people, but for the data of the script.
func (t *pageTranslator) takeInside(raw []byte, token xhtml.Token) error {
	switch {
	case token.Type == xhtml.StartTagToken && token.Data == t.inside:
		t.depth++
	case token.Type == xhtml.EndTagToken && token.Data == t.inside && t.depth > 0:
		t.depth--
	case token.Type == xhtml.EndTagToken && token.Data == t.inside:
		t.inside, t.json = "", false
	case token.Type == xhtml.TextToken && t.json:
		data, err := translateData([]byte(token.Data))
		if err != nil {
			return err
		}
		t.out.Write(data)
		return nil
	}
	t.out.Write(raw)
	return nil
}

// enter takes note of the elements whose texts are special.
func (t *pageTranslator) enter(token *xhtml.Token) {
	switch name := token.Data; {
	case token.Type == xhtml.SelfClosingTagToken:
	case name == "style" || name == "script" || name == "code" || name == "kbd" || attribute(token, "translate") == "no":
		t.inside = name
		t.json = attribute(token, "type") == "application/json"
	case name == "svg":
		t.svg++
	case name == "title" && t.svg > 0 && t.last == "g":
		t.wire = true
	}
	t.last = token.Data
}

// termOf returns the id of the word that a link explains.
func termOf(token *xhtml.Token) (string, bool) {
	if token.Data != "a" || attribute(token, "class") != "term" {
		return "", false
	}
	return strings.CutPrefix(attribute(token, "href"), "#word-")
}

func attribute(token *xhtml.Token, name string) string {
	for _, a := range token.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// spoken matches the attributes that are read out or shown.
var spoken = regexp.MustCompile(`(aria-label|title|placeholder)="([^"]*)"`)

// writeTag writes a tag with its attributes translated.
func (t *pageTranslator) writeTag(raw []byte, token *xhtml.Token) {
	if token.Data == "html" {
		raw = bytes.Replace(raw, []byte(`lang="en"`), []byte(`lang="zh"`), 1)
	}
	t.out.Write(spoken.ReplaceAllFunc(raw, func(a []byte) []byte {
		m := spoken.FindSubmatch(a)
		text, ok := t.say(html.UnescapeString(string(m[2])))
		if !ok {
			t.left = append(t.left, text)
			return a
		}
		return []byte(string(m[1]) + `="` + html.EscapeString(text) + `"`)
	}))
}

// flush writes the run of text that has been read, in Chinese if it can.
func (t *pageTranslator) flush() {
	if t.raw.Len() == 0 {
		return
	}
	text := strings.ReplaceAll(t.text.String(), "\u00a0", " ")
	trimmed := strings.TrimSpace(text)
	switch got, ok := t.say(trimmed); {
	case !hasWord(trimmed):
		t.out.Write(t.raw.Bytes())
	case ok:
		at := strings.Index(text, trimmed)
		t.out.WriteString(text[:at] + t.linked(got) + text[at+len(trimmed):])
	case t.wire || isName(trimmed):
		t.out.Write(t.raw.Bytes())
	default:
		t.left = append(t.left, trimmed)
		t.keep()
	}
	t.raw.Reset()
	t.text.Reset()
	t.terms = nil
}

// keep writes the run of text as it is. Outside of figures it says that it is
// English, for those who have the page read to them.
func (t *pageTranslator) keep() {
	if t.svg > 0 || !strings.Contains(strings.TrimSpace(t.text.String()), " ") {
		t.out.Write(t.raw.Bytes())
		return
	}
	t.out.WriteString(`<span lang="en">` + t.raw.String() + `</span>`)
}

// linked escapes a translation and links the words that were linked before.
func (t *pageTranslator) linked(text string) string {
	out := html.EscapeString(text)
	for _, id := range t.terms {
		term, ok := glossary.Lookup(id)
		if !ok {
			continue
		}
		for _, name := range append([]string{term.Chinese.Name}, term.Chinese.Also...) {
			if before, after, found := strings.Cut(out, name); found && !strings.Contains(before, "<a") {
				out = before + `<a class="term" href="#word-` + html.EscapeString(id) + `">` + name + `</a>` + after
				break
			}
		}
	}
	return out
}

var word = regexp.MustCompile(`[A-Za-z]{2}|[0-9] s$`)

// hasWord reports whether there is something to translate.
func hasWord(text string) bool { return word.MatchString(text) }

// properNames are names that look like words.
var properNames = map[string]bool{
	"setnx": true, "redlock": true, "redisson": true, "progress": true, "sim": true,
	"redis": true, "mysql": true, "postgres": true, "etcd": true, "zookeeper": true, "consul": true,
}

// isName reports whether a text is the name of something: a lock, a server, a file, a
// hash. A word of the language that has no translation must not be taken for one.
func isName(text string) bool {
	return !strings.Contains(text, " ") && (strings.ContainsAny(text, "-_./0123456789") || text == strings.ToUpper(text)) || properNames[text]
}

// translateData translates the texts of the script's data.
func translateData(data []byte) ([]byte, error) {
	var v any
	if len(bytes.TrimSpace(data)) == 0 {
		return data, nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("the data of the page cannot be read: %w", err)
	}
	return json.Marshal(translateValue(v)) // escapes what would end the script
}

func translateValue(v any) any {
	switch v := v.(type) {
	case string:
		text, _ := Text(v)
		return text
	case []any:
		for i := range v {
			v[i] = translateValue(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = translateValue(v[key])
		}
	}
	return v
}

// Text translates any text that a page may have. false: it stayed English, or a
// part of it did.
func Text(text string) (string, bool) {
	if got, ok := words[text]; ok {
		used(text)
		return got, true
	}
	if got, ok := say(pageRules, text); ok {
		return got, true
	}
	return text, hasHan(text) // what package explain says is Chinese already
}
