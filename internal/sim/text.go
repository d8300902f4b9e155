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
	buffer []byte
}

func (t *commandTexts) of(h *history.History, cmd *world.Cmd) history.TextID {
	for i := range t.recent {
		if r := &t.recent[i]; r.cmd.Name == cmd.Name && r.cmd == *cmd {
			return r.id
		}
	}
	r := &t.recent[t.next]
	t.next = (t.next + 1) % len(t.recent)
	t.buffer = cmd.AppendText(t.buffer[:0])
	r.cmd, r.id = *cmd, h.InternBytes(t.buffer)
	return r.id
}

// replyText interns a reply as redis-cli prints it. The usual ones need no
// formatting.
func replyText(h *history.History, r world.Reply) history.TextID {
	switch {
	case r.IsNil():
		return h.Intern("(nil)")
	case r.IsOK():
		return h.Intern("OK")
	case r.IsInt(0):
		return h.Intern("(integer) 0")
	case r.IsInt(1):
		return h.Intern("(integer) 1")
	}
	return h.Intern(r.String())
}
