package scenario

import (
	"reflect"
	"slices"
	"strings"

	"lockstep/internal/plan"
)

// Brief prints a plan as a scenario file without defaults: Resolved without the lines that change
// nothing. The comment on top may have several lines.
func Brief(p *plan.Plan, comment string) string {
	lines := strings.Split(Resolved(p), "\n")
	for i := 0; i < len(lines); {
		end := blockEnd(lines, i)
		less := slices.Concat(lines[:i], lines[end:])
		if lines[i] != "" && saysTheSame(less, p) {
			lines = less
			continue
		}
		i++
	}
	var b strings.Builder
	for _, line := range strings.Split(comment, "\n") {
		b.WriteString("# " + printable(line) + "\n")
	}
	for i, line := range lines {
		if line != "" || i > 0 && lines[i-1] != "" && i < len(lines)-1 {
			b.WriteString(line + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// blockEnd is the index after a line and everything indented below it.
func blockEnd(lines []string, i int) int {
	indent := func(s string) int { return len(s) - len(strings.TrimLeft(s, " -")) }
	end := i + 1
	for end < len(lines) && lines[end] != "" && indent(lines[end]) > indent(lines[i]) {
		end++
	}
	return end
}

func saysTheSame(lines []string, p *plan.Plan) bool {
	got, err := Parse(p.File, []byte(strings.Join(lines, "\n")))
	return err == nil && reflect.DeepEqual(unplaced(got), unplaced(p))
}

// unplaced returns a copy of the plan without line numbers, and with all settings filled in.
func unplaced(p *plan.Plan) plan.Plan {
	c := *p
	c.Settle()
	c.Faults = slices.Clone(c.Faults)
	for i := range c.Faults {
		c.Faults[i].Line = 0
	}
	c.Expect = slices.Clone(c.Expect)
	for i := range c.Expect {
		c.Expect[i].Line = 0
	}
	return c
}
