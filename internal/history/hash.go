package history

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/zeebo/xxh3"
)

// Hash is the fingerprint of one history, or of several together.
type Hash [16]byte

// String returns the hash as 32 hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Hash returns the fingerprint of the history: XXH3 with 128 bits. Equal hashes mean the same run,
// but for a chance of one in 10^20 among a billion runs. It does not protect against forgery, and
// need not: anyone who can change a stored history can change the hash beside it. A cryptographic
// hash would cost a large part of a run; XXH3 is specified to the bit, and fast in plain code on any
// processor.
//
// What is hashed is a canonical binary form, which is faster to make than JSON and does not depend
// on its formatting. It covers all events and the fields of the header that say what the run was,
// but not Header.Schema.
//
// Texts are numbered by their first use in an event, and hashed there: their ids depend on the
// order of interning, and a world may intern a text that no event uses.
//
//	one run:      Intern("GET lock"), Intern("OK"), event with "OK"    id 2
//	its copy:     Intern("OK"), event with "OK"                        id 1
func (h *History) Hash() Hash {
	var w hashWriter
	begin := append(appendNumber(h.hashed[:0], len(hashVersion)), hashVersion...)
	begin = appendNumber(appendHashed(begin, headerFields, &h.Header), len(h.Events))
	h.hashed = begin
	w.bytes(begin)
	h.textUses = append(h.textUses[:0], make([]uint32, len(h.texts))...)
	w.events(h, h.textUses)
	w.flush()
	return w.sum.Sum128().Bytes()
}

// HashAll returns the hash of one history, or the combined hash of several, as text.
func HashAll(all []*History) string {
	hashes := make([]Hash, len(all))
	for i, h := range all {
		hashes[i] = h.Hash()
	}
	if len(hashes) == 1 {
		return hashes[0].String()
	}
	return CombineHashes(hashes).String()
}

// CombineHashes is the fingerprint of several histories in their order.
func CombineHashes(hashes []Hash) Hash {
	var sum xxh3.Hasher
	for _, h := range hashes {
		_, _ = sum.Write(h[:]) // never fails
	}
	return sum.Sum128().Bytes()
}

const (
	// hashVersion begins the hashed bytes, and changes with the binary form: hashes of different
	// forms must not be equal.
	hashVersion = "lockstep history 2"

	hashBuffer = 4 << 10
	hashEvent  = 6 * 8 // bytes of one event
)

// hashWriter gathers bytes and hands them to the hash in large pieces.
type hashWriter struct {
	sum xxh3.Hasher
	n   int // bytes in buf
	buf [hashBuffer]byte
}

func (w *hashWriter) room(n int) {
	if w.n+n > len(w.buf) {
		w.flush()
	}
}

func (w *hashWriter) flush() {
	_, _ = w.sum.Write(w.buf[:w.n]) // never fails
	w.n = 0
}

func (w *hashWriter) bytes(b []byte) {
	w.flush()
	_, _ = w.sum.Write(b)
}

func (w *hashWriter) text(s string) {
	w.room(8)
	binary.LittleEndian.PutUint64(w.buf[w.n:], uint64(len(s)))
	w.n += 8
	for len(s) > 0 {
		w.room(1)
		n := copy(w.buf[w.n:], s)
		w.n += n
		s = s[n:]
	}
}

// events hashes all events, with fields of fixed size: the hash is faster than any packing. A text
// follows the event that uses it first. The fields are not taken from eventFields, since calls of
// functions would dominate; a test notices a field that is missing here.
func (w *hashWriter) events(h *History, uses []uint32) {
	used, written := uint32(0), uint32(0) // texts
	events, n := h.Events, w.n            // in registers, as events are many
	for i := range events {
		e := &events[i]
		text := uint32(0)
		if int(e.Text) < len(uses) {
			if text = uses[e.Text]; text == 0 && e.Text != 0 {
				used++
				text = used
				uses[e.Text] = text
			}
		}
		if n > len(w.buf)-hashEvent {
			w.n = n
			w.flush()
			n = 0
		}
		b := w.buf[n : n+hashEvent : n+hashEvent]
		binary.LittleEndian.PutUint16(b[46:], uint16(e.Kind)) // the last first: it shows that the rest fits
		binary.LittleEndian.PutUint64(b[0:], uint64(e.At))
		binary.LittleEndian.PutUint64(b[8:], uint64(e.Clock))
		binary.LittleEndian.PutUint64(b[16:], uint64(e.Value))
		binary.LittleEndian.PutUint64(b[24:], uint64(e.Token))
		binary.LittleEndian.PutUint64(b[32:], uint64(uint32(e.Cause))|uint64(text)<<32)
		binary.LittleEndian.PutUint32(b[40:], uint32(e.Node)|uint32(e.Peer)<<16)
		binary.LittleEndian.PutUint16(b[44:], uint16(e.Owner))
		n += hashEvent
		if text > written {
			written = text
			w.n = n
			w.text(h.texts[e.Text])
			n = w.n
		}
	}
	w.n = n
}
