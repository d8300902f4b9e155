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

// Hash returns the fingerprint of the story that the history tells: XXH3 with 128
// bits. Two runs are the same run if and only if their hashes are equal, but for
// a chance of one in 10^20 among a billion runs. It tells runs apart; it does not
// protect against an author who wants two stories to look the same.
//
// A cryptographic hash would promise something that no caller relies on (if you can
// change a stored history, you can change the hash beside it) and took a third of a
// run's instructions: SHA-256 without instructions of its own needs 0.5 ms for what
// XXH3 does in 0.03 ms. BLAKE3 would do with AVX2, but takes 4 ms without its
// assembler, longer than the run. XXH3 is specified to the bit, and fast in plain
// code on any processor. That two plays agree does not show that both are right: see
// the pinned hashes of package run.
//
// What is hashed is not the stored text but a canonical binary form, which is
// many times faster to make than JSON and cannot be changed by accident through
// a change of formatting. It covers all events and the fields of the header that
// say what the run was; it does not cover Header.Schema, because storing a
// history in a newer way does not change what happened.
//
// The trap is in the texts. Interned ids depend on the order in which texts were
// interned, and a world may intern one that no event ever uses:
//
//	one run:      Intern("GET lock"), Intern("OK"), event with "OK"    id 2
//	its copy:     Intern("OK"), event with "OK"                        id 1
//
// Both tell the same story, so the hash numbers texts by their first use in an
// event and takes in each text there.
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

// HashAll is the hash of the one history, or the hash over the hashes of several, as text.
func HashAll(all []*History) string {
	if len(all) == 1 {
		return all[0].Hash().String()
	}
	var hashes []Hash
	for _, h := range all {
		hashes = append(hashes, h.Hash())
	}
	return CombineHashes(hashes).String()
}

// CombineHashes is the fingerprint of several histories in their order.
func CombineHashes(hashes []Hash) Hash {
	var sum xxh3.Hasher
	for _, h := range hashes {
		_, _ = sum.Write(h[:]) // a hash takes everything
	}
	return sum.Sum128().Bytes()
}

const (
	// hashVersion opens the hashed bytes. A change of the binary form is a change
	// of this text: hashes of different forms must not be compared.
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

// room makes sure that n more bytes fit into the buffer.
func (w *hashWriter) room(n int) {
	if w.n+n > len(w.buf) {
		w.flush()
	}
}

func (w *hashWriter) flush() {
	_, _ = w.sum.Write(w.buf[:w.n]) // a hash takes everything
	w.n = 0
}

// bytes takes in bytes as they are.
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

// events takes in all events, each with its fields at fixed places: that is more
// bytes than a varint would need, but the hash is faster than any packing. A text
// follows the event that uses it first. The fields are written out, since events are
// many and a list of functions takes seven times as long; a test notices one that is
// not here.
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
