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

// Pair quotes an argument of the form KEY=VALUE: only the value if the key is plain.
func Pair(key, value string) string {
	if Word(key) != key {
		return Word(key + "=" + value)
	}
	return key + "=" + Word(value)
}
