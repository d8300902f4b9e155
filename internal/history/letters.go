package history

import "strings"

// letters keeps many short texts in few pieces of memory. A run interns hundreds of
// commands that differ by a token, and most of them are never read.
type letters struct{ piece strings.Builder }

// pieceSize is how many bytes a piece holds. A text that is longer has its own.
const pieceSize = 4 << 10

// keep returns a text as a string. A full piece is left to the texts that are in it.
func (l *letters) keep(text []byte) string {
	if l.piece.Cap()-l.piece.Len() < len(text) {
		l.piece = strings.Builder{}
		l.piece.Grow(max(pieceSize, len(text)))
	}
	start := l.piece.Len()
	l.piece.Write(text)
	return l.piece.String()[start:]
}
