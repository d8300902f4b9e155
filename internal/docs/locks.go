package docs

import (
	"fmt"
	"strings"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/locks"
)

func (w *writer) locks() []Page {
	var pages []Page
	for _, v := range locks.All() {
		pages = append(pages, w.lock(v))
	}
	return pages
}

func (w *writer) lock(v locks.Variant) Page {
	d := v.Doc()
	file := "internal/locks/" + v.File
	var protocol strings.Builder
	for i, step := range d.Protocol {
		fmt.Fprintf(&protocol, "%d. %s\n", i+1, text(step))
	}
	return page("locks/"+v.ID+".md", "the comment at the top of "+file,
		heading(1, v.ID),
		text(d.Idea),
		"**Store:** "+text(w.Demands(v))+".\\\n**Lease:** "+leaseOf(v)+".\\\n**Code:** "+link(code(file), w.repo(file)),
		section("Protocol", protocol.String()),
		section("Guarantees", text(d.Guarantees)),
		section("Breaks when", text(d.BreaksWhen)),
		section("See it break", w.seeItBreak(v.ID)),
		section("Stories", w.storiesOf(v.ID)),
		section("Under every kind of fault", w.matrixRow(v.ID)),
		section("Source", text(d.Source)),
	)
}

func leaseOf(v locks.Variant) string {
	if v.LeaseUnit == 0 {
		return "the design has none"
	}
	unit := faults.Duration(v.LeaseUnit)
	if v.LeaseUnit == time.Millisecond || v.LeaseUnit == time.Second {
		unit = strings.TrimPrefix(unit, "1")
	}
	return "whole multiples of 1 " + unit
}

// seeItBreak is the command line of the smallest story in which the lock breaks.
func (w *writer) seeItBreak(lock string) string {
	p := w.smallest(lock)
	if p == nil {
		return ""
	}
	broken, _ := expected(p, lock)
	said := fmt.Sprintf("The smallest story in which it does is %s: %d faults, %d clients, and %s broken.",
		w.story(p), len(p.Faults), len(p.Clients), strings.Join(broken, ", "))
	if len(p.Faults) == 1 {
		said = strings.Replace(said, "1 faults", "1 fault", 1)
	}
	return said + "\n\n" + block("", "simulate run "+shellWord(p.File)+" --lock "+lock)
}

// shellWord quotes a word for a shell when it needs it.
func shellWord(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
