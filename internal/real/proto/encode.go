package proto

import (
	"encoding/json"
	"strconv"
	"strings"

	"lockstep/internal/history"
)

// appendUp appends a message as encoding/json writes it, with the end of its line. A
// client reports two events for each command, and reflection would take longer than
// the rest of a report; the rarer messages, those that announce a command, are left to it.
func appendUp(buf []byte, m *Up) ([]byte, error) {
	if len(m.Mark) > 0 || m.Wants != nil {
		text, err := json.Marshal(m)
		return append(append(buf, text...), '\n'), err
	}
	buf = appendText(append(buf, `{"k":`...), string(m.Kind))
	buf = appendNumber(buf, "id", m.ID)
	buf = appendNumber(buf, "at", int64(m.At))
	buf = appendNumber(buf, "clock", m.Clock)
	buf = appendNumber(buf, "e", int64(m.Event))
	buf = appendNumber(buf, "m", int64(m.Moment))
	buf = appendNumber(buf, "token", m.Token)
	buf = appendNumber(buf, "v", m.Value)
	buf = appendWord(buf, "text", m.Text)
	buf = appendNumber(buf, "call", m.Call)
	buf = appendNumber(buf, "srv", int64(m.Server))
	buf = appendWord(buf, "task", m.Task)
	buf = appendWord(buf, "cmd", m.Command)
	buf = appendWord(buf, "script", m.Script)
	if m.Op != nil {
		buf = appendOp(append(buf, `,"op":`...), m.Op)
	}
	if m.Answer != nil {
		buf = appendAnswer(append(buf, `,"ans":`...), m.Answer)
	}
	buf = appendTruth(appendWord(buf, "words", m.Words), "broke", m.Broken)
	buf = appendNumber(buf, "part", int64(m.Part))
	return append(buf, "}\n"...), nil
}

// appendOp appends what a request is.
func appendOp(buf []byte, op *history.Op) []byte {
	begin := len(buf)
	buf = appendWord(buf, "op", op.Name)
	buf = appendTruth(buf, "script", op.Script)
	buf = appendWord(buf, "trigger", op.Trigger)
	buf = appendWord(buf, "key", op.Key)
	buf = appendNumber(buf, "does", int64(op.Does))
	buf = appendWord(buf, "owner", op.Owner)
	buf = appendNumber(buf, "lease", int64(op.Lease))
	buf = appendTruth(buf, "blocks", op.Blocks)
	buf = appendTruth(buf, "watches", op.Watches)
	buf = appendTruth(buf, "checks", op.Checks)
	return appendEnd(appendTruth(buf, "bound", op.Bound), begin)
}

// appendAnswer appends what an answer says.
func appendAnswer(buf []byte, a *history.Answer) []byte {
	begin := len(buf)
	buf = appendWord(buf, "refused", a.Refused)
	buf = appendTruth(buf, "redirected", a.Redirected)
	buf = appendTruth(buf, "nil", a.Nil)
	buf = appendTruth(buf, "numeric", a.Numeric)
	buf = appendNumber(buf, "number", a.Number)
	buf = appendNumber(buf, "revision", a.Revision)
	return appendEnd(appendWord(buf, "session", a.Session), begin)
}

// appendEnd makes an object of the fields from a place on, each of which has a comma before it.
func appendEnd(buf []byte, begin int) []byte {
	if len(buf) == begin {
		return append(buf, "{}"...)
	}
	buf[begin] = '{'
	return append(buf, '}')
}

// appendTruth appends a field unless it is false.
func appendTruth(buf []byte, key string, is bool) []byte {
	if !is {
		return buf
	}
	return append(append(append(buf, `,"`...), key...), `":true`...)
}

// appendNumber appends a field unless it is zero.
func appendNumber(buf []byte, key string, v int64) []byte {
	if v == 0 {
		return buf
	}
	return strconv.AppendInt(append(append(append(buf, `,"`...), key...), `":`...), v, 10)
}

// appendWord appends a field unless it is empty.
func appendWord(buf []byte, key, v string) []byte {
	if v == "" {
		return buf
	}
	return appendText(append(append(append(buf, `,"`...), key...), `":`...), v)
}

// asItIs are the bytes that stand for themselves in a string.
var asItIs = func() (is [256]bool) {
	for c := ' '; c <= '~'; c++ {
		is[c] = !strings.ContainsRune(`"\<>&`, c)
	}
	return is
}()

func appendText(buf []byte, s string) []byte {
	for i := range len(s) {
		if !asItIs[s[i]] {
			text, _ := json.Marshal(s) // a string can always be written
			return append(buf, text...)
		}
	}
	return append(append(append(buf, '"'), s...), '"')
}
