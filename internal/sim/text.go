package sim

import (
	"lockstep/internal/history"
	"lockstep/internal/ports"
	"lockstep/internal/store"
	"lockstep/internal/store/redis"
)

// commandTexts caches the texts of a client's last few commands: a spinning client repeats a
// command whose text would cost more than its execution.
type commandTexts struct {
	recent [4]struct {
		cmd redis.Cmd
		id  history.TextID
	}
	next   int
	last   int // where the last one was found
	buffer []byte
}

func (t *commandTexts) of(h *history.History, cmd *redis.Cmd) history.TextID {
	if r := &t.recent[t.last]; r.cmd.Same(cmd) {
		return r.id
	}
	for i := range t.recent {
		if r := &t.recent[i]; r.cmd.Same(cmd) {
			t.last = i
			return r.id
		}
	}
	r := &t.recent[t.next]
	t.next = (t.next + 1) % len(t.recent)
	t.buffer = cmd.AppendText(t.buffer[:0])
	r.cmd, r.id = *cmd, h.InternBytes(t.buffer)
	if cmd.Script != nil || !h.HasOp(r.id) { // another script may have the same name
		h.SetOp(r.id, cmd.Op())
	}
	return r.id
}

// about returns the Op of a request to a model.
func (l *call) about() *history.Op {
	if l.known != l.id {
		l.does, l.known = l.op.Op(), l.id
	}
	return &l.does
}

func (l *call) name() string {
	if l.op != nil {
		return l.about().Name
	}
	return l.cmd.Name()
}

func (l *call) text() history.TextID {
	if l.w.OmitText {
		return 0
	}
	if l.socket != nil && l.op == nil {
		id := l.w.hist.Intern(l.shown)
		l.w.hist.SetOp(id, l.cmd.Op())
		return id
	}
	if l.op == nil {
		return l.client.texts.of(l.w.hist, &l.cmd)
	}
	buf := &l.client.texts.buffer
	*buf = l.op.AppendText((*buf)[:0])
	id := l.w.hist.InternBytes(*buf)
	if !l.w.hist.HasOp(id) {
		l.w.hist.SetOp(id, *l.about())
	}
	return id
}

// textOfReply is the text of the reply.
func (w *World) textOfReply(l *call) history.TextID {
	if w.OmitText {
		return 0
	}
	if l.op == nil {
		return w.replies.of(w.hist, &l.reply)
	}
	id := w.hist.Intern(store.AnswerText(l.op, l.value, l.err))
	if !w.hist.HasAnswer(id) {
		w.hist.SetAnswer(id, ports.AnswerTo(l.op, l.value, l.err))
	}
	return id
}

// replyTexts are the texts of common replies, interned once per run.
type replyTexts struct {
	null, ok, zero, one history.TextID
}

func (t *replyTexts) reset(h *history.History) {
	if h.OmitText {
		return
	}
	t.null = reply(h, redis.Reply{})
	t.ok = reply(h, redis.OK())
	t.zero = reply(h, redis.Int(0))
	t.one = reply(h, redis.Int(1))
}

func reply(h *history.History, r redis.Reply) history.TextID {
	id := h.Intern(r.String())
	if !h.HasAnswer(id) {
		h.SetAnswer(id, r.Answer())
	}
	return id
}

// of interns a reply as redis-cli prints it.
func (t *replyTexts) of(h *history.History, r *redis.Reply) history.TextID {
	switch {
	case r.Kind == redis.ReplyNil:
		return t.null
	case r.Kind == redis.ReplyInt && r.Int == 0:
		return t.zero
	case r.Kind == redis.ReplyInt && r.Int == 1:
		return t.one
	case r.IsOK():
		return t.ok
	}
	return reply(h, *r)
}
