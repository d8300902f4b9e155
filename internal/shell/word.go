// Package shell quotes words for pasting into a shell.
package shell

import "strings"

// Word quotes a word if a POSIX shell would change it.
func Word(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func plain(r rune) bool {
	return strings.ContainsRune("/.-_", r) || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// Set returns the flags --set of a command line for changes of the form KEY=VALUE. Of a plain key,
// only the value is quoted.
func Set(changes ...string) (flags string) {
	for _, change := range changes {
		key, value, _ := strings.Cut(change, "=")
		if Word(key) != key {
			flags += " --set " + Word(change)
		} else {
			flags += " --set " + key + "=" + Word(value)
		}
	}
	return flags
}
