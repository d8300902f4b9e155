package logcheck

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// generated is an endless log that is generated while it is read: clients take turns at some locks.
type generated struct {
	lines   int64  // how many there are to be, besides the header
	form    string // csv, json, text; app and json-app: text and JSON with nine other lines for each of a lock
	locks   int64  // that are in use at a time
	always  bool   // each is another one after one hold
	dying   bool   // each client is another one, and every third dies without a word
	n       int64
	pending []byte
}

func (g *generated) Read(p []byte) (int, error) {
	for len(g.pending) < len(p) && g.n < g.lines {
		g.line()
	}
	if len(g.pending) == 0 {
		return 0, io.EOF
	}
	n := copy(p, g.pending)
	g.pending = append(g.pending[:0], g.pending[n:]...)
	return n, nil
}

// line generates the next line: at each lock, a client acquires, writes and releases while the next
// one waits.
func (g *generated) line() {
	if g.n == 0 && (g.form == "" || g.form == "csv") {
		g.pending = append(g.pending, "time,client,lock,event,token\n"...)
	}
	lock, step := g.n%g.locks, g.n/g.locks
	busy := strings.HasSuffix(g.form, "app")
	if busy {
		lock, step = g.n/10%g.locks, g.n/10/g.locks
	}
	turn := step / 4
	client, event, token := turn, "", ""
	switch step % 4 {
	case 0:
		event, token = "acquired", strconv.FormatInt(turn+1, 10)
	case 1:
		client, event = turn+1, "waiting"
	case 2:
		event, token = "write", strconv.FormatInt(turn+1, 10)
	case 3:
		event = "released"
	}
	if g.always {
		lock += turn * g.locks
	}
	if !g.dying {
		client %= 50
	} else if turn%3 == 2 && step%4 == 3 {
		client, event = turn+1, "waiting"
	}
	at := time.Unix(1772359200, 0).UTC().Add(time.Duration(g.n) * time.Millisecond)
	format := "%s,pod-%d,jobs-%d,%s,%s\n"
	switch g.form {
	case "json", "json-app":
		format = `{"time":"%s","client":"pod-%d","lock":"jobs-%d","event":"%s","token":"%s"}` + "\n"
	case "text", "app":
		format = "%[1]s  INFO 1 --- [job-worker-%[2]d] c.acme.billing.InvoiceJob  : lock %[4]s: jobs-%[3]d"
		if token != "" {
			format += " token=%[5]s"
		}
		format += "\n"
	}
	when := at.Format("2006-01-02T15:04:05.000Z")
	values := []any{when, client, lock, event, token}
	if token == "" && (g.form == "text" || g.form == "app") {
		values = values[:4]
	}
	g.pending = fmt.Appendf(g.pending, format, values...)
	g.n++
	other := "%s DEBUG 1 --- [job-worker-%d] c.acme.billing.InvoiceJob  : invoice %d was written to the archive in 12 ms, and %d are left\n"
	if g.form == "json-app" {
		other = `{"time":"%s","level":"debug","client":"pod-%d","logger":"c.acme.billing.InvoiceJob","msg":"invoice %d was written to the archive in 12 ms, and %d are left"}` + "\n"
	}
	for i := 0; busy && i < 9 && g.n < g.lines; i++ {
		g.pending = fmt.Appendf(g.pending, other, when, client, g.n, i)
		g.n++
	}
}

// generatedFormat is the format of generated text.
const generatedFormat = "pattern: '\\[job-worker-(?<client>\\d+)\\] .* lock (?<event>\\w+): (?<lock>\\S+)(?: token=(?<token>\\d+))?$'\n"
