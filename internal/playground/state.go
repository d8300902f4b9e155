package playground

import (
	_ "embed"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/scenarios"
)

// Start is what the page begins with: a pause that the lease forgives, and a handle at its end.
//
//go:embed start.yaml
var Start string

// Front is the story of the site's first page: two clients, and a pause that outlives the lease.
//
//go:embed front.yaml
var Front string

// Title is what the story is called that the page begins with.
func Title(l say.Language) string {
	p, err := parse(Start)
	if err != nil {
		return ""
	}
	return sanitize.Text(p.Prose(l).Name, sanitize.MaxLine)
}

// Address writes a scenario file so that it can stand behind the # of a link: blanks are +, the
// ends of lines are ;, the rest is as in any address. A link shows exactly this run, and can still
// be read:
//
//	#scenario:+A+pause,+and+a+lease;locks:+%5Bset-nx-lua%5D;lease:+10s
func Address(file string) string {
	return readable.Replace(url.QueryEscape(strings.TrimSuffix(file, "\n")))
}

var readable = strings.NewReplacer("%0A", ";", "%3A", ":", "%2C", ",", "%2F", "/", "%28", "(", "%29", ")")

// StoryAddress is a link to a shipped story as it stands, with one lock or, for "", with its own.
func StoryAddress(name, lock string) string {
	if lock == "" {
		return "story=" + name
	}
	return "story=" + name + "&lock=" + lock
}

// FromAddress reads what Address and StoryAddress have written.
func FromAddress(address string) (string, error) {
	if strings.HasPrefix(address, "story=") {
		asked, err := url.ParseQuery(address)
		if err != nil {
			return "", fmt.Errorf("this link is damaged: %w", err)
		}
		return storyText(asked.Get("story"), asked.Get("lock"))
	}
	text, err := url.QueryUnescape(strings.ReplaceAll(address, ";", "%0A"))
	if err != nil {
		return "", fmt.Errorf("this link is damaged: %w", err)
	}
	return text + "\n", nil
}

// briefly prints a plan as a scenario file that says no more than it has to. Who plays it
// elsewhere wants to look, as here.
func briefly(p *plan.Plan) string {
	look := *p
	if look.Chaos != nil { // what a storm draws is not in its file
		look.Faults, look.Drawn = nil, false
	}
	for _, lock := range p.Locks {
		look.Expect = append(look.Expect, plan.Expectation{Lock: lock, Verdict: plan.Anything})
	}
	look.File = ""
	_, text, _ := strings.Cut(scenario.Brief(&look, ""), "\n") // without the comment on top
	return text
}

// storyText is a shipped story, with a lock instead of its own unless that is "", and without what it says to its reader: here the picture does.
func storyText(name, lock string) (string, error) {
	for _, folder := range []string{"lessons", "search", "bugs"} {
		data, err := scenarios.Files.ReadFile(path.Join(folder, name+".yaml"))
		if err != nil {
			continue
		}
		p, err := scenario.Parse(name+".yaml", data)
		if err != nil {
			return "", err
		}
		if lock == "" {
			return bare(p), nil
		}
		alone, with := *p, *p
		alone.Locks = []string{lock}
		text := bare(&alone)
		if _, err := parse(text); err == nil {
			return text, nil
		}
		// A fault of the story is about servers that this lock has not: another lock has to bring them.
		with.Locks = append(alone.Locks, slices.DeleteFunc(slices.Clone(p.Locks), func(id string) bool { return id == lock })...)
		return bare(&with), nil
	}
	return "", fmt.Errorf("there is no story %q", name)
}

// bare is the text of a plan without its prose.
func bare(p *plan.Plan) string {
	p.Subtitle, p.Story, p.Question, p.Lesson, p.Remedy, p.Origin = "", "", "", "", "", ""
	p.Chinese = plan.Prose{Name: p.Chinese.Name}
	p.Expect, p.Vary = nil, nil
	p.Locks = p.Locks[:min(len(p.Locks), MaxLocks)]
	return scenario.Resolved(p)
}

// pauseOf is the first pause of a plan that has a fixed length, or nil.
func pauseOf(p *plan.Plan) *faults.Fault { return firstOf(p, "pause") }

// firstOf is the first fault with a verb, or nil.
func firstOf(p *plan.Plan, verb string) *faults.Fault {
	for i := range p.Faults {
		if p.Faults[i].Verb.Name() == verb {
			return &p.Faults[i]
		}
	}
	return nil
}
