package scenario

import (
	"fmt"
	"strings"

	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
)

const (
	execExample    = "exec: [python3, mylock.py]"
	programExample = "{" + execExample + ", name: " + locks.ProgramName + ", store: redis}"
)

// program reads a lock that is a user's own program.
func (r *reader) program(item *node, named map[string]*node, p *plan.Plan) {
	before := len(r.problems)
	g := r.group(item, "a lock", programExample, "exec", "name", "store")
	e, ok := g["exec"]
	if !ok {
		if len(r.problems) == before {
			r.problemf(item, "a lock with keys is a program, and this one does not say which: add %s", execExample)
		}
		return
	}
	words, _ := r.list(e.value, "exec", execExample)
	var command []string
	for _, word := range words {
		text, _ := r.value(word, "a word of exec", execExample)
		command = append(command, text)
	}
	name, store := locks.ProgramName, string(locks.StoreRedis)
	if e, ok := g["name"]; ok {
		name, _ = r.value(e.value, "name", "name: "+locks.ProgramName)
	}
	if e, ok := g["store"]; ok {
		store, _ = r.choice(e.value, "store", locks.ProgramStores()...)
	}
	if len(r.problems) > before {
		return
	}
	v, err := locks.NewProgram(name, command, locks.Store(store))
	switch {
	case err != nil:
		r.problemf(item, "%v", err)
	case named[name] != nil:
		r.problemf(item, "the lock %s is in the list twice: give one of them another name", name)
	default:
		named[name] = item
		p.Locks = append(p.Locks, name)
		p.Programs = append(p.Programs, v)
	}
}

// lockWord returns the entry of a lock in the list of a file.
func lockWord(p *plan.Plan, id string) string {
	v, _ := p.Lock(id)
	if v.Program == nil {
		return id
	}
	words := each.Map(v.Program, doubleQuoted)
	return fmt.Sprintf("{exec: [%s], name: %s, store: %s}", strings.Join(words, ", "), v.ID, v.Store)
}
