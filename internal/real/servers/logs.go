package servers

import (
	"bytes"
	"fmt"
)

// How much of a log is kept, in bytes: its beginning and its end, half each. A server
// that fails in a loop would fill the disk with the same line.
const (
	maxLog  = 256 << 10  // of one process
	maxLogs = 4 * maxLog // of all processes that a server had
)

// Clip is a writer that keeps the beginning and the end of what is written to it.
type Clip struct {
	half       int // of the bytes to keep
	head, tail []byte
	left       int // bytes that were left out
}

// NewClip makes one for the log of a process.
func NewClip() *Clip { return &Clip{half: maxLog / 2} }

// Write implements io.Writer. It never fails.
func (c *Clip) Write(p []byte) (int, error) {
	room := min(c.half-len(c.head), len(p))
	c.head = append(c.head, p[:room]...)
	c.tail = append(c.tail, p[room:]...)
	if over := len(c.tail) - c.half; over > 0 {
		c.left += over
		c.tail = append(c.tail[:0], c.tail[over:]...)
	}
	return len(p), nil
}

// Bytes is what was kept, with a note where something was left out.
func (c *Clip) Bytes() []byte {
	if c.left == 0 {
		return append(bytes.Clone(c.head), c.tail...)
	}
	note := fmt.Sprintf("\n[... %d bytes of this log are left out here ...]\n", c.left)
	return append(append(bytes.Clone(c.head), note...), c.tail...)
}

// remember keeps what the last process has said, before its log goes.
func (s *Server) remember() {
	if s.unread {
		s.said.half = maxLogs / 2
		_, _ = s.said.Write(s.place.Log()) // never fails
		s.unread = false
	}
}

// Log returns what the server's processes have said, one after the other; of a long
// log its beginning and its end.
func (s *Server) Log() []byte {
	s.remember()
	return s.said.Bytes()
}
