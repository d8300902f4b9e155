package scenario

import (
	"cmp"
	"fmt"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
)

// Sketch is a scenario file written by code: all texts are YAML, and "" stands for the default
// given here.
type Sketch struct {
	Title    string         // as YAML has it; "" names the lock
	Lock     string         // the id of the variant
	Own      *locks.Variant // a user's own lock with that id; else nil
	Lease    string         // "" for 10s
	Clients  string         // "" for [A, B, C]
	Work     string         // how long the work takes; "" for 3s
	Wait     string         // how long clients wait; "" for 70s
	Stagger  string         // between the starts of clients; "" for 100ms
	Workload []string       // further lines of the workload: "repeat: 20 times"
	Latency  string         // "" for 1ms..2ms
	Timeout  string         // of responses; "" for 3s
	Loss     string         // of requests or their replies: "5%"; "" for none
	Servers  string         // "{redis: {replicas: 1}}"; "" for the defaults
	Clocks   string         // "{B: {offset: +12s}}"
	Faults   []string       // each one fault, its keys joined by semicolons: "when: A enters; crash: A"
	Seed     int            // 0 for none
	Broken   []string       // properties that the lock is expected to break
	Chinese  string         // the title in Chinese, as YAML has it
	Stored   bool           // the plan is read like that of a stored run, see ParseStored
}

// Plan returns the scenario file and its plan. The error shows the file.
func (s *Sketch) Plan() (file string, p *plan.Plan, err error) {
	file = s.YAML()
	p, err = parse(&reader{stored: s.Stored}, []byte(file), s.Own, nil)
	if err != nil {
		return file, nil, fmt.Errorf("the story is no scenario: %w\n%s", err, file)
	}
	return file, p, nil
}

// YAML returns the scenario file.
func (s *Sketch) YAML() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("scenario: %s", cmp.Or(s.Title, "an experiment with "+s.Lock))
	if s.Seed > 0 {
		line("seed: %d", s.Seed)
	}
	line("locks: [%s]", s.Lock)
	line("lease: %s", cmp.Or(s.Lease, "10s"))
	line("clients: %s", cmp.Or(s.Clients, "[A, B, C]"))
	line("workload:")
	line("  wait: up to %s", cmp.Or(s.Wait, "70s"))
	line("  work: %s", cmp.Or(s.Work, "3s"))
	line("  stagger: %s", cmp.Or(s.Stagger, "100ms"))
	for _, l := range s.Workload {
		line("  %s", l)
	}
	loss := ""
	if s.Loss != "" {
		loss = ", loss: " + s.Loss
	}
	line("network: {latency: %s, timeout: %s%s}", cmp.Or(s.Latency, "1ms..2ms"), cmp.Or(s.Timeout, "3s"), loss)
	if s.Servers != "" {
		line("servers: %s", s.Servers)
	}
	if s.Clocks != "" {
		line("clocks: %s", s.Clocks)
	}
	if len(s.Faults) > 0 {
		line("faults:")
	}
	for _, f := range s.Faults {
		for i, key := range strings.Split(f, "; ") {
			line("  %s %s", []string{"-", " "}[min(i, 1)], key)
		}
	}
	if len(s.Broken) > 0 {
		line("expect:\n  %s:", s.Lock)
	}
	for _, property := range s.Broken {
		line("    %s: %s", property, checker.Broken)
	}
	if s.Chinese != "" {
		line("zh:\n  scenario: %s", s.Chinese)
	}
	return b.String()
}
