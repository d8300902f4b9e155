package explain

import (
	"fmt"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/history"
)

// Verdict says in one sentence what a lock did in a run.
func Verdict(j checker.Judgement) string {
	if j.History == nil {
		return "There is no history to judge."
	}
	lock := j.History.Header.Lock
	var broken []string
	unknown := ""
	for _, id := range orderOf(j.Findings) {
		f := findingOf(j.Findings, id)
		switch f.Verdict {
		case checker.Broken:
			broken = append(broken, damage(j, f))
		case checker.Unknown:
			if unknown == "" {
				unknown = f.Property + " is unknown"
				if f.Reason != "" {
					unknown = fmt.Sprintf("%s is unknown, since %s", f.Property, strings.TrimSuffix(f.Reason, "."))
				}
			}
		}
	}
	refused := refusals(j.History)
	switch {
	case len(broken) > 0:
		return lock + " " + join(broken) + fenced(refused, "; the fence refused ") + "."
	case unknown != "":
		return fmt.Sprintf("%s broke nothing, but %s.", lock, unknown)
	case len(j.Findings) == 0:
		return fmt.Sprintf("%s was not judged.", lock)
	}
	return fmt.Sprintf("%s kept every property over %s%s.", lock,
		count(j.Acquired, "acquisition", "acquisitions"), fenced(refused, "; the fence refused "))
}

// damage says what a broken property came to.
func damage(j checker.Judgement, f *checker.Finding) string {
	n := max(f.Count, len(f.Violations))
	switch f.Property {
	case checker.MutualExclusionID:
		overlap := j.Overlap
		if overlap == 0 {
			for _, v := range f.Violations {
				overlap += v.To.Sub(v.From)
			}
		}
		who := number(crowd(j.History)) + " clients"
		if n > 1 {
			return fmt.Sprintf("let %s in at once %d times (%s in all)", who, n, span(overlap))
		}
		return fmt.Sprintf("let %s in at once for %s", who, span(overlap))
	case checker.OwnerOnlyReleaseID:
		return "released another client's lock " + times(n)
	case checker.NoStaleWriteID:
		return "accepted " + count(n, "stale write", "stale writes")
	case checker.NoLostUpdateID:
		return "lost " + count(n, "update", "updates")
	case checker.ProgressID:
		return "left the lock stuck"
	}
	return fmt.Sprintf("broke %s %s", f.Property, times(n))
}

// crowd is the largest number of clients that ever held the lock at once.
func crowd(h *history.History) int {
	most, now := 0, 0
	inside := make([]bool, len(h.Header.Nodes)+1)
	set := func(id history.NodeID, in bool) {
		if int(id) >= len(inside) || inside[id] == in {
			return
		}
		inside[id] = in
		if in {
			now++
		} else {
			now--
		}
		most = max(most, now)
	}
	for i := range h.Events {
		switch e := &h.Events[i]; e.Kind {
		case history.Acquired:
			set(e.Node, true)
		case history.Releasing, history.LostLease, history.Crashed:
			set(e.Node, false)
		}
	}
	return max(most, 2)
}

func refusals(h *history.History) int {
	n := 0
	for i := range h.Events {
		if h.Events[i].Kind == history.WriteRefused {
			n++
		}
	}
	return n
}

func fenced(refused int, lead string) string {
	if refused == 0 {
		return ""
	}
	return lead + count(refused, "write", "writes")
}

func findingOf(findings []checker.Finding, property string) *checker.Finding {
	for i := range findings {
		if findings[i].Property == property {
			return &findings[i]
		}
	}
	return nil
}

// orderOf lists the properties of findings in the order of reports.
func orderOf(findings []checker.Finding) []string {
	var ids []string
	for _, id := range Order {
		if findingOf(findings, id) != nil {
			ids = append(ids, id)
		}
	}
	for _, f := range findings {
		if rank(f.Property) == len(Order) {
			ids = append(ids, f.Property)
		}
	}
	return ids
}

// join puts clauses together as in a sentence.
func join(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func number(n int) string {
	words := []string{2: "two", 3: "three", 4: "four", 5: "five"}
	if n < len(words) && words[n] != "" {
		return words[n]
	}
	return fmt.Sprint(n)
}
