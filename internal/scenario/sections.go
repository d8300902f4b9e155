package scenario

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/chaos"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
)

// clientForm is the form of a client's name, which ends up in reports, file names and terminals,
// and is one word in the moments of faults.
var clientForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$`)

// reserved are the names used by the worlds and by the phrases of faults.
var reserved = []string{
	"all", "any", "client", "clients", "every", "holder", "link", "lock", "locks", "next",
	"operator", "primary", "probe", "replica", "replicas", "request", "reply", "resource", "sentinel",
	"sentinels", "server", "servers", "store", "the", "witness",
}

func isReserved(name string) bool {
	lower := strings.ToLower(name)
	if slices.Contains(reserved, lower) {
		return true
	}
	for _, store := range append([]string{"replica"}, serverWords...) {
		if rest, ok := strings.CutPrefix(lower, store); ok && strings.Trim(rest, "-_0123456789") == "" {
			return true
		}
	}
	return false
}

// repeat reads once or a number of times.
func (r *reader) repeat(n *node) int {
	const example = "repeat: once, or repeat: 20 times"
	text, ok := r.value(n, "repeat", example)
	if !ok || text == "once" {
		return 1
	}
	m := timesForm.FindStringSubmatch(text)
	if m == nil {
		if text == "1" {
			r.problemf(n, "\"1\" lacks its unit: write repeat: once")
		} else if numberForm.MatchString(text) && text != "0" {
			r.problemf(n, "%s lacks its unit: write repeat: %s times", quote(text), text)
		} else {
			r.problemf(n, "repeat cannot be %s: write %s", quote(text), example)
		}
		return 1
	}
	count, _ := strconv.Atoi(m[1])
	if count < 1 || count > plan.MaxRepeat {
		r.problemf(n, "a client plays 1 to %d rounds, not %s", plan.MaxRepeat, m[1])
	}
	return count
}

// patience reads how long a client waits for the lock: up to 40s.
func (r *reader) patience(n *node) time.Duration {
	const example = "wait: up to 40s"
	d, _ := read(r, n, "wait", example, func(text string) (time.Duration, string) {
		if text == "0s" {
			return 0, "" // a single attempt
		}
		rest, found := strings.CutPrefix(text, "up to ")
		d, wrong := parseDuration(strings.TrimSpace(rest))
		switch {
		case wrong == "" && !found:
			wrong = "wait is a limit: write up to " + text
		case wrong == "" && d == 0:
			wrong = "no client gets a lock without waiting for the reply: write " + example + ", or wait: 0s to try once"
		}
		return d, wrong
	})
	return d
}

// movingClocks refuses a clock whose drift and faults could make it stand still.
func (r *reader) movingClocks(g group, p *plan.Plan) {
	check := func(at *node, name string, drift int64) {
		if by := slowed(p, name); drift+by <= -1_000_000 {
			r.problemf(at, "the clock of %s has a drift of %dppm, and a fault may slow it by %dppm more: it would stand still; make one of them less", name, drift, -by)
		}
	}
	if e, ok := g["clocks"]; ok {
		for _, c := range p.Clocks {
			check(e.value, c.Node, c.DriftPPM)
		}
	}
	for _, a := range p.Vary {
		if a.Key == "drift" && a.Node != "" {
			check(g["vary"].value, a.Node, slices.Min(a.Values))
		}
	}
}

// slowed is the lowest rate that a fault may give to a node's clock, 0 or less.
func slowed(p *plan.Plan, name string) (by int64) {
	const drift = "drift-clock"
	if p.Chaos != nil && slices.Contains(p.Chaos.From, drift) {
		by = -chaos.MostDrift
	}
	isClient := slices.Contains(p.Clients, name)
	for i := range p.Faults {
		f := &p.Faults[i]
		aimed := f.Target == name || f.Target == faults.ThePrimary && !isClient ||
			(f.Target == faults.TheHolder || f.Target == faults.NextHolder || f.Target == faults.ThatClient) && isClient
		if f.Verb.Name() != drift || !aimed {
			continue
		}
		by = min(by, f.Args.Rates["rate"])
		for _, a := range p.Vary {
			if a.Fault == f.Number && a.Unit == plan.UnitDrift {
				by = min(by, slices.Min(a.Values))
			}
		}
	}
	return by
}

// clocks reads the clocks that differ from true time.
func (r *reader) clocks(n *node, p *plan.Plan) {
	entries, _ := r.entries(n, "clocks", "B: {offset: +12s, drift: 200ppm} below it")
	for _, e := range entries {
		if wrong := r.cast.wrongClock(e.key.text); wrong != "" {
			r.problemf(e.key, "%s", wrong)
			continue
		}
		clock := plan.Clock{Node: e.key.text}
		g := r.group(e.value, "a clock", e.key.text+": {offset: +12s, drift: 200ppm}", "offset", "drift")
		clock.Offset, _ = r.offset(g["offset"].value, "offset", "offset: +12s")
		clock.DriftPPM, _ = r.drift(g["drift"].value, "drift", "drift: 200ppm")
		p.Clocks = append(p.Clocks, clock)
	}
}
