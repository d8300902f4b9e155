package playground

import (
	_ "embed"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"lockstep/internal/plan"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/scenarios"
)

// Start is the first scenario of the page: a pause that ends within the lease.
//
//go:embed start.yaml
var Start string

// Front is the story of the site's first page: two clients, and a pause that outlives the lease.
//
//go:embed front.yaml
var Front string

// Title is the title of Start.
func Title(l say.Language) string {
	p, err := parse(Start)
	if err != nil {
		return ""
	}
	return sanitize.Text(p.Prose(l).Name, sanitize.MaxLine)
}

// Address encodes a scenario file as the fragment of a link: spaces become +, line breaks become ;,
// and everything else is escaped as in any address. The link shows exactly this run and stays
// readable:
//
//	#scenario:+A+pause,+and+a+lease;locks:+%5Bset-nx-lua%5D;lease:+10s
func Address(file string) string {
	return readable.Replace(url.QueryEscape(strings.TrimSuffix(file, "\n")))
}

var readable = strings.NewReplacer("%0A", ";", "%3A", ":", "%2C", ",", "%2F", "/", "%28", "(", "%29", ")")

// StoryAddress is a link to a shipped story, with one lock or, for "", with its own locks.
func StoryAddress(name, lock string) string {
	if lock == "" {
		return "story=" + name
	}
	return "story=" + name + "&lock=" + lock
}

// fromAddress decodes the results of Address and StoryAddress.
func fromAddress(address string) (string, error) {
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

// briefly prints a plan as a scenario file without defaults. It expects nothing, as in the
// playground.
func briefly(p *plan.Plan) string {
	look := *p
	if look.Chaos != nil { // drawn faults are not in the file
		look.Faults, look.Drawn = nil, false
	}
	for _, lock := range p.Locks {
		look.Expect = append(look.Expect, plan.Expectation{Lock: lock, Verdict: plan.Anything})
	}
	look.File = ""
	_, text, _ := strings.Cut(scenario.Brief(&look, ""), "\n") // without the comment on top
	return text
}

// storyText is the text of a shipped story without its prose, with a lock that replaces its own
// unless that is "".
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
		// A fault needs servers that this lock does not have, so the other locks stay, too.
		with.Locks = append(alone.Locks, slices.DeleteFunc(slices.Clone(p.Locks), func(id string) bool { return id == lock })...)
		return bare(&with), nil
	}
	return "", fmt.Errorf("there is no story %q", name)
}

// bare is the text of a plan without its prose.
func bare(p *plan.Plan) string {
	p.Texts, p.Chinese, p.Remedy = plan.Texts{Name: p.Name}, plan.Texts{Name: p.Chinese.Name}, ""
	p.Expect, p.Vary = nil, nil
	p.Locks = p.Locks[:min(len(p.Locks), MaxLocks)]
	return scenario.Resolved(p)
}
