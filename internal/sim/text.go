package sim

import (
	"lockstep/internal/history"
	"lockstep/internal/world"
)

// commandTexts remembers the texts of a client's last few commands: a client
// that spins sends the same one again and again, and writing it out each time
// would cost more than executing it.
type commandTexts struct {
	recent [4]struct {
		cmd world.Cmd
		id  history.TextID
	}
	next   int
	last   int // where the last one was found: a client that spins asks for it again
	buffer []byte
}

func (t *commandTexts) of(h *history.History, cmd *world.Cmd) history.TextID {
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
	return r.id
}

// name is the command's name, for triggers.
func (l *call) name() string {
	if l.op != nil {
		return l.op.Name()
	}
	return l.cmd.Name
}

// text is the request as one would type it.
func (l *call) text() history.TextID {
	if l.w.Wordless {
		return 0
	}
	if l.socket != nil && l.op == nil {
		return l.w.hist.Intern(l.shown)
	}
	if l.op == nil {
		return l.client.texts.of(l.w.hist, &l.cmd)
	}
	buf := &l.client.texts.buffer
	*buf = l.op.AppendText((*buf)[:0])
	return l.w.hist.InternBytes(*buf)
}

// textOfReply is the reply as people read it.
func (w *World) textOfReply(l *call) history.TextID {
	if w.Wordless {
		return 0
	}
	if l.op == nil {
		return w.replies.of(w.hist, &l.reply)
	}
	return w.hist.Intern(l.replied)
}

// replyTexts are the texts of the usual replies, interned once per run.
type replyTexts struct {
	null, ok, zero, one history.TextID
}

func (t *replyTexts) reset(h *history.History) {
	if h.Wordless {
		return
	}
	t.null = h.Intern(world.Reply{}.String())
	t.ok = h.Intern(world.OK().String())
	t.zero = h.Intern(world.Int(0).String())
	t.one = h.Intern(world.Int(1).String())
}

// of interns a reply as redis-cli prints it.
func (t *replyTexts) of(h *history.History, r *world.Reply) history.TextID {
	switch {
	case r.Kind == world.ReplyNil:
		return t.null
	case r.Kind == world.ReplyInt && r.Int == 0:
		return t.zero
	case r.Kind == world.ReplyInt && r.Int == 1:
		return t.one
	case r.IsOK():
		return t.ok
	}
	return h.Intern(r.String())
}
