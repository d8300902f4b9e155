package history

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// fill sets every field of a struct to a non-zero value.
func fill(one any) {
	v := reflect.ValueOf(one).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("field " + fmt.Sprint(i))
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Uint8:
			f.SetUint(uint64(RevokesLease))
		default:
			f.SetInt(int64(i + 7))
		}
	}
}

// meant is a history of one request and one answer.
func meant(op Op, a Answer) *History {
	h := New(Header{Nodes: []Node{{Name: "A", Role: RoleClient}, {Name: "S", Role: RoleStore}}})
	h.Add(Event{Kind: Sent, Node: 1, Peer: 2, Text: h.Intern("asked"), Cause: NoCause})
	h.Add(Event{Kind: Replied, Node: 1, Peer: 2, Text: h.Intern("answered"), Cause: 0})
	h.SetOp(h.Events[0].Text, op)
	h.SetAnswer(h.Events[1].Text, a)
	return h
}

// Op and Answer are stored completely, and do not change the hash.
func TestOperationsAreStored(t *testing.T) {
	var op Op
	var a Answer
	fill(&op)
	fill(&a)
	must.Equalf(t, meant(Op{}, Answer{}).Hash(), meant(op, a).Hash(),
		"the hash covers the meaning of a request")
	for _, tt := range []struct {
		op Op
		a  Answer
	}{{op, a}, {Op{}, Answer{}}, {Op{Name: "GET"}, Number(0)}} {
		var stored bytes.Buffer
		must.Do(t, WriteJSONL(&stored, meant(tt.op, tt.a)))
		h := must.Get(readOne(&stored))(t)
		must.Equal(t, *h.Op(h.Events[0].Text), tt.op)
		must.Equal(t, *h.Answer(h.Events[1].Text), tt.a)
	}
	if _, err := readOne(strings.NewReader(`{"schema":2}` + "\n" + `{"true_us":1,"kind":"sent","does":"magic"}`)); err == nil {
		t.Error("an unknown effect is accepted")
	}
}

// For requests with the same text, Op is what they have in common, in any order.
func TestRequestsThatReadAlike(t *testing.T) {
	all := []Op{{Name: "unlock", Script: true, Owner: "a", Does: RemovesOwn}, {Name: "unlock", Script: true, Owner: "a", Does: Anything}, {Name: "unlock", Script: true, Owner: "b", Does: RemovesOwn}}
	for _, order := range [][]int{{0, 1, 2, 0}, {2, 1, 0, 0}, {1, 0, 0, 2}} {
		h := New(Header{})
		id := h.Intern("EVAL unlock")
		for _, i := range order {
			h.SetOp(id, all[i])
		}
		must.Equalf(t, *h.Op(id), (Op{Name: "unlock", Script: true}), "in the order %v", order)
	}
	h := New(Header{})
	id := h.Intern("x")
	h.SetAnswer(id, Number(0))
	h.SetAnswer(id, Answer{})
	h.SetAnswer(id, Number(0))
	must.Equalf(t, *h.Answer(id), Answer{}, "a text that is not always a number")
}

// Requests without a text have no known meaning.
func TestNothingIsKnownWithoutText(t *testing.T) {
	omitText := New(Header{})
	omitText.OmitText = true
	for _, h := range []*History{omitText, New(Header{}), {}} {
		h.SetOp(0, Op{Name: "GET"})
		h.SetAnswer(0, Number(1))
		for _, id := range []TextID{0, 99} {
			if *h.Op(id) != (Op{}) || *h.Answer(id) != (Answer{}) || !h.HasOp(id) || !h.Op(id).Does.AboutEntry() {
				t.Error("something is known of a request without a text")
			}
		}
	}
}
