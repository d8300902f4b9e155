package faults

import "testing"

// Triggers name a script by its own name, and an SQL function as a command.
func TestCommandName(t *testing.T) {
	for typed, want := range map[string]string{
		"SET lock A NX PX 10000":            "SET",
		"EVALSHA unlock 1 lock A":           "unlock",
		"EVAL lock 1 lock A 10000":          "lock",
		"SELECT GET_LOCK('lock', 0)":        "GET_LOCK",
		"SELECT pg_try_advisory_lock(7)":    "PG_TRY_ADVISORY_LOCK",
		"SELECT owner FROM locks WHERE x=1": "SELECT",
		"EVAL":                              "EVAL",
		"":                                  "",
	} {
		if got := CommandName(typed); got != want {
			t.Errorf("%q is %q, want %q", typed, got, want)
		}
	}
}
