package servers

import (
	"bytes"
	"fmt"
)

// How much of a log to keep, in bytes, half of it from the beginning and half from the end. A
// server that fails in a loop would fill the disk.
const (
	maxLog  = 256 << 10  // of one process
	maxLogs = 4 * maxLog // of all processes of a server
)

// Clip is a writer that keeps only the beginning and the end.
type Clip struct {
	half       int // capacity of head and of tail
	head, tail []byte
	left       int // number of bytes left out
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

// Bytes returns the kept bytes, with a note where bytes were left out.
func (c *Clip) Bytes() []byte {
	if c.left == 0 {
		return append(bytes.Clone(c.head), c.tail...)
	}
	note := fmt.Sprintf("\n[... %d bytes of this log are left out here ...]\n", c.left)
	return append(append(bytes.Clone(c.head), note...), c.tail...)
}

// remember copies the log of the last process before it is removed.
func (s *Server) remember() {
	if s.unread {
		s.said.half = maxLogs / 2
		_, _ = s.said.Write(s.place.Log()) // never fails
		s.unread = false
	}
}

// Log returns the output of the server's processes, in order; of a long log its beginning and end.
func (s *Server) Log() []byte {
	s.remember()
	return s.said.Bytes()
}
