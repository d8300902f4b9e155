package history

import "strings"

// letters keeps many short texts in few pieces of memory.
type letters struct{ piece strings.Builder }

// pieceSize is how many bytes a piece holds. A longer text has a piece of its own.
const pieceSize = 4 << 10

func (l *letters) keep(text []byte) string {
	if l.piece.Cap()-l.piece.Len() < len(text) {
		l.piece = strings.Builder{}
		l.piece.Grow(max(pieceSize, len(text)))
	}
	start := l.piece.Len()
	l.piece.Write(text)
	return l.piece.String()[start:]
}
