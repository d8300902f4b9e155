package claims

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/each"
	"lockstep/internal/say"
)

// Conditions, figures and questions are expressions in Go's syntax, over integers and texts, with 1
// and 0 for true and false, and durations as 500*ms. x[a] are the variations of x called a, x.n is
// a figure of it; see found.

// scope gives names their meaning.
type scope interface {
	// value is the meaning of a name, nil for an unknown one.
	value(name string) any
	call(function string, args []any) any
}

var index = regexp.MustCompile(`\[([^\]"]+)\]`)

// evaluate is the value of an expression: int64, []int64, say.Both, text, []string or *found.
func evaluate(text string, in scope) any {
	e, x := parsed(text, in)
	return e.of(x)
}

func parsed(text string, in scope) (*evaluation, ast.Expr) {
	e := &evaluation{text, in}
	x, err := parser.ParseExpr(index.ReplaceAllString(text, `["$1"]`))
	if err != nil {
		e.fail("%v", err)
	}
	return e, x
}

type evaluation struct {
	text string
	in   scope
}

func (e *evaluation) fail(format string, args ...any) {
	panic(failure{fmt.Errorf("%s: %s", e.text, fmt.Sprintf(format, args...))})
}

func (e *evaluation) of(x ast.Expr) any {
	switch x := x.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			text, _ := strconv.Unquote(x.Value)
			return say.Both{English: text}
		}
		n, err := strconv.ParseInt(x.Value, 10, 64)
		if err != nil {
			e.fail("%v", err)
		}
		return n
	case *ast.Ident:
		switch x.Name {
		case "ms":
			return int64(time.Millisecond)
		case "s":
			return int64(time.Second)
		}
		if v := e.in.value(x.Name); v != nil {
			return v
		}
		e.fail("nothing is called %s", x.Name)
	case *ast.ParenExpr:
		return e.of(x.X)
	case *ast.UnaryExpr:
		return truth(e.number(x.X) == 0) // !
	case *ast.SelectorExpr:
		return e.found(x.X).field(x.Sel.Name)
	case *ast.IndexExpr:
		f := e.found(x.X).only(e.of(x.Index).(say.Both).English)
		if len(f.cells) == 0 {
			e.fail("no variation is called so")
		}
		return f
	case *ast.CallExpr:
		name, ok := x.Fun.(*ast.Ident)
		if !ok {
			e.fail("no function")
		}
		return e.in.call(name.Name, each.Map(x.Args, e.of))
	case *ast.BinaryExpr:
		return e.binary(x)
	}
	e.fail("no expression")
	return nil
}

// found is the value of an expression as what was found: a number or a text is one answer.
func (e *evaluation) found(x ast.Expr) *found { return asFound(e.of(x)) }

func asFound(v any) *found {
	if f, ok := v.(*found); ok {
		return f
	}
	var c cell
	c.add(v)
	return &found{cells: []cell{c}}
}

// number is the number in a reply, or the sum of all numbers.
func (e *evaluation) number(x ast.Expr) int64 {
	f := e.found(x)
	_, texts, _ := f.all()
	switch {
	case len(texts) != 1:
		return f.sum()
	case !texts[0].says.Numeric:
		e.fail("%q is no number", texts[0].English)
	}
	return texts[0].says.Number
}

// operators are those between two numbers.
var operators = map[token.Token]func(a, b int64) int64{
	token.LAND: func(a, b int64) int64 { return truth(a != 0 && b != 0) },
	token.LOR:  func(a, b int64) int64 { return truth(a != 0 || b != 0) },
	token.ADD:  func(a, b int64) int64 { return a + b },
	token.SUB:  func(a, b int64) int64 { return a - b },
	token.MUL:  func(a, b int64) int64 { return a * b },
	token.QUO:  func(a, b int64) int64 { return a / b },
	token.EQL:  func(a, b int64) int64 { return truth(a == b) },
	token.NEQ:  func(a, b int64) int64 { return truth(a != b) },
	token.LSS:  func(a, b int64) int64 { return truth(a < b) },
	token.LEQ:  func(a, b int64) int64 { return truth(a <= b) },
	token.GTR:  func(a, b int64) int64 { return truth(a > b) },
	token.GEQ:  func(a, b int64) int64 { return truth(a >= b) },
}

func (e *evaluation) binary(x *ast.BinaryExpr) any {
	switch {
	case x.Op == token.LAND && e.number(x.X) == 0:
		return int64(0) // the right side may have no value
	case x.Op == token.LOR && e.number(x.X) != 0:
		return int64(1)
	}
	if want, ok := e.of(x.Y).(say.Both); ok && x.Op == token.EQL {
		_, texts, _ := e.found(x.X).all()
		return truth(!slices.ContainsFunc(texts, func(t text) bool { return t.English != want.English }))
	}
	operate, ok := operators[x.Op]
	if !ok {
		e.fail("no such operator")
	}
	return operate(e.number(x.X), e.number(x.Y))
}

func truth(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// value is what was found under a name, or a result of the rule.
func (x *experiment) value(name string) any {
	if f, ok := x.found[name]; ok {
		return f
	}
	var met, missed []say.Both
	n := int64(0)
	for i, c := range x.conditions {
		n += truth(x.held[i])
		if c.Name == "" {
			continue
		}
		if x.held[i] {
			met = append(met, say.Both{English: c.Name, Chinese: c.Zh})
		} else {
			missed = append(missed, say.Both{English: c.Name, Chinese: c.Zh})
		}
	}
	switch name {
	case "conditions":
		return int64(len(x.conditions))
	case "held":
		return n
	case "met":
		return listed(met)
	case "missed":
		return listed(missed)
	}
	return nil
}

// call knows one function: ratio, of two numbers.
func (x *experiment) call(function string, args []any) any {
	if function != "ratio" || len(args) != 2 {
		x.lab.Fail("there is no function %s of %d numbers", function, len(args))
	}
	return say.Both{English: Ratio(asFound(args[0]).sum(), asFound(args[1]).sum())}
}

// number is the value of a condition.
func (x *experiment) number(text string) int64 {
	e, expr := parsed(text, x)
	return e.number(expr)
}

// placeholder is an expression in a figure, with its format.
var placeholder = regexp.MustCompile(`\{([^{}:]+)(?::([^{}]+))?\}`)

// fill evaluates the placeholders of a figure.
func (x *experiment) fill(figure string, l say.Language) string {
	return placeholder.ReplaceAllStringFunc(figure, func(of string) string {
		m := placeholder.FindStringSubmatch(of)
		return said(evaluate(m[1], x), m[2]).In(l)
	})
}

// said formats the value of an expression: its text, or the sum of its numbers.
func said(v any, form string) say.Both {
	if names, ok := v.([]string); ok {
		return saidNames(names, form)
	}
	f := asFound(v)
	values, texts, _ := f.all()
	switch {
	case len(f.cells) == 1 && len(values)+len(texts) == 0:
		return saidText(text{Both: none()}, form)
	case len(texts) > 0:
		return saidText(texts[0], form)
	}
	return saidNumber(f.sum(), form)
}

func saidNames(names []string, form string) say.Both {
	if form != "listed" {
		return say.Both{English: strings.Join(names, ", ")}
	}
	return listed(each.Map(names, func(name string) say.Both { return say.Both{English: name} }))
}

func saidNumber(n int64, form string) say.Both {
	d := time.Duration(n)
	switch form {
	case "":
		return say.Both{English: strconv.FormatInt(n, 10)}
	case "s":
		return Seconds(d)
	case "ms":
		return Millis(d)
	case "whole ms":
		return Millis(d.Round(time.Millisecond))
	case "thousandths":
		return say.Both{English: decimals(n, 1000)}
	case "ppm":
		return say.Both{English: decimals(n, 10_000) + " %"}
	}
	// One of two texts: "as before|changed".
	yes, no, ok := strings.Cut(form, "|")
	if !ok {
		panic(failure{fmt.Errorf("no number is said as %q", form)})
	}
	if n != 0 {
		no = yes
	}
	return say.Both{English: no}
}

func saidText(v text, form string) say.Both {
	switch form {
	case "":
		return v.Both
	case "s": // of the name of a variation
		d, err := time.ParseDuration(v.English)
		if err != nil {
			return v.Both // none
		}
		return Seconds(d)
	case "number", "quoted number":
		out := v.Both
		if v.says.Numeric {
			out = say.Both{English: strconv.FormatInt(v.says.Number, 10)}
		} else if v.says.Refused != "" && form != "number" {
			first, _, _ := strings.Cut(v.says.Refused, " force ") // up to its first details
			out = say.Both{English: first}
		}
		if form != "number" {
			out = say.Both{English: strconv.Quote(out.English)}
		}
		return out
	}
	if strings.Contains(form, "|") {
		return saidNumber(v.says.Number, form)
	}
	return v.Both // "ms" of none
}

// none stands for the absence of a value.
func none() say.Both { return say.Text("none").Both() }

// listed joins a list, "none" when it is empty.
func listed(parts []say.Both) say.Both {
	if len(parts) == 0 {
		return none()
	}
	return remarks.With(each.Map(parts, say.Both.Phrase)).Both()
}

var (
	remarks   = say.New1[say.Remarks]("{all}")
	inSeconds = say.New1[say.Verbatim]("{n} s")
	inMillis  = say.New1[say.Verbatim]("{n} ms")
)

// Seconds prints a duration in seconds with up to three decimals: "10 s", "2.05 s".
func Seconds(d time.Duration) say.Both {
	return inSeconds.With(say.Verbatim(decimals(int64(d), int64(time.Second)))).Both()
}

// Millis prints a duration in milliseconds with three decimals at most.
func Millis(d time.Duration) say.Both {
	return inMillis.With(say.Verbatim(decimals(int64(d), int64(time.Millisecond)))).Both()
}

// Ratio prints a / b with three decimals at most, "none" when b is 0.
func Ratio(a, b int64) string {
	if b == 0 {
		return "none"
	}
	return decimals(a, b)
}

// decimals prints a / b, rounded to three decimals, without trailing zeros. It uses integers, so
// that every machine prints the same.
func decimals(a, b int64) string {
	return strings.TrimSuffix(strings.TrimRight(big.NewRat(a, b).FloatString(3), "0"), ".")
}
