package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/faults"
	"lockstep/internal/store"
)

var (
	// occasionForm takes off the end of a phrase which occurrence of a moment it means.
	occasionForm = regexp.MustCompile(`^(.*?)(?: in its ([0-9]{1,7})(?:st|nd|rd|th) round)?` +
		`(?: after fault ([0-9]{1,4}))?(?: the ([0-9]{1,7})(?:st|nd|rd|th) time|( every time))?$`)
	commandForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,31}$`)
)

// moment reads a phrase such as "A sends GET in its 1st round after fault 1 the 2nd time" into a
// trigger of the fault with that number. repeats says whether "every time" makes sense.
func (r *reader) moment(n *node, key string, number int, clients []string, repeats bool) (faults.Trigger, bool) {
	return read(r, n, key, key+": A is in its critical section", func(text string) (t faults.Trigger, wrong string) {
		m := occasionForm.FindStringSubmatch(strings.Join(strings.Fields(text), " "))
		round, behind, nth, every := m[2], m[3], m[4], m[5] != ""
		t.Round, _ = strconv.Atoi(round)
		t.AfterFault, _ = strconv.Atoi(behind)
		if t.Nth, _ = strconv.Atoi(nth); nth == "" && !every {
			t.Nth = 1
		}
		switch {
		case every && !repeats:
			return t, fmt.Sprintf("%s ends the fault once: remove \"every time\"", key)
		case nth != "" && t.Nth == 0:
			return t, "times are counted from 1: write the 1st time"
		case behind != "" && (t.AfterFault == 0 || t.AfterFault >= number):
			return t, fmt.Sprintf("fault %s does not come before this one, which is fault %d of the list: name an earlier one", behind, number)
		case round != "" && t.Round == 0:
			return t, "rounds are counted from 1: write in its 1st round"
		}
		subject, phrase, wrong := r.splitSubject(m[1], clients)
		if wrong == "" {
			t.Subject = subject
			wrong = r.matchMoment(&t, subject, phrase)
		}
		return t, wrong
	})
}

// splitSubject takes the subject off the front of a phrase.
func (r *reader) splitSubject(text string, clients []string) (subject, phrase, wrong string) {
	for _, s := range []string{faults.AnyClient, faults.TheHolder, faults.NextHolder, faults.ThatClient, faults.ThePrimary} {
		rest, found := strings.CutPrefix(text, s)
		if !found || rest != "" && rest[0] != ' ' {
			continue
		}
		if s == faults.ThePrimary {
			return "", "", "moments are reached by clients, never by the primary: name a client, any client, the holder or the next holder"
		}
		return s, strings.TrimPrefix(rest, " "), ""
	}
	word, rest, _ := strings.Cut(text, " ")
	if slices.Contains(clients, word) {
		return word, rest, ""
	}
	if r.cast.servers[word] {
		return "", "", fmt.Sprintf("moments are reached by clients, never by %s: name a client, any client, the holder or the next holder", word)
	}
	if r.clientsUnclear && clientForm.MatchString(word) {
		return word, rest, ""
	}
	if _, command, found := findMoment(text); found && command != badCommand {
		return "", "", fmt.Sprintf("who %s? write the client first, such as %q", text, someone(clients)+" "+text)
	}
	subjects := append(slices.Clone(clients), faults.AnyClient, faults.TheHolder, faults.NextHolder, faults.ThatClient)
	return "", "", fmt.Sprintf("%s is not a client of this scenario: %s", quote(word), suggest(word, subjects))
}

func someone(clients []string) string {
	if len(clients) == 0 {
		return "A"
	}
	return clients[0]
}

// badCommand is the command of a phrase that matches a moment except for its command.
const badCommand = "?"

// findMoment looks a phrase up among those of package faults.
func findMoment(phrase string) (kind faults.MomentKind, command string, found bool) {
	for _, m := range faults.MomentPhrases() {
		before, after, onWire := strings.Cut(m.Text, "%s")
		if !onWire {
			if phrase == m.Text {
				return m.Kind, "", true
			}
			continue
		}
		rest, ok := strings.CutPrefix(phrase, before)
		if !ok {
			continue
		}
		if rest, ok = strings.CutSuffix(rest, after); !ok {
			continue
		}
		if !commandForm.MatchString(rest) && !slices.Contains(faults.CommandWords(), rest) {
			kind, command, found = m.Kind, badCommand, true
			continue
		}
		return m.Kind, rest, true
	}
	return kind, command, found
}

// matchMoment fills in the moment and its command; it returns what is wrong.
func (r *reader) matchMoment(t *faults.Trigger, subject, phrase string) string {
	kind, command, found := findMoment(phrase)
	switch {
	case !found:
		return unknownMoment(subject, phrase)
	case command == badCommand && strings.Contains(phrase, "any "):
		return fmt.Sprintf("%s must name one command or one script, such as SET or unlock: for all of them, write any command", quote(subject+" "+phrase))
	case command == badCommand && strings.Contains(phrase, "its "):
		return fmt.Sprintf("%s must name one command or one script, such as SET or unlock: for whatever the lock sends, write its acquire or its release", quote(subject+" "+phrase))
	case command == badCommand:
		return fmt.Sprintf("%s must name one command or one script, such as SET or unlock", quote(subject+" "+phrase))
	case command != strings.ToUpper(command) && r.isCommand(strings.ToUpper(command)):
		return fmt.Sprintf("%q is a script's name here: commands are written in capitals, so write %s", command, strings.ToUpper(command))
	}
	t.Moment, t.Command = kind, command
	return ""
}

// isCommand reports whether an upper-case word is a request of some store, so that its lower-case
// form is most likely a mistake: only scripts have lower-case names.
func (r *reader) isCommand(word string) bool {
	scripts := false
	for id := range r.cast.stores { // order: any
		scripts = scripts || store.Of(id).Scripts
	}
	return slices.ContainsFunc(store.All(), func(s *store.Store) bool {
		return (s.Scripts || !scripts) && slices.Contains(s.Requests, word)
	})
}

// unknownMoment suggests the moment that was meant, or lists all of them.
func unknownMoment(subject, phrase string) string {
	// A moment of the wire may be misspelt around its command, and any word may be the command.
	other := func(word string) bool { return !commandForm.MatchString(word) }
	commands := slices.DeleteFunc(strings.Fields(phrase), other)
	var all, near []string
	for _, m := range faults.MomentPhrases() {
		all = append(all, strings.Replace(m.Text, "%s", "SET", 1))
		if !m.Kind.OnWire() {
			near = append(near, m.Text)
			continue
		}
		for _, command := range append(faults.CommandWords(), commands...) {
			near = append(near, strings.Replace(m.Text, "%s", command, 1))
		}
	}
	if phrase == "" {
		return fmt.Sprintf("the moment of %s is missing: %s", subject, strings.Join(all, "; "))
	}
	if best := Nearest(phrase, near); best != "" {
		return fmt.Sprintf("unknown moment %s: did you mean %q?", quote(phrase), subject+" "+best)
	}
	return fmt.Sprintf("unknown moment %s: the moments are: %s", quote(phrase), strings.Join(all, "; "))
}
