// Package scenario reads scenario files: one YAML file is one story and becomes one plan.
//
// A file with mistakes yields all of them at once, each with its place, its cause and what to write
// instead. What a file may say follows from the registries of locks, faults and properties.
package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
)

// Limits on a scenario, so that a typing mistake does not cost an afternoon.
const (
	MaxBytes   = 1 << 20 // bytes of a file
	MaxTitle   = 200     // characters
	MaxText    = 4000    // characters of story, question and lesson
	MaxClients = 2000
	maxRounds  = 100_000 // of all clients together: a run records dozens of events for each
	MostFaults = 100
	maxSlug    = 64
)

// Load reads the scenario file at path. Every error is an *Invalid; one about the file itself
// unwraps to the cause.
func Load(path string, changes ...Change) (*plan.Plan, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, unreadable(path, err)
	case info.IsDir():
		return nil, about(path, errors.New("is a directory"), "this is a directory: name a scenario file in it")
	case info.Size() > MaxBytes:
		return nil, tooLarge(path)
	}
	// A pipe has no size, so the limit applies to reading too.
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, unreadable(path, err)
	}
	return Parse(path, data, changes...)
}

// Parse reads a scenario from memory. file is the name to show in problems; the plan's slug comes
// from it, or from the title when file is "", "-" or "stdin". The error is always an *Invalid. The
// changes are applied first, so they are checked like the file's own values.
func Parse(file string, data []byte, changes ...Change) (*plan.Plan, error) {
	return parse(&reader{file: file}, data, nil, changes)
}

// ParseStored is Parse for the file of a run that has been played, or of one without expectations:
// a draw or a search may have combined faults that no other file may. own, if not nil, is a user's
// own lock.
func ParseStored(file string, data []byte, own *locks.Variant) (*plan.Plan, error) {
	return parse(&reader{file: file, stored: true}, data, own, nil)
}

func parse(r *reader, data []byte, own *locks.Variant, changes []Change) (*plan.Plan, error) {
	if len(data) > MaxBytes {
		return nil, tooLarge(r.file)
	}
	p := plan.Default()
	if own != nil {
		p.Programs = []locks.Variant{*own}
	}
	if root := r.parseYAML(data); root != nil {
		for _, c := range changes {
			r.change(root, c)
			p.Changes = append(p.Changes, c.String())
		}
		r.scenario(root, &p)
	}
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b Problem) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
		})
		return nil, &Invalid{Problems: r.problems}
	}
	return &p, nil
}

func unreadable(path string, err error) *Invalid {
	message := "this file cannot be read: " + printable(err.Error())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		message = "there is no such file"
	case errors.Is(err, fs.ErrPermission):
		message = "this file cannot be read: permission denied; make it readable"
	}
	return about(path, err, message)
}

func tooLarge(path string) *Invalid {
	message := fmt.Sprintf("this file is larger than %d KiB: a scenario is one short story, so this is probably another file", MaxBytes/1024)
	return about(path, errors.New("file too large"), message)
}

// about returns the error for a problem with the whole file.
func about(path string, cause error, message string) *Invalid {
	return &Invalid{
		Problems: []Problem{{File: path, Width: 1, Message: message}},
		cause:    cause,
	}
}

var topKeys = []string{
	"scenario", "subtitle", "level", "story", "question", "lesson", "remedy", "origin", "seed", "locks", "lease", "clients",
	"workload", "network", "servers", "clocks", "faults", "chaos", "vary", "expect", "zh",
}

// scenario reads the whole file. The order matters: faults and clocks refer to clients, leases and
// expectations to locks.
func (r *reader) scenario(root *node, p *plan.Plan) {
	g := r.group(root, "a scenario", `"scenario: A long pause outlives the lease"`, topKeys...)
	if g == nil {
		return
	}
	r.words(root, g, p)
	p.File = r.file
	p.Slug = slugOf(r.file, p.Name)
	if e, ok := g["clients"]; ok {
		before := len(r.problems)
		p.Clients = r.clients(e.value)
		r.clientsUnclear = len(r.problems) > before
	}
	before := len(r.problems)
	lockNodes := r.locks(g, p)
	r.locksUnclear = len(r.problems) > before
	title := cmp.Or(g["scenario"].key, root)
	r.lease(g["lease"].value, lockNodes, title, p)
	r.section(g["workload"].value, plan.WorkloadKeys, p)
	r.ownWorkloads(p)
	r.locksApart(lockNodes, title, p)
	if rounds := p.Rounds(); rounds > maxRounds {
		r.problemf(cmp.Or(g["workload"].value, g["clients"].value), "%d clients play %d rounds together, and %d are the most: lower clients or repeat", len(p.Clients), rounds, maxRounds)
	}
	r.section(g["network"].value, plan.NetworkKeys, p)
	if p.Horizon() >= plan.MaxHorizon {
		r.problemf(cmp.Or(g["workload"].value, g["clients"].value), "the clients may wait and work for more than fifty years: lower repeat, wait, work, rest or nested")
	}
	r.servers(g, p)
	r.cast = r.newCast(p)
	r.clocks(g["clocks"].value, p)
	r.faults(g["faults"].value, p)
	if e, ok := g["chaos"]; ok {
		r.chaos(e, g, p)
	}
	r.vary(g["vary"].value, p)
	r.movingClocks(g, p)
	r.evictsOne(g, p)
	r.expect(g["expect"].value, p)
	r.lastServer(g, p)
}

// slugOf makes a slug of the file's name, or of the title when there is no file.
func slugOf(file, title string) string {
	name := title
	if file != "" && file != "-" && file != "stdin" {
		name = filepath.Base(file)
		if end := filepath.Ext(name); strings.EqualFold(end, ".yaml") || strings.EqualFold(end, ".yml") {
			name = strings.TrimSuffix(name, end)
		}
	}
	return Slug(name)
}

// Slug makes a name for files and addresses: lower-case letters, digits and dashes.
func Slug(name string) string {
	slug := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
	slug = strings.Trim(slug[:min(len(slug), maxSlug)], "-")
	switch {
	case slug == "":
		return "scenario"
	case reservedSlug.MatchString(slug):
		return slug + "-scenario"
	}
	return slug
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// reservedSlug matches names that a folder of the run store cannot have: its link to the latest
// run, and devices of some systems.
var reservedSlug = regexp.MustCompile(`^(latest|con|prn|aux|nul|com[0-9]|lpt[0-9])$`)

// locks reads the variants and returns the node that named each of them; no key and `all` mean
// every variant that all worlds can play.
func (r *reader) locks(g group, p *plan.Plan) map[string]*node {
	known := lockIDs(slices.Concat(locks.Known(), p.Programs))
	named := map[string]*node{}
	e, ok := g["locks"]
	if !ok {
		p.Locks = lockIDs(locks.Simulated())
		return named
	}
	if text := strings.TrimSpace(e.value.text); e.value.kind == scalarNode && text == "all" {
		p.Locks = lockIDs(locks.Simulated())
		return named
	} else if e.value.kind == scalarNode && slices.Contains(known, text) {
		r.problemf(e.value, "locks must be a list, even for one lock: write locks: [%s]", text)
		return named
	}
	items, ok := r.list(e.value, "locks", "locks: [set-nx-lua], or locks: all")
	if ok && len(items) == 0 {
		r.problemf(e.value, "locks is empty: name at least one lock, or write locks: all")
	}
	for _, item := range items {
		if item.kind == mapNode {
			r.program(item, named, p)
			continue
		}
		id, ok := r.value(item, "a lock", "its id, such as set-nx-lua")
		switch {
		case !ok:
		case !slices.Contains(known, designOf(id)):
			r.problemf(item, "unknown lock %s: %s", quote(id), DidYouMean(designOf(id), known, "`simulate list locks` shows them"))
		case named[id] != nil:
			r.problemf(item, "the lock %s is in the list twice: remove one", id)
		default:
			named[id] = item
			p.Locks = append(p.Locks, id)
		}
	}
	return named
}

func lockIDs(variants []locks.Variant) []string {
	return each.Map(variants, func(v locks.Variant) string { return v.ID })
}

// lease reads the lease, if the file has one, and checks that every lock supports it.
func (r *reader) lease(n *node, lockNodes map[string]*node, title *node, p *plan.Plan) {
	if n != nil {
		lease, ok := r.duration(n, "lease", "lease: 10s", 1)
		if !ok {
			return
		}
		p.Lease = lease
	}
	for _, id := range p.Locks {
		v, _ := p.Lock(id)
		if err := v.CheckLease(p.Lease); err != nil {
			r.problemf(cmp.Or(n, lockNodes[id], title), "%s", err.Error())
		}
	}
}
