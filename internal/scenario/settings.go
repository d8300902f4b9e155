package scenario

import (
	"fmt"
	"strings"

	"lockstep/internal/plan"
)

// Setting is one value of a resolved scenario.
type Setting struct {
	Name  string // "workload, wait", "fault 2"
	Value string // as the file has it
	// Dependent settings exist because of a lock of the scenario: its servers and its expectations.
	Dependent bool
}

// Settings lists the settings of a plan that affect the world, defaults included, in the order of
// its resolved file. Texts and locks are left out: two plans with the same settings play the same
// story with each lock.
func Settings(p *plan.Plan) []Setting {
	r := &reader{file: p.File}
	root := r.parseYAML([]byte(Resolved(p)))
	if !root.is(mapNode) {
		return nil // a plan built by a program, with texts that no file can have
	}
	var out []Setting
	for _, e := range root.entries {
		switch key := e.key.text; key {
		case "scenario", "subtitle", "level", "story", "question", "lesson", "remedy", "origin", "zh", "locks", "seed", "vary":
		case "faults":
			for i, fault := range e.value.items {
				out = append(out, Setting{Name: fmt.Sprintf("fault %d", i+1), Value: phrase(fault)})
			}
		default:
			out = flatten(out, key, e.value, key == "servers" || key == "expect")
		}
	}
	return out
}

// flatten appends the values below a key.
func flatten(out []Setting, name string, n *node, dependent bool) []Setting {
	if n.kind != mapNode {
		return append(out, Setting{name, phrase(n), dependent})
	}
	for _, e := range n.entries {
		out = flatten(out, name+", "+e.key.text, e.value, dependent)
	}
	return out
}

// phrase prints a value on one line.
func phrase(n *node) string {
	var parts []string
	switch n.kind {
	case mapNode:
		for _, e := range n.entries {
			parts = append(parts, e.key.text+": "+phrase(e.value))
		}
	case listNode:
		for _, item := range n.items {
			text := phrase(item)
			if item.kind == listNode {
				text = "[" + text + "]"
			}
			parts = append(parts, text)
		}
	case scalarNode:
		return n.text
	}
	return strings.Join(parts, ", ")
}
