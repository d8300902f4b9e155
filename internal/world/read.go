package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Histories keep requests and answers as texts. Here they are read again, and nowhere else: who
// writes a text differently finds its reader in this package.

// Typed is the text of a request, taken apart.
type Typed struct {
	Name   string   // as triggers know it: that of a script is its own; "" for an empty text
	Script bool     // the name is that of a script
	Args   []string // what follows, word by word
	Rest   string   // what follows, as it stands
}

// ReadRequest reads the text of a request, which may be anybody's: of a log from elsewhere the
// name is its first word.
func ReadRequest(text string) Typed {
	words := strings.Fields(text)
	switch {
	case len(words) == 0:
		return Typed{}
	case len(words) > 1 && (words[0] == "EVAL" || words[0] == "EVALSHA"):
		_, named, _ := strings.Cut(text, " ")
		_, rest, _ := strings.Cut(named, " ")
		return Typed{Name: words[1], Script: true, Args: words[2:], Rest: rest}
	}
	_, rest, _ := strings.Cut(text, " ")
	name := words[0]
	if name == "SELECT" {
		name = statementName(text)
	}
	return Typed{Name: name, Args: words[1:], Rest: rest}
}

// Blocks reports whether the store is to keep the request until something changes: a blocking
// query of Consul.
func (t Typed) Blocks() bool { return t.Name == "GET" && len(t.Args) > 1 && t.Args[1] == "INDEX" }

// besides are requests about a client, its heartbeat or its wish to be told, and about no entry. Package faults
// leaves the same ones out of an acquire.
var besides = map[string]bool{
	"CONNECT": true, "SESSION": true, "GRANT": true, "BEGIN": true, "SUBSCRIBE": true, "WATCH": true, "SETWATCHES": true,
	"PING": true, "KEEPALIVE": true, "RENEW": true,
}

// AboutEntry reports whether a request with that text is about an entry, and whether the store is to say when
// something changes.
func AboutEntry(text string) (about, watches bool) {
	name, _, _ := strings.Cut(text, " ")
	return !besides[name], name == "WATCH" || strings.HasSuffix(text, " WATCH")
}

// Says reports whether the words stand in the request one after the other: a key, NX, FOR UPDATE.
func (t Typed) Says(words ...string) bool {
	for i := range t.Args {
		if rest := t.Args[i:]; len(rest) >= len(words) && slices.Equal(rest[:len(words)], words) {
			return true
		}
	}
	return false
}

// Mentions reports whether a key is in the request, or one whose name has it as a part: a place in
// the queue below it.
func (t Typed) Mentions(key string) bool { return strings.Contains(t.Rest, key) }

// Lease is the time to live that a SET of Redis asks for; 0 for none.
func (t Typed) Lease() (lease time.Duration) {
	units := map[string]time.Duration{"PX": time.Millisecond, "EX": time.Second}
	for i := 1; i < len(t.Args); i++ {
		if n, err := strconv.ParseInt(t.Args[i], 10, 64); err == nil && units[t.Args[i-1]] != 0 {
			lease = time.Duration(n) * units[t.Args[i-1]]
		}
	}
	return lease
}

// Answer is the text of an answer, as a history has it.
type Answer string

// No is the answer of Consul to a request that changed nothing.
const No Answer = "false"

// SentAway reports whether by this answer a node of a Redis Cluster has not executed a command: it
// redirects to another one, or serves nobody.
func (a Answer) SentAway() bool {
	return strings.HasPrefix(string(a), failed+"MOVED ") || strings.HasPrefix(string(a), failed+"CLUSTERDOWN ")
}

// failed begins an answer that refuses, but for that of a database.
const failed = "(error) "

// Refusal is the sentence with which a server of Redis refuses; "" when it does not.
func (a Answer) Refusal() string {
	if sentence, refused := strings.CutPrefix(string(a), failed); refused {
		return sentence
	}
	return ""
}

// Failed reports whether the answer is an error of a database, see SQLError.Text.
func (a Answer) Failed() bool { return strings.HasPrefix(string(a), "ERROR") }

// Number is the number that Redis answers; false for anything else.
func (a Answer) Number() (int64, bool) {
	digits, number := strings.CutPrefix(string(a), "(integer) ")
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, number && err == nil
}

// Rows is how many rows a statement has changed; false when the answer is not about that.
func (a Answer) Rows() (n int, ok bool) {
	_, err := fmt.Sscanf(string(a), "%d row", &n)
	return n, err == nil
}

// Renewed reports whether the answer is the time to live that a lease of etcd or a session of
// Consul has from now on.
func (a Answer) Renewed() bool { return strings.HasPrefix(string(a), "TTL ") }

// Session is the lease of etcd, or the session of ZooKeeper or Consul, that the answer is about: it
// was made, or has made what is there. It is "" when there is none.
func (a Answer) Session() string {
	for _, mark := range []string{"lease ", "locked by ", "session "} {
		if at := strings.LastIndex(string(a), mark); at >= 0 {
			session, _, _ := strings.Cut(string(a[at+len(mark):]), ",")
			return session
		}
	}
	return ""
}

// Revision is that of etcd's keys at the time of the answer; false when it does not say.
func (a Answer) Revision() (int64, bool) {
	_, rest, ok := strings.Cut(string(a), "revision ")
	digits, _, _ := strings.Cut(rest, ",")
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, ok && err == nil
}
