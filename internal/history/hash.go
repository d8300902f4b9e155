package history

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math/bits"
)

// Hash returns the SHA-256 of the story that the history tells. Two runs are the
// same run if and only if their hashes are equal.
//
// What is hashed is not the stored text but a canonical binary form, which is
// several times faster to make than JSON and cannot be changed by accident
// through a change of formatting. It covers all events and the fields of the
// header that say what the run was; it does not cover Header.Schema, because
// storing a history in a newer way does not change what happened.
//
// The trap is in the texts. Interned ids depend on the order in which texts were
// interned, and a world may intern one that no event ever uses:
//
//	one run:      Intern("GET lock"), Intern("OK"), event with "OK"    id 2
//	its copy:     Intern("OK"), event with "OK"                        id 1
//
// Both tell the same story, so the hash numbers texts by their first use in an
// event and takes in each text there.
func (h *History) Hash() [32]byte {
	w := hashWriter{sum: sha256.New()}
	w.header(&h.Header)
	w.number(uint64(len(h.Events)))
	uses := make([]uint32, len(h.texts)) // by TextID: its number in order of first use, 0: unused
	w.events(h, uses)
	w.flush()
	var out [32]byte
	w.sum.Sum(out[:0])
	return out
}

// HashString returns the hash as 64 hexadecimal digits.
func (h *History) HashString() string {
	sum := h.Hash()
	return hex.EncodeToString(sum[:])
}

const (
	// hashVersion opens the hashed bytes. A change of the binary form is a change
	// of this text: hashes of different forms must not be compared.
	hashVersion = "lockstep history 1"

	hashBuffer   = 4 << 10
	hashHead     = 5              // bytes: the lengths of the fields and the kind
	hashEventMax = hashHead + 7*8 // of the longest event
)

// hashWriter gathers bytes and hands them to the hash in large pieces.
type hashWriter struct {
	sum hash.Hash
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
	w.sum.Write(w.buf[:w.n])
	w.n = 0
}

func (w *hashWriter) number(n uint64) {
	w.room(8)
	binary.LittleEndian.PutUint64(w.buf[w.n:], n)
	w.n += 8
}

func (w *hashWriter) text(s string) {
	w.number(uint64(len(s)))
	for len(s) > 0 {
		w.room(1)
		n := copy(w.buf[w.n:], s)
		w.n += n
		s = s[n:]
	}
}

func (w *hashWriter) header(header *Header) {
	w.text(hashVersion)
	w.text(header.Scenario)
	w.text(header.Lock)
	w.number(header.Seed)
	w.text(header.Backend)
	w.number(zigzag(header.ScalePPM))
	w.number(zigzag(int64(header.Lease)))
	w.text(header.Fence)
	w.number(uint64(len(header.Nodes)))
	for _, n := range header.Nodes {
		w.text(n.Name)
		w.text(string(n.Role))
	}
	w.number(uint64(len(header.Faults)))
	for _, f := range header.Faults {
		w.number(zigzag(int64(f.Number)))
		w.text(f.Verb)
		w.text(f.Text)
	}
}

// events takes in all events. Each is five bytes, the lengths of the fields and
// the kind, and then the fields without their leading zero bytes. To write eight
// bytes and keep as many as count takes no branch and no loop, other than a
// varint. Instants are stored as steps, clocks by how far they are off.
func (w *hashWriter) events(h *History, uses []uint32) {
	at, used := Instant(0), uint32(0)
	for i := range h.Events {
		e := &h.Events[i]
		text, fresh := uint64(0), false
		if e.Text != 0 && int(e.Text) < len(uses) {
			if fresh = uses[e.Text] == 0; fresh {
				used++
				uses[e.Text] = used
			}
			text = uint64(uses[e.Text])
		}
		clock := uint64(0)
		if e.Clock != 0 {
			clock = zigzag(e.Clock-int64(e.At)) + 1
		}
		nodes := uint64(e.Node) | uint64(e.Peer)<<16 | uint64(e.Owner)<<32
		w.room(hashEventMax)
		b := w.buf[w.n:]
		n, l0 := field(b, hashHead, zigzag(int64(e.At-at)))
		n, l1 := field(b, n, clock)
		n, l2 := field(b, n, nodes)
		n, l3 := field(b, n, uint64(uint32(e.Cause+1))) // NoCause is the zero
		n, l4 := field(b, n, text)
		n, l5 := field(b, n, zigzag(e.Value))
		n, l6 := field(b, n, zigzag(e.Token))
		binary.LittleEndian.PutUint32(b, l0|l1<<4|l2<<8|l3<<12|l4<<16|l5<<20|l6<<24)
		b[4] = byte(e.Kind)
		w.n += n
		at = e.At
		if fresh {
			w.text(h.texts[e.Text])
		}
	}
}

// field writes the bytes of x that count to b[n:], which has room for eight, and
// returns the new n and how many they are.
func field(b []byte, n int, x uint64) (int, uint32) {
	binary.LittleEndian.PutUint64(b[n:], x)
	length := (bits.Len64(x) + 7) >> 3
	return n + length, uint32(length)
}

// zigzag maps small numbers of either sign to small numbers.
func zigzag(n int64) uint64 { return uint64(n)<<1 ^ uint64(n>>63) }
