package explain

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/history"
)

// span writes a duration the way people say it: 15 s, 0.5 s, 4.983 s, 0.42 ms.
func span(d time.Duration) string {
	if d < 0 {
		return "-" + span(-d)
	}
	if d > 0 && d < time.Millisecond {
		return trim(strconv.FormatInt(int64(d)/1_000_000, 10), int64(d)%1_000_000/1000) + " ms"
	}
	ms := (int64(d) + 500_000) / 1_000_000
	return trim(strconv.FormatInt(ms/1000, 10), ms%1000) + " s"
}

// trim joins a whole number and its thousandths without trailing zeros.
func trim(whole string, thousandths int64) string {
	if thousandths == 0 {
		return whole
	}
	return whole + "." + strings.TrimRight(fmt.Sprintf("%03d", thousandths), "0")
}

// seconds writes a duration for a formula, always with three decimals.
func seconds(d time.Duration) string { return history.Instant(d).String() }

func (t *teller) name(id history.NodeID) string { return t.h.Name(id) }

// names joins names as in a sentence: A, B and C.
func (t *teller) names(ids []history.NodeID) string {
	var b strings.Builder
	for i, id := range ids {
		switch {
		case i > 0 && i == len(ids)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(t.name(id))
	}
	return b.String()
}

// subject names a node at the start of a sentence.
func (t *teller) subject(id history.NodeID) string {
	switch t.h.Role(id) {
	case history.RoleStore:
		if t.stores == 1 {
			return "The store"
		}
		return "Store " + t.name(id)
	case history.RoleResource:
		return "The resource"
	case history.RoleProbe:
		return "The probe"
	case "":
		return "Somebody"
	}
	return t.name(id)
}

// object names a node inside a sentence.
func (t *teller) object(id history.NodeID) string {
	s := t.subject(id)
	if t.h.Role(id) == history.RoleClient {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// byFault names the fault behind an event, with a leading space; empty without one.
func byFault(number int64) string {
	if number <= 0 {
		return ""
	}
	return fmt.Sprintf(" (fault %d)", number)
}

// verb returns the verb of a fault of the header, or "".
func (t *teller) verb(number int64) string {
	for _, f := range t.h.Header.Faults {
		if int64(f.Number) == number {
			return f.Verb
		}
	}
	return ""
}

// faultText returns what a fault does, without its trigger.
func (t *teller) faultText(e *history.Event) string {
	text := t.h.Text(e.Text)
	for _, f := range t.h.Header.Faults {
		if text == "" && int64(f.Number) == e.Value {
			text = f.Text
		}
	}
	text, _, _ = strings.Cut(text, " when ")
	return strings.TrimSuffix(short(text, 90), ".")
}

// short cuts a text to n runes, visibly.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n]) + "..."
}

// command names the command behind an event, from the message that caused it:
// SET, or the name of a script. It is empty when the history does not tell.
func (t *teller) command(index int32) string {
	for range 4 { // Removed <- Executed <- Sent is the longest chain
		if index < 0 || int(index) >= len(t.h.Events) {
			return ""
		}
		e := &t.h.Events[index]
		if e.Kind == history.Sent {
			return commandName(t.h.Text(e.Text))
		}
		index = e.Cause
	}
	return ""
}

// commandName shortens a command as typed to its name.
func commandName(typed string) string {
	words := strings.Fields(typed)
	switch {
	case len(words) == 0:
		return ""
	case len(words) > 1 && (words[0] == "EVAL" || words[0] == "EVALSHA"):
		return short(words[1], 30) + " script"
	}
	return short(words[0], 30)
}

// orCommand is the name of a command, or "command" when it is unknown.
func orCommand(name string) string {
	if name == "" {
		return "command"
	}
	return name
}
