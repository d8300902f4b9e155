package logline

import (
	"fmt"
	"strings"
)

// strptime are the verbs of strftime, as Python, Ruby and C write times, in the words of package time. Where those have a
// form with and without zeros, it is the one that reads both.
var strptime = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "1", 'd': "_2", 'e': "_2", 'H': "15", 'I': "3", 'M': "4", 'S': "5", 'f': "000000", 'L': "000",
	'b': "Jan", 'B': "January", 'a': "Mon", 'A': "Monday", 'p': "PM", 'z': "-0700", 'Z': "MST", 'T': "15:4:5", 'F': "2006-1-_2", '%': "%",
}

// letters are those of java.time and .NET, as logback, log4j and Serilog write times.
var letters = map[string]string{
	"yyyy": "2006", "uuuu": "2006", "yy": "06", "MMMM": "January", "MMM": "Jan", "MM": "1", "M": "1", "dd": "_2", "d": "_2", "HH": "15", "H": "15", "hh": "3", "h": "3",
	"mm": "4", "m": "4", "ss": "5", "s": "5", "XXX": "Z07:00", "XX": "Z0700", "X": "Z07", "Z": "-0700", "zzz": "-07:00", "K": "Z07:00", "z": "MST",
	"EEE": "Mon", "EEEE": "Monday", "ddd": "Mon", "dddd": "Monday", "a": "PM", "tt": "PM",
}

// layoutOf is a layout of times in the words of package time, in which it may be written as well.
func layoutOf(text string) (layout string, err error) {
	switch {
	case strings.Contains(text, "%"):
		layout, err = fromStrptime(text)
	case strings.Contains(text, "2006") || strings.Contains(text, "15:04") || strings.Contains(text, "3:04"):
		layout = text
	default:
		layout, err = fromLetters(text)
	}
	if err != nil {
		return "", err
	}
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(layout, p) {
				return true
			}
		}
		return false
	}
	switch half := !has("15"); {
	case half && !has("3") || !has("4") || !has("5"):
		return "", fmt.Errorf("%q has no hour, minute and second: write it as yyyy-MM-dd HH:mm:ss.SSS, %%Y-%%m-%%d %%H:%%M:%%S.%%f or 2006-01-02 15:04:05.000", text)
	case half && !has("PM"):
		return "", fmt.Errorf("%q has hours up to 12 and no AM or PM: write H or %%H for hours up to 23, or add a or %%p", text)
	}
	return layout, nil
}

func fromStrptime(text string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		if i++; i == len(text) || strptime[text[i]] == "" {
			return "", fmt.Errorf("%q has an unknown verb: there are %%Y %%y %%m %%d %%b %%B %%a %%A %%H %%I %%p %%M %%S %%f (microseconds) %%L (milliseconds) %%z %%Z", text)
		}
		b.WriteString(strptime[text[i]])
	}
	return b.String(), nil
}

func fromLetters(text string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); {
		c := text[i]
		n := i
		for n < len(text) && text[n] == c {
			n++
		}
		run := text[i:n]
		switch {
		case c == '\'':
			end := strings.IndexByte(text[i+1:], '\'')
			if end < 0 {
				return "", fmt.Errorf("%q has a quotation mark that does not end", text)
			}
			b.WriteString(text[i+1 : i+1+end])
			n = i + end + 2
		case c == 'S' || c == 'f':
			b.WriteString(strings.Repeat("0", len(run)))
		case c == 'T':
			b.WriteString(run)
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			if letters[run] == "" {
				return "", fmt.Errorf("%q: %s is not known in a layout: put letters that stand for themselves into quotation marks, as in yyyy-MM-dd'T'HH:mm:ss", text, run)
			}
			b.WriteString(letters[run])
		default:
			b.WriteString(run)
		}
		i = n
	}
	return b.String(), nil
}
