package logline

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"
)

// strptime has the layouts of package time for the verbs of strftime, which Python, Ruby and C use.
// They accept numbers with and without leading zeros.
var strptime = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "1", 'd': "_2", 'e': "_2", 'H': "15", 'I': "3", 'M': "4", 'S': "5", 'f': "000000", 'L': "000",
	'b': "Jan", 'B': "January", 'a': "Mon", 'A': "Monday", 'p': "PM", 'z': "-0700", 'Z': "MST", 'T': "15:4:5", 'F': "2006-1-_2", '%': "%",
}

// letters has the layouts for the letters of java.time and .NET, which logback, log4j and Serilog
// use.
var letters = map[string]string{
	"yyyy": "2006", "uuuu": "2006", "yy": "06", "MMMM": "January", "MMM": "Jan", "MM": "1", "M": "1", "dd": "_2", "d": "_2", "HH": "15", "H": "15", "hh": "3", "h": "3",
	"mm": "4", "m": "4", "ss": "5", "s": "5", "XXX": "Z07:00", "XX": "Z0700", "X": "Z07", "Z": "-0700", "zzz": "-07:00", "K": "Z07:00", "z": "MST",
	"EEE": "Mon", "EEEE": "Monday", "ddd": "Mon", "dddd": "Monday", "a": "PM", "tt": "PM",
}

// layoutOf converts a layout of times to one of package time.
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
	has := func(part string) bool { return strings.Contains(layout, part) }
	day := time.Date(2001, 2, 3, 0, 0, 0, 0, time.UTC) // Saturday, as a week and a month later
	as := func(other time.Time) bool { return day.Format(layout) == other.Format(layout) }
	switch half := !has("15"); {
	case half && !has("3") || !has("4") || !has("5"):
		return "", fmt.Errorf("%q has no hour, minute and second: write it as yyyy-MM-dd HH:mm:ss.SSS, %%Y-%%m-%%d %%H:%%M:%%S.%%f or 2006-01-02 15:04:05.000", text)
	case half && !has("PM"):
		return "", fmt.Errorf("%q has hours up to 12 and no AM or PM: write H or %%H for hours up to 23, or add a or %%p", text)
	case as(day.AddDate(0, 0, 7)) || as(day.AddDate(0, 1, 0)):
		return "", fmt.Errorf("%q has no day and month, and a hold past midnight would end before it begins: put the date in front of each line", text)
	}
	return layout, nil
}

// Parts of layouts with a meaning: a verb of strftime; a text in quotation marks, a run of one
// letter.
var (
	verb = regexp.MustCompile(`%.?`)
	run  = regexp.MustCompile(`'[^']*'?|y+|u+|M+|d+|H+|h+|m+|s+|S+|f+|T+|X+|Z+|z+|K+|E+|a+|t+|[A-Za-z]`)
)

func fromStrptime(text string) (layout string, err error) {
	layout = verb.ReplaceAllStringFunc(text, func(part string) string {
		meaning := strptime[part[len(part)-1]]
		if meaning == "" || part == "%" {
			err = fmt.Errorf("%q has an unknown verb: there are %%Y %%y %%m %%d %%b %%B %%a %%A %%H %%I %%p %%M %%S %%f (microseconds) %%L (milliseconds) %%z %%Z", text)
		}
		return meaning
	})
	return layout, err
}

func fromLetters(text string) (layout string, err error) {
	layout = run.ReplaceAllStringFunc(text, func(part string) string {
		switch meaning := letters[part]; {
		case part[0] == '\'' && (len(part) == 1 || part[len(part)-1] != '\''):
			err = fmt.Errorf("%q has a quotation mark that does not end", text)
		case part[0] == '\'':
			return part[1 : len(part)-1]
		case part[0] == 'S' || part[0] == 'f':
			return strings.Repeat("0", len(part))
		case part[0] == 'T' || meaning != "":
			return cmp.Or(meaning, part)
		case err == nil:
			err = fmt.Errorf("%q: %s is not known in a layout: put letters that stand for themselves into quotation marks, as in yyyy-MM-dd'T'HH:mm:ss", text, part)
		}
		return ""
	})
	return layout, err
}

// Format describes a log, as far as it cannot be detected. A file with one, a mapping, has the keys
// of the tags and overrides its preset.
type Format struct {
	Preset   string            `yaml:"preset"`
	Kind     string            `yaml:"format"`      // CSV, JSON, Text or Monitor
	Pattern  words             `yaml:"pattern"`     // regular expressions with named groups: the first that matches a line
	Columns  map[string]string `yaml:"columns"`     // the sources of our values: a column, the path of a key, a group; =text, @file; joined by +
	Events   map[string]words  `yaml:"events"`      // its words for our events
	Ignore   words             `yaml:"ignore"`      // regular expressions of lines that mention a lock and are no events
	Layout   string            `yaml:"time-layout"` // of its times
	Zone     string            `yaml:"zone"`        // of times without a zone
	Zones    map[string]string `yaml:"zones"`       // the same for files whose names match a pattern such as pod-b*.log
	Unit     string            `yaml:"time-unit"`   // of times that are numbers
	Encoding string            `yaml:"encoding"`
	Rules    `yaml:",inline"`
	Head     words  `yaml:"head"`   // regular expressions for the text before the message: the first that matches a line
	Detect   string `yaml:"detect"` // a regular expression for lines that identify a preset

	patterns matcher
	head     matcher
	detect   *regexp.Regexp
	ignored  []*regexp.Regexp
	GoLayout string `yaml:"-"` // the layout of times for package time; "" for none
}

// Rules are the rules of the judgement that a mapping may state: durations such as 50ms, "" for
// none.
type Rules struct {
	ClockError    string `yaml:"clock-error"`
	ReleasedAfter string `yaml:"released-after"`
	Lease         string `yaml:"lease"`
	Reentrant     bool   `yaml:"reentrant"`
}

// words is one text, or a list of texts.
type words []string

// UnmarshalYAML reads a text as a list of one.
func (w *words) UnmarshalYAML(read func(any) error) error {
	var one string
	if err := read(&one); err == nil {
		*w = words{one}
		return nil
	}
	return read((*[]string)(w))
}

// EventWords are our words for the kinds of events.
var EventWords = []string{"acquired", "released", "lost", "extended", "waiting", "crashed", "write"}

// Parse reads a mapping.
func Parse(text []byte) (*Format, error) {
	f := &Format{}
	if err := yaml.UnmarshalWithOptions(text, f, yaml.Strict()); err != nil {
		if mistaken, ok := errors.AsType[*yaml.TypeError](err); ok { // its text names Go types
			return nil, fmt.Errorf("line %d: %q is not what its key takes", mistaken.Token.Position.Line, mistaken.Token.Value)
		}
		return nil, errors.New(strings.TrimSpace(yaml.FormatError(err, false, true)))
	}
	return f, nil
}

// Ready checks a format, and completes it by its preset.
func (f Format) Ready() (*Format, error) {
	if f.Preset != "" {
		var err error
		if f, err = f.over(f.Preset); err != nil {
			return nil, err
		}
	}
	return &f, f.check()
}

// over returns the format completed by a preset.
func (f Format) over(preset string) (Format, error) {
	p := presets()[preset]
	if p == nil {
		return f, fmt.Errorf("preset: there is no %q: there are %s", preset, strings.Join(Presets(), ", "))
	}
	f = f.Over(p)
	f.Preset = preset
	return f, f.check()
}

// Over returns the format completed by another one: words for events and lines to ignore add up,
// columns are taken one by one, unless a pattern has them, and all other keys as a whole.
func (f Format) Over(p *Format) Format {
	columns, events := map[string]string{}, map[string]words{}
	maps.Copy(columns, p.Columns)
	for _, pattern := range f.Pattern {
		maps.DeleteFunc(columns, func(ours, _ string) bool { return strings.Contains(pattern, "<"+ours+">") })
	}
	maps.Copy(columns, f.Columns)
	for _, all := range []map[string]words{f.Events, p.Events} {
		for ours, theirs := range all { // order: each for itself
			events[ours] = slices.Concat(events[ours], theirs)
		}
	}
	ignore := slices.Concat(f.Ignore, p.Ignore)
	to, from := reflect.ValueOf(&f).Elem(), reflect.ValueOf(p).Elem()
	for _, key := range reflect.VisibleFields(to.Type()) {
		if !key.IsExported() || key.Anonymous {
			continue
		}
		if at := to.FieldByIndex(key.Index); at.IsZero() || at.Kind() != reflect.Bool && at.Len() == 0 {
			at.Set(from.FieldByIndex(key.Index))
		}
	}
	f.Columns, f.Events, f.Ignore = columns, events, ignore
	return f
}

// check validates and compiles a format. Its errors name the key.
func (f *Format) check() (err error) {
	wrong := func(key string, err error) error { return fmt.Errorf("%s: %w", key, err) }
	if f.Kind != "" && !slices.Contains(kinds, f.Kind) {
		return wrong("format", fmt.Errorf("there is no %q: there are %s", f.Kind, strings.Join(kinds, ", ")))
	}
	if f.patterns, err = newMatcher(f.Pattern); err != nil {
		return wrong("pattern", err)
	}
	if f.head, err = newMatcher(f.Head); err != nil {
		return wrong("head", err)
	}
	if f.Detect != "" {
		if f.detect, err = regexp.Compile(f.Detect); err != nil {
			return wrong("detect", err)
		}
	}
	f.ignored = nil
	for _, text := range f.Ignore {
		re, err := regexp.Compile(text)
		if err != nil {
			return wrong("ignore", fmt.Errorf("%s: %w", shown([]byte(text)), err))
		}
		f.ignored = append(f.ignored, re)
	}
	for ours := range f.Columns { // order: any is as wrong
		if !slices.Contains(names, ours) {
			return wrong("columns", fmt.Errorf("there is no %q: %s can be mapped", ours, strings.Join(names, ", ")))
		}
	}
	for ours := range f.Events { // order: any is as wrong
		if !slices.Contains(EventWords, ours) {
			return wrong("events", fmt.Errorf("there is no %q: there are %s", ours, strings.Join(EventWords, ", ")))
		}
	}
	for pattern := range f.Zones { // order: any is as wrong
		if _, err := path.Match(pattern, ""); err != nil {
			return wrong("zones", fmt.Errorf("%q is no pattern of file names", pattern))
		}
	}
	if f.Layout != "" {
		if f.GoLayout, err = layoutOf(f.Layout); err != nil {
			return wrong("time-layout", err)
		}
	}
	return nil
}

// Ignores reports whether a line matches the ignored ones.
func (f *Format) Ignores(line []byte) bool {
	return slices.ContainsFunc(f.ignored, func(re *regexp.Regexp) bool { return re.Match(line) })
}

// ParseColumns parses time=ts,client=pod.
func ParseColumns(text string) (map[string]string, error) {
	return pairs(text, names, "time=ts,client=pod")
}

// ParseEvents parses lost=no longer ours,waiting=queued.
func ParseEvents(text string) (map[string]words, error) {
	all, err := pairs(text, EventWords, "acquired=got it,lost=no longer ours")
	if err != nil {
		return nil, err
	}
	events := map[string]words{}
	for ours, theirs := range all { // order: a set
		events[ours] = words(strings.Split(theirs, "|"))
	}
	return events, nil
}

func pairs(text string, ours []string, example string) (map[string]string, error) {
	all := map[string]string{}
	if text == "" {
		return all, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, theirs, ok := strings.Cut(part, "=")
		name, theirs = strings.TrimSpace(name), strings.TrimSpace(theirs)
		switch {
		case !ok || theirs == "" || !slices.Contains(ours, name):
			return nil, fmt.Errorf("%q is not of the form %s, with one of %s on the left", part, example, strings.Join(ours, ", "))
		case all[name] != "":
			return nil, fmt.Errorf("%s appears twice", name)
		}
		all[name] = theirs
	}
	return all, nil
}

//go:embed presets/*.yaml
var presetFiles embed.FS

// presets are the named formats. A preset may be based on another one.
var presets = sync.OnceValue(func() map[string]*Format {
	all := map[string]*Format{}
	files, err := presetFiles.ReadDir("presets")
	panicOn(err)
	for _, file := range files {
		text, err := presetFiles.ReadFile("presets/" + file.Name())
		panicOn(err)
		all[strings.TrimSuffix(file.Name(), ".yaml")], err = Parse(text)
		panicOn(err)
	}
	for _, f := range all { // order: what a preset is based on is based on none
		if f.Preset != "" {
			*f = f.Over(all[f.Preset])
		}
		panicOn(f.check())
	}
	return all
})

func panicOn(err error) {
	if err != nil {
		panic(err)
	}
}

// Presets returns the names of the presets, in order.
func Presets() []string { return slices.Sorted(maps.Keys(presets())) }
