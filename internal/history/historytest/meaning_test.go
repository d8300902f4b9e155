package historytest

import (
	"strings"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/must"
)

// A story has texts only, and its requests and answers mean what those say.
func TestTextsHaveAMeaning(t *testing.T) {
	hash := strings.Repeat("0a", 20)
	for text, want := range map[string]history.Op{
		"":                             {},
		"SET lock A PX 10000 NX":       {Name: "SET"},
		"EVALSHA unlock lock A":        {Name: "unlock", Script: true, Frees: true},
		"EVALSHA " + hash + " lock":    {Name: hash, Script: true, Trigger: "EVALSHA"},
		"EVAL":                         {Name: "EVAL"},
		"SELECT pg_advisory_lock(1)":   {Name: "PG_ADVISORY_LOCK"},
		"SELECT":                       {Name: "SELECT"},
		"SELECT f(1) FROM t":           {Name: "SELECT"},
		"SELECT (1)":                   {Name: "SELECT"},
		"BEGIN":                        {Name: "BEGIN", Does: history.NoEntry},
		"\x00 odd":                     {Name: "\x00"},
		"WATCH lock/ PREFIX FROM 7":    {Name: "WATCH", Does: history.NoEntry, Watches: true},
		"EXISTS /lock WATCH":           {Name: "EXISTS", Watches: true},
		"CONNECT 10000":                {Name: "CONNECT", Does: history.Opens},
		"KEEPALIVE 1f":                 {Name: "KEEPALIVE", Does: history.KeepsAlive},
		"GET lock INDEX 7 WAIT 15s":    {Name: "GET", Blocks: true},
		"GET lock/ PREFIX":             {Name: "GET"},
		"DELETE /lock -1":              {Name: "DELETE"},
		"DELETE /lock 3":               {Name: "DELETE", Checks: true},
		"DELETE FROM locks WHERE x= 3": {Name: "DELETE"},
	} {
		must.Equalf(t, readOp(text), want, "%q is read as", text)
	}
	for text, want := range map[string]history.Answer{
		"(nil)": {Nil: true}, "(integer) -7": history.Number(-7), `"7"`: {}, "OK": {}, "(error) ERR no": {Refused: "ERR no"},
		"(error) MOVED 1 redis-2:6379": {Refused: "MOVED 1 redis-2:6379", Redirected: true},
		"succeeded, revision 7, lock":  {Revision: 7}, "TTL 10": {},
	} {
		must.Equalf(t, readAnswer(text), want, "%q is read as", text)
	}
}
