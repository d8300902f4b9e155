package sql

import "strings"

// LeadingWord is the name at the beginning of a text, "" when it begins with something else.
func LeadingWord(s string) string {
	end := 0
	for end < len(s) && (isLetter(s[end]) || end > 0 && isDigit(s[end])) {
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

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }
