package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Change sets one value of a file: lease=30s, workload.work=5s..20s, faults.1.for=3s.
type Change struct{ Key, Value string }

// ParseChange reads KEY=VALUE. Dots separate nested keys; an item of a list is addressed by its
// number, from 1.
func ParseChange(text string) (Change, error) {
	key, value, ok := strings.Cut(text, "=")
	c := Change{Key: strings.TrimSpace(key), Value: strings.TrimSpace(value)}
	if !ok || c.Key == "" || c.Value == "" {
		return c, fmt.Errorf("--set %q does not say what to set to what: write for example lease=30s, workload.work=5s..20s or faults.1.for=3s", text)
	}
	return c, nil
}

// String returns the change as it was written.
func (c Change) String() string { return c.Key + "=" + c.Value }

// change puts a value into the tree of a file.
func (r *reader) change(root *node, c Change) {
	said := &reader{file: "--set " + c.String()}
	value := said.parseYAML([]byte(c.Value))
	if value == nil {
		for _, p := range said.problems {
			r.problems = append(r.problems, Problem{File: p.File, Width: 1, Message: p.Message})
		}
		return
	}
	value.mark(c.String())
	if wrong := root.put(strings.Split(c.Key, "."), value); wrong != "" {
		r.problemf(value, "%s", wrong)
	}
}

// mark records on a value, and on all below it, that it comes from a change.
func (n *node) mark(change string) {
	n.set = change
	for _, e := range n.entries {
		e.key.mark(change)
		e.value.mark(change)
	}
	for _, item := range n.items {
		item.mark(change)
	}
}

// put sets the value at a path of keys below a node, making missing groups on the way. It returns
// what is wrong.
func (n *node) put(path []string, value *node) (wrong string) {
	if len(path) == 0 {
		*n = *value
		return ""
	}
	if n.kind == listNode {
		i, err := strconv.Atoi(path[0])
		if err != nil || i < 1 || i > len(n.items) {
			return fmt.Sprintf("there is no number %s in this list of %d: count from 1", quote(path[0]), len(n.items))
		}
		return n.items[i-1].put(path[1:], value)
	}
	if n.kind != mapNode {
		*n = node{kind: mapNode, line: n.line, col: n.col, width: n.width, set: value.set}
	}
	for length := len(path); length > 0; length-- { // a key may have dots of its own
		key := strings.Join(path[:length], ".")
		if i := slices.IndexFunc(n.entries, func(e entry) bool { return e.key.text == key }); i >= 0 {
			below := *n.entries[i].value // copied, as an aliased node must not change
			n.entries[i].value = &below
			return below.put(path[length:], value)
		}
	}
	below := &node{set: value.set, kind: emptyNode}
	n.entries = append(n.entries, entry{key: &node{text: path[0], width: 1, set: value.set}, value: below})
	return below.put(path[1:], value)
}
