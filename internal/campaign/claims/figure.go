package claims

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/say"
)

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
	parts := make([]say.Both, len(names))
	for i, name := range names {
		parts[i] = say.Both{English: name}
	}
	return listed(parts)
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
	all := make(say.Remarks, len(parts))
	for i, p := range parts {
		all[i] = p.Phrase()
	}
	return remarks.With(all).Both()
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
	sign := ""
	if a < 0 {
		sign, a = "-", -a
	}
	whole, rest := a/b, a%b
	thousandths := (rest*1000 + b/2) / b
	if thousandths == 1000 {
		whole, thousandths = whole+1, 0
	}
	text := strings.TrimRight(fmt.Sprintf("%d.%03d", whole, thousandths), "0")
	return sign + strings.TrimSuffix(text, ".")
}
