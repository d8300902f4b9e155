// Package chinese says in Chinese what package explain says in English: the narrated
// steps of a run, what the clients believe and the store has, the notes on violations,
// the verdict and the false assumption.
//
// package explain has one template per kind of event, and every report uses its words.
// Here is one translation per template, as a pair of patterns:
//
//	"{who} freezes[ for {d}].", "{who} 冻结[ {d}]。"
//
// A word in braces stands for a part that is carried over: its name says how it is
// translated, by its letters; a digit behind them only tells two of them apart. What
// stands in brackets may be missing, and the translation's brackets, which come in the
// same order, are then missing as well.
package chinese

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	phrases "lockstep/internal/say"
)

// rule is one pair of patterns, compiled.
type rule struct {
	match   *regexp.Regexp
	names   []string // of the groups of match; "" for an optional part
	english string
	chinese string
}

// watch, if not nil, is told of each template and each text that is of use. Tests
// find with it those that no longer are.
var watch func(english string)

func used(english string) {
	if watch != nil {
		watch(english)
	}
}

// pair is a template and its translation.
type pair struct{ english, chinese string }

var token = regexp.MustCompile(`\{[a-z]+[0-9]?\}|[\[\]]`)

// shapes are what the parts look like. The default is any text, as short as possible.
var shapes = map[string]string{
	"t": `[0-9.]+ s`, "d": `-?[0-9.]+ m?s`, "k": `[0-9]+`,
	"lock": `\S+`, "node": `[\w.-]+`,
}

// compile makes rules of templates when they are needed first: most calls of the program,
// and all of its workers, write no page.
func compile(pairs []pair) func() []rule {
	return sync.OnceValue(func() []rule {
		rules := make([]rule, len(pairs))
		for i, p := range pairs {
			rules[i] = compileOne(p)
		}
		return rules
	})
}

func compileOne(p pair) rule {
	r := rule{english: p.english, chinese: p.chinese}
	var b strings.Builder
	b.WriteString("^")
	at := 0
	for _, m := range token.FindAllStringIndex(p.english, -1) {
		b.WriteString(regexp.QuoteMeta(p.english[at:m[0]]))
		at = m[1]
		switch word := p.english[m[0]:m[1]]; word {
		case "[":
			b.WriteString("(")
			r.names = append(r.names, "")
		case "]":
			b.WriteString(")?")
		default:
			name := strings.Trim(word, "{}")
			shape, ok := shapes[strings.TrimRight(name, "0123456789")]
			if !ok {
				shape = ".+?"
			}
			b.WriteString("(" + shape + ")")
			r.names = append(r.names, name)
		}
	}
	b.WriteString(regexp.QuoteMeta(p.english[at:]) + "$")
	r.match = regexp.MustCompile(b.String())
	return r
}

// say translates a text with the first rule that matches it all.
func say(rules func() []rule, text string) (string, bool) {
	for _, r := range rules() {
		groups := r.match.FindStringSubmatch(text)
		if groups == nil {
			continue
		}
		used(r.english)
		return r.fill(groups[1:])
	}
	return text, false
}

// fill puts the parts into the translation. It fails when a part has no translation.
func (r *rule) fill(groups []string) (string, bool) {
	parts, present := map[string]string{}, []bool{}
	complete := true
	for i, name := range r.names {
		if name == "" {
			present = append(present, groups[i] != "")
			continue
		}
		if groups[i] == "" {
			continue
		}
		text, ok := part(strings.TrimRight(name, "0123456789"), groups[i])
		parts[name], complete = text, complete && ok
	}
	var b strings.Builder
	at, optional, skip := 0, 0, false
	write := func(s string) {
		if !skip {
			b.WriteString(s)
		}
	}
	for _, m := range token.FindAllStringIndex(r.chinese, -1) {
		write(r.chinese[at:m[0]])
		at = m[1]
		switch word := r.chinese[m[0]:m[1]]; word {
		case "[":
			skip = !present[optional]
			optional++
		case "]":
			skip = false
		default:
			write(parts[strings.Trim(word, "{}")])
		}
	}
	write(r.chinese[at:])
	return phrases.Spaced(b.String()), complete
}

// part translates what stands in braces.
func part(kind, text string) (string, bool) {
	switch kind {
	case "who":
		return who(text), true
	case "t", "d":
		return units(text), true
	case "cmd":
		return command(text), true
	case "names":
		return names(text), true
	case "fault", "sentence", "assumption", "belief":
		return text, hasHan(text) // package explain has said it in Chinese
	case "demand":
		return say(demandRules, text)
	case "any":
		return anything(text)
	}
	return text, true
}

func hasHan(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// anything translates a part that may be of any kind: a text of its own, a name, or a
// list of such.
func anything(text string) (string, bool) {
	if got, ok := Text(text); ok {
		return got, true
	}
	complete := true
	for _, one := range strings.Split(strings.ReplaceAll(text, " and ", ", "), ", ") {
		_, known := Text(one)
		complete = complete && (known || !hasWord(one) || isName(one))
	}
	return names(text), complete
}

// who translates a node, or several.
func who(text string) string {
	switch text {
	case "The store", "the store":
		return "存储"
	case "The resource", "the resource":
		return "资源"
	case "The probe", "the probe", "probe":
		return "探针"
	case "Somebody", "somebody":
		return "有人"
	}
	for _, lead := range []string{"Store ", "store "} {
		if name, ok := strings.CutPrefix(text, lead); ok {
			return "存储 " + name
		}
	}
	return names(text)
}

// names translates a list of names: A, B and C.
func names(text string) string {
	return groups.Replace(text)
}

// groups are what joins names, and the words for several nodes at once.
var groups = strings.NewReplacer(
	", ", "、", " and ", " 和 ",
	"the primary", "主节点", "replicas", "副本", "sentinels", "哨兵", "store", "存储",
	"any client", "任一客户端", "the next holder", "下一个持有者", "the holder", "持有者", "probe", "探针",
)

// units translates "1.5 s" and "0.42 ms".
func units(text string) string {
	if number, ok := strings.CutSuffix(text, " ms"); ok {
		return number + " 毫秒"
	}
	return strings.TrimSuffix(text, " s") + " 秒"
}

// command translates the name of a command: SET stays, "unlock script" does not.
func command(text string) string {
	if name, ok := strings.CutSuffix(text, " script"); ok {
		return name + " 脚本"
	}
	if text == "command" {
		return "命令"
	}
	return text
}
