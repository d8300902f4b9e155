package zookeeper

import (
	"strconv"
	"strings"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// Op implements Request.
func (Connect) Op() history.Op { return history.Op{Name: "CONNECT", Does: history.Opens} }

// Op implements Request.
func (Ping) Op() history.Op { return history.Op{Name: "PING", Does: history.KeepsAlive} }

// Op implements Request. A node below another one is its client's place in a queue.
func (c Create) Op() history.Op {
	op := history.Op{Name: "CREATE", Key: c.Path, Does: history.MakesNew}
	if below(c.Path) {
		op.Does = history.Queues
	}
	return op
}

// Op implements Request.
func (d Delete) Op() history.Op {
	op := history.Op{Name: "DELETE", Key: d.Path, Does: history.Removes, Checks: d.Version >= 0}
	if below(d.Path) {
		op.Does = history.RemovesOwn
	}
	return op
}

// below reports whether a node has another one than the root above it.
func below(path string) bool { return strings.LastIndexByte(path, '/') > 0 }

// Op implements Request.
func (e Exists) Op() history.Op {
	return history.Op{Name: "EXISTS", Key: e.Path, Does: history.Asks, Watches: e.Watch}
}

// Op implements Request.
func (c Children) Op() history.Op {
	return history.Op{Name: "CHILDREN", Key: c.Path, Does: history.Asks}
}

// Op implements Request.
func (SetWatches) Op() history.Op { return history.Op{Name: "SETWATCHES", Does: history.NoEntry} }

// Op implements Request.
func (Close) Op() history.Op { return history.Op{Name: "CLOSE", Does: history.EndsSession} }

// AppendText implements Request: CONNECT 10000 SESSION 0x1, in milliseconds.
func (c Connect) AppendText(buf []byte) []byte {
	buf = strconv.AppendInt(append(buf, "CONNECT "...), int64(c.Timeout/time.Millisecond), 10)
	if c.Session != 0 {
		buf = strconv.AppendInt(append(buf, " SESSION 0x"...), c.Session, 16)
	}
	return buf
}

// AppendText implements Request.
func (Ping) AppendText(buf []byte) []byte { return append(buf, "PING"...) }

var modeTexts = [...]string{Persistent: "", Ephemeral: " EPHEMERAL", EphemeralSequential: " EPHEMERAL SEQUENTIAL"}

// AppendText implements Request: CREATE /lock EPHEMERAL.
func (c Create) AppendText(buf []byte) []byte {
	return append(append(append(buf, "CREATE "...), c.Path...), modeTexts[c.Mode]...)
}

// AppendText implements Request: DELETE /lock -1.
func (d Delete) AppendText(buf []byte) []byte {
	buf = append(append(append(buf, "DELETE "...), d.Path...), ' ')
	return strconv.AppendInt(buf, int64(d.Version), 10)
}

// AppendText implements Request: EXISTS /lock WATCH.
func (e Exists) AppendText(buf []byte) []byte {
	buf = append(append(buf, "EXISTS "...), e.Path...)
	if e.Watch {
		buf = append(buf, " WATCH"...)
	}
	return buf
}

// AppendText implements Request.
func (c Children) AppendText(buf []byte) []byte {
	return append(append(buf, "CHILDREN "...), c.Path...)
}

// AppendText implements Request: SETWATCHES SINCE 7 /lock.
func (s SetWatches) AppendText(buf []byte) []byte {
	buf = strconv.AppendInt(append(buf, "SETWATCHES SINCE "...), s.Since, 10)
	for _, paths := range [...][]string{s.Data, s.Exist} {
		for _, p := range paths {
			buf = append(append(buf, ' '), p...)
		}
	}
	return buf
}

// AppendText implements Request.
func (Close) AppendText(buf []byte) []byte { return append(buf, "CLOSE"...) }

// Text is the state of a node as an answer; s is nil for one that does not exist.
func (s *Stat) Text() string {
	if s == nil {
		return "no node"
	}
	text := "czxid " + strconv.FormatInt(s.Czxid, 10) + ", version " + strconv.FormatInt(int64(s.Version), 10)
	if s.EphemeralOwner != 0 {
		text += ", session 0x" + strconv.FormatInt(s.EphemeralOwner, 16)
	}
	return text
}

// Answer says whose the node is; s is nil for one that does not exist.
func (s *Stat) Answer() history.Answer {
	if s == nil || s.EphemeralOwner == 0 {
		return history.Answer{}
	}
	return sessionAnswer(s.EphemeralOwner)
}

// sessionAnswer is a session as an answer.
func sessionAnswer(id int64) history.Answer {
	return history.Answer{Session: "0x" + strconv.FormatInt(id, 16)}
}

// AnswerText implements store.AnswerFormatter.
func (Children) AnswerText(names any) string { return "[" + strings.Join(names.([]string), " ") + "]" }

var _ store.AnswerFormatter = Children{}
