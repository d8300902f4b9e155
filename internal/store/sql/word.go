package sql

import "strings"

// LeadingWord is the name that a text begins with, "" when it begins with something else.
func LeadingWord(s string) string {
	letter := func(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
	end := 0
	for end < len(s) && (letter(s[end]) || end > 0 && '0' <= s[end] && s[end] <= '9') {
		end++
	}
	return s[:end]
}

// statementName is the first word of a statement of SQL, or the function that a SELECT without a table calls.
func statementName(query string) string {
	query = strings.TrimSpace(query)
	first := strings.ToUpper(LeadingWord(query))
	if first != "SELECT" {
		return first
	}
	rest := strings.TrimSpace(query[len(first):])
	function := LeadingWord(rest)
	if function == "" || !strings.HasPrefix(rest[len(function):], "(") || strings.Contains(strings.ToUpper(rest), " FROM ") {
		return first
	}
	return strings.ToUpper(function)
}
