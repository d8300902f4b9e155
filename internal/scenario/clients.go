package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/plan"
)

// ownKeys are the keys of one item of the list of clients, for the clients that it names.
type ownKeys struct {
	clients []string
	keys    group
}

// clients reads a list of names or a number of clients. Their own workloads are read later, by
// ownWorkloads.
func (r *reader) clients(n *node) []string {
	const example = "clients: [A, B, C], or clients: 3"
	if n.kind == scalarNode {
		text := strings.TrimSpace(n.text)
		if _, err := strconv.Atoi(text); err != nil {
			r.problemf(n, "clients must be a list of names or a number, not %s: write %s", quote(text), example)
			return nil
		}
		count, ok := r.count(n, "clients", example, 1, MaxClients)
		if !ok {
			return nil
		}
		return numbered(count)
	}
	items, ok := r.list(n, "clients", example)
	if !ok {
		return nil
	}
	var names []string
	known := map[string]bool{}
	for _, item := range items {
		own := r.client(item)
		r.own = append(r.own, own)
		for _, name := range own.clients {
			if known[name] {
				r.problemf(item, "two clients are called %s: give one of them another name", name)
				continue
			}
			known[name] = true
			names = append(names, name)
		}
	}
	if len(items) == 0 || len(names) > MaxClients {
		r.problemf(n, "a scenario has 1 to %d clients, not %d", MaxClients, len(names))
		return nil
	}
	return names
}

const clientExample = "{name: C, work: 40s}, or {name: web, count: 20}"

// client reads one item of the list; it names no client after a mistake.
func (r *reader) client(item *node) (own ownKeys) {
	at, count := item, 0
	if item.kind == mapNode {
		own.keys = r.group(item, "a client", clientExample, append([]string{"name", "count"}, plan.Names(plan.ClientKeys())...)...)
		name, ok := own.keys["name"]
		if !ok {
			r.problemf(item, "this client has no name: write %s", clientExample)
			return own
		}
		at = name.value
		if e, ok := own.keys["count"]; ok {
			if count, ok = r.count(e.value, "count", "count: 20", 1, MaxClients); !ok {
				return own
			}
		}
	}
	name, ok := r.value(at, "a client", "a name such as A")
	switch {
	case !ok:
	case !clientForm.MatchString(name):
		r.problemf(at, "a client cannot be called %s: use letters, digits, - and _, at most 32 of them, a letter or digit first", quote(name))
	case isReserved(name):
		r.problemf(at, "a client cannot be called %q: the word has a meaning of its own in scenarios; choose another name", name)
	case count > 0 && len(name) > 27:
		r.problemf(at, "%s is too long for a name that numbers are added to: use 27 characters at most", quote(name))
	case count > 0:
		for i := range count {
			own.clients = append(own.clients, fmt.Sprintf("%s-%d", name, i+1))
		}
	default:
		own.clients = []string{name}
	}
	return own
}

// numbered names clients as a spreadsheet names its columns: A to Z, then AA.
func numbered(count int) []string {
	names := make([]string, count)
	for i := range names {
		for k := i + 1; k > 0; k = (k - 1) / 26 {
			names[i] = string(rune('A'+(k-1)%26)) + names[i]
		}
	}
	return names
}

// ownWorkloads reads the workloads of single clients.
func (r *reader) ownWorkloads(p *plan.Plan) {
	keys := plan.ClientKeys()
	for _, own := range r.own {
		set := func(k plan.Key) bool { return own.keys[k.Name].value != nil }
		if !slices.ContainsFunc(keys, set) {
			continue
		}
		of := *p
		r.keys(own.keys, keys, &of)
		for _, name := range own.clients {
			if p.Own == nil {
				p.Own = map[string]plan.Workload{}
			}
			p.Own[name] = of.Workload
		}
	}
}

// shown is up to how many clients are printed by name; more are printed as a number.
const shown = 26

// clients prints the clients, those with the same workload and numbered names as one item.
func (w *writer) clients(p *plan.Plan) {
	if len(p.Own) == 0 && len(p.Clients) > shown && slices.Equal(p.Clients, numbered(len(p.Clients))) {
		w.line(0, "clients: %d", len(p.Clients))
		return
	}
	var items []string
	for i := 0; i < len(p.Clients); {
		own := ownText(p, p.Clients[i])
		base, count := alike(p, i, own)
		switch {
		case count > 1:
			items = append(items, "{name: "+scalar(base)+fmt.Sprintf(", count: %d", count)+own+"}")
		case own != "":
			items = append(items, "{name: "+scalar(p.Clients[i])+own+"}")
		default:
			items = append(items, scalar(p.Clients[i]))
		}
		i += max(count, 1)
	}
	if !strings.Contains(strings.Join(items, ""), "{") {
		w.line(0, "clients: [%s]", strings.Join(items, ", "))
		return
	}
	w.line(0, "clients:")
	for _, item := range items {
		w.line(1, "- %s", item)
	}
}

// alike counts the clients from the i-th on that have the same workload and names numbered from 1;
// 0 when the first is not numbered.
func alike(p *plan.Plan, i int, own string) (base string, count int) {
	base, ok := strings.CutSuffix(p.Clients[i], "-1")
	for ok && i+count < len(p.Clients) {
		name := p.Clients[i+count]
		if name != fmt.Sprintf("%s-%d", base, count+1) || ownText(p, name) != own {
			break
		}
		count++
	}
	return base, count
}

// ownText prints how a client's workload differs from that of all; "" when it does not.
func ownText(p *plan.Plan, name string) (text string) {
	own, ok := p.Own[name]
	if !ok {
		return ""
	}
	of := plan.Plan{Workload: own}
	for _, k := range plan.ClientKeys() {
		if said := k.Text(&of); said != k.Text(p) {
			text += ", " + k.Name + ": " + scalar(said)
		}
	}
	return text
}
