package runpage_test

import (
	"encoding/xml"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/diagram"
	"lockstep/internal/say"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/timeline"
)

// These tests read the drawing itself, its columns by their names and its bars and marks by their
// places, and the English of the steps, so no shared code can hide a difference between them.

// shape is a drawn element.
type shape struct {
	tag, class, text string
	x, y, w, h       int
	x1, y1           int // of an arrow: its end
}

func (s *shape) is(class string) bool { return slices.Contains(strings.Fields(s.class), class) }

// drawnPicture is a diagram as a reader sees it.
type drawnPicture struct {
	columns map[int]string // by x
	shapes  []shape
	steps   []int // heights
}

var moveTo = regexp.MustCompile(`^M(-?\d+) (-?\d+)(?:L(-?\d+) (-?\d+)$)?`)

func readPicture(t *testing.T, svg string) *drawnPicture {
	t.Helper()
	p := &drawnPicture{columns: map[int]string{}}
	d := xml.NewDecoder(strings.NewReader(svg))
	var open *shape
	for {
		token, err := d.Token()
		if err != nil {
			return p
		}
		switch e := token.(type) {
		case xml.StartElement:
			s := shape{tag: e.Name.Local}
			for _, a := range e.Attr {
				n, _ := strconv.Atoi(a.Value)
				switch a.Name.Local {
				case "class":
					s.class = a.Value
				case "x", "cx":
					s.x = n
				case "y", "cy":
					s.y = n
				case "width":
					s.w = n
				case "height":
					s.h = n
				case "d":
					if m := moveTo.FindStringSubmatch(a.Value); m != nil {
						s.x, _ = strconv.Atoi(m[1])
						s.y, _ = strconv.Atoi(m[2])
						s.x1, _ = strconv.Atoi(m[3])
						s.y1, _ = strconv.Atoi(m[4])
					}
				case "data-steps":
					for _, f := range strings.Fields(a.Value) {
						y, _ := strconv.Atoi(f)
						p.steps = append(p.steps, y)
					}
				}
			}
			p.shapes = append(p.shapes, s)
			open = &p.shapes[len(p.shapes)-1]
		case xml.CharData:
			if open != nil {
				open.text += string(e)
			}
		case xml.EndElement:
			if open != nil && open.is("node") {
				p.columns[open.x] = open.text
			}
			open = nil
		}
	}
}

// at is the name of the column nearest to an x.
func (p *drawnPicture) at(x int) string {
	best, name := 1<<30, ""
	for c, n := range p.columns {
		if d := max(c-x, x-c); d < best {
			best, name = d, n
		}
	}
	return name
}

func (p *drawnPicture) has(name string) bool {
	return slices.Contains(slices.Collect(maps.Values(p.columns)), name)
}

// bars lists the names of the columns in which a bar of a class lies at a height, with the
// number of its colour.
func (p *drawnPicture) bars(prefix string, y int) (out []string) {
	for i := range p.shapes {
		s := &p.shapes[i]
		if s.tag != "rect" || s.y > y || s.y+s.h <= y {
			continue
		}
		if n, ok := strings.CutPrefix(s.class, prefix); ok && len(n) == 1 {
			out = append(out, p.at(s.x+7)+" "+n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// marks pairs sentences of the story with their marks, which lie at the height of the step, apart
// from the offset of a label.
var marks = []struct {
	says  *regexp.Regexp // its first group, if it has one, is a name or a number that the mark has too
	drawn func(s *shape) bool
	by    int // pixels from the mark to its step
}{
	{regexp.MustCompile(`^(?:The store|(?:Store )?(\S+)) freezes`), func(s *shape) bool { return s.tag == "rect" && s.is("frozen") }, 0},
	{regexp.MustCompile(`^(?:The store|(?:Store )?(\S+)) (?:crashes|is lost with its host)`), func(s *shape) bool { return s.tag == "text" && s.text == "dead" }, -4},
	{regexp.MustCompile(`becomes the primary`), func(s *shape) bool { return s.tag == "text" && s.text == "primary" }, -4},
	{regexp.MustCompile(`becomes the leader`), func(s *shape) bool { return s.tag == "text" && s.text == "leader" }, -4},
	{regexp.MustCompile(`becomes a replica`), func(s *shape) bool { return s.tag == "text" && s.text == "replica" }, -4},
	{regexp.MustCompile(`restarts`), func(s *shape) bool { return s.tag == "text" && s.text == "restarts" }, -4},
	{regexp.MustCompile(`wall clock jumps`), func(s *shape) bool { return s.tag == "text" && s.text == "clock" }, -4},
	{regexp.MustCompile(`The resource takes it`), func(s *shape) bool { return s.tag == "path" && s.is("write") }, 7},
	{regexp.MustCompile(`The resource refuses`), func(s *shape) bool { return s.tag == "path" && s.is("refused") }, 7},
	{regexp.MustCompile(`renews its lease|has renewed|writes its entry again|sets the lease|extends`), func(s *shape) bool { return s.tag == "path" && s.is("renewed") }, 0},
}

// wrong lists where a picture and its story differ.
func wrong(p *drawnPicture, h *history.History, steps []explain.Step) (out []string) {
	names := map[string]int{} // of clients, with their numbers
	for _, n := range h.Header.Nodes {
		if n.Role == history.RoleClient {
			names[n.Name] = len(names)%6 + 1
		}
	}
	crowd := len(names) // of many clients some have no lane
	if crowd > 6 {      // the first six that get the lock have the six colours
		clear(names)
		for _, e := range h.Events {
			if _, known := names[h.Name(e.Node)]; e.Kind == history.Acquired && h.Role(e.Node) == history.RoleClient && !known && len(names) < 6 {
				names[h.Name(e.Node)] = len(names) + 1
			}
		}
		for _, n := range h.Header.Nodes { // and the others after them
			if _, known := names[n.Name]; n.Role == history.RoleClient && !known {
				names[n.Name] = len(names)%6 + 1
			}
		}
	}
	maps.DeleteFunc(names, func(name string, _ int) bool { return crowd > 10 && !p.has(name) })
	bad := func(n int, format string, args ...any) {
		out = append(out, fmt.Sprintf("step %d (%s): %s", n+1, steps[n].Sentence.English(), fmt.Sprintf(format, args...)))
	}
	for n := range steps {
		s, y := &steps[n], p.steps[n]
		sentence := s.Sentence.English()
		for _, node := range h.Header.Nodes {
			if node.Role != history.RoleProbe && word(sentence, node.Name) && !p.has(node.Name) && (crowd <= 10 || node.Role != history.RoleClient) {
				bad(n, "%s has no lane", node.Name)
			}
		}
		// Who believes.
		var believe []string
		for name, number := range names {
			if before, _, _ := strings.Cut(s.Belief.English(), " believe"); word(before, name) {
				believe = append(believe, fmt.Sprint(name, " ", number))
			}
		}
		slices.Sort(believe)
		if drawn := p.bars("b", y); !strings.Contains(s.Belief.English(), "clients") && !slices.Equal(believe, without(drawn, "probe")) {
			bad(n, "%q, and the picture has %q", s.Belief.English(), drawn)
		}
		// Which entries the stores have, by the numbers of the colours.
		if store := s.Store.English(); !strings.Contains(store, "probe") {
			var have, drawn []string
			for name, number := range names {
				if word(store[strings.Index(store, ":")+1:], name) {
					have = append(have, fmt.Sprint(number))
				}
			}
			for _, bar := range p.bars("g", y) {
				if owner := bar[strings.LastIndex(bar, " ")+1:]; owner != "0" {
					drawn = append(drawn, owner)
				}
			}
			slices.Sort(have)
			slices.Sort(drawn)
			if drawn = slices.Compact(drawn); !slices.Equal(slices.Compact(have), drawn) {
				bad(n, "%q, and the picture has entries of client number %q", store, drawn)
			}
		}
		// What breaks.
		rings := 0
		for i := range p.shapes {
			if r := &p.shapes[i]; r.is("ring") && r.y == y {
				rings++
			}
		}
		if s.Violation != (rings > 0) {
			bad(n, "a property breaks: %t, and %d rings", s.Violation, rings)
		}
		// What happens to which node.
		for _, m := range marks {
			found := m.says.FindStringSubmatch(sentence)
			if found == nil || strings.Contains(sentence, "probe") || crowd > 10 && len(found) > 1 && found[1] != "" && !p.has(found[1]) {
				continue
			}
			if !slices.ContainsFunc(p.shapes, func(s shape) bool {
				return m.drawn(&s) && s.y+m.by == y && (len(found) < 2 || found[1] == "" || p.at(s.x+s.w/2) == found[1] || p.at(s.x-13) == found[1])
			}) {
				bad(n, "no mark")
			}
		}
		if m := regexp.MustCompile(`^Fault (\d+) begins`).FindStringSubmatch(sentence); m != nil &&
			!slices.ContainsFunc(p.shapes, func(s shape) bool { return s.text == "fault "+m[1] && s.y >= y && s.y <= y+14 }) {
			bad(n, "fault %s is not in the picture", m[1])
		}
	}
	// The other way round: no mark without its step.
	for i := range p.shapes {
		s := &p.shapes[i]
		for _, m := range marks {
			if !m.drawn(s) || s.y+m.by < p.steps[0] { // what lies before the first step
				continue
			}
			n := slices.Index(p.steps, s.y+m.by)
			if n < 0 || !m.says.MatchString(steps[n].Sentence.English()) {
				near := ""
				if n >= 0 {
					near = steps[n].Sentence.English()
				}
				out = append(out, fmt.Sprintf("a mark %s.%s %q of %s at %d, and the step there says %q", s.tag, s.class, s.text, p.at(s.x), s.y, near))
			}
		}
	}
	return out
}

// unreadable lists the labels that overlap another one or an arrow.
func unreadable(p *drawnPicture) (out []string) {
	for i := range p.shapes {
		s := &p.shapes[i]
		if s.tag != "text" || !s.is("w") && !s.is("quiet") {
			continue
		}
		x0, x1 := s.across()
		for k := range p.shapes {
			o := &p.shapes[k]
			if o.tag == "text" && k != i {
				if from, to := o.across(); from < x1 && x0 < to && max(s.y-o.y, o.y-s.y) < 9 {
					out = append(out, fmt.Sprintf("%q at %d %d lies on %q", s.text, s.x, s.y, o.text))
				}
			}
			if from, to := max(min(o.x, o.x1), x0), min(max(o.x, o.x1), x1); o.is("msg") && from < to {
				at := func(x int) int { return o.y + (o.y1-o.y)*(x-o.x)/(o.x1-o.x) }
				if min(at(from), at(to)) < s.y && max(at(from), at(to)) > s.y-8 {
					out = append(out, fmt.Sprintf("%q at %d %d lies on an arrow from %d %d", s.text, s.x, s.y, o.x, o.y))
				}
			}
		}
	}
	return out
}

// No label overlaps another one or an arrow, in stories of all kinds: see twelve in package
// browser.
func TestLabelsAreReadable(t *testing.T) {
	for _, name := range []string{
		"pause-past-lease", "get-then-del-gap", "fence-saves-the-resource", "redlock-and-a-jumping-clock", "zookeeper-herd", "crash-before-del",
		"slow-task-blind-del", "failover-forgets-the-lock", "split-brain", "session-outlives-the-contact", "two-servers-on-each-side", "lost-acquire-reply",
	} {
		p := scenariotest.Load(t, "../../../scenarios/lessons/"+name+".yaml")
		picture, _ := pictured(t, &played(t, p).Runs[0].Judgement)
		for _, problem := range unreadable(picture) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

// A round of Redlock without a step is one row with one label, and has a line for each message.
func TestRoundIsOneRow(t *testing.T) {
	p := scenariotest.Load(t, "../../../scenarios/lessons/redlock-and-a-jumping-clock.yaml")
	j := &played(t, p).Runs[0].Judgement
	picture, _ := pictured(t, j)
	requests := 0
	for i := range picture.shapes {
		if label := &picture.shapes[i]; label.text == "SET to 5: 5 OK" {
			for k := range picture.shapes {
				if s := &picture.shapes[k]; s.is("msg") && s.x1 > s.x && s.y < label.y+20 && s.y1 > label.y && s.y1 < label.y+40 {
					requests++
				}
			}
		}
	}
	if requests != 5 {
		t.Errorf("%d requests have the label of a round of five", requests)
	}
}

// across is the horizontal extent of a label, with letters of five pixels.
func (s *shape) across() (x0, x1 int) {
	w := 5 * len(s.text)
	switch {
	case s.is("m"), s.is("node"), s.is("role"):
		return s.x - w/2, s.x + w/2
	case s.is("e"):
		return s.x - w, s.x
	}
	return s.x, s.x + w
}

// word reports whether a text has a name as a word of its own.
func word(text, name string) bool {
	return regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(name) + `($|[^\w-])`).MatchString(text)
}

func without(list []string, prefix string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return strings.HasPrefix(s, prefix) })
}

// pictured is the diagram of a run and its steps, as the page has them.
func pictured(t *testing.T, j *checker.Judgement) (*drawnPicture, []explain.Step) {
	t.Helper()
	steps, before, after := explain.Story(explain.Steps(timeline.Of(j.History), j.Findings), 120)
	l := diagram.NewLayout(j.History, steps, before == 0, after == 0)
	if l == nil {
		return &drawnPicture{}, nil
	}
	return readPicture(t, diagram.Draw(l, bundle.BarsOf(timeline.Of(j.History)), "s", say.English)), steps
}

// In every shipped story, picture and sentences agree on every node at every step.
func TestPictureAndStory(t *testing.T) {
	compared := 0
	for _, p := range stories(t, "lessons", "search", "regressions", "bugs", "published", "questions") {
		b := played(t, p)
		for i := range b.Runs {
			picture, steps := pictured(t, &b.Runs[i].Judgement)
			compared += len(steps)
			for k, problem := range wrong(picture, b.Runs[i].Judgement.History, steps) {
				if k < 3 {
					t.Errorf("%s, %s: %s", p.File, b.Runs[i].Lock, problem)
				}
			}
		}
	}
	if compared < 1000 {
		t.Errorf("compared %d steps only", compared)
	}
}
