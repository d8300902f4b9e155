package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lockstep/internal/history/jsonline"
	"lockstep/internal/must"
)

func testHeader() Header {
	return Header{
		Scenario: "A pause outlives the lease", Lock: "set-nx-lua", Seed: 1<<64 - 1,
		Backend: "sim", ScalePPM: 1_000_000, Lease: 10 * time.Second, Fence: "none",
		Nodes: []Node{
			{"A", RoleClient}, {"B", RoleClient}, {"probe", RoleProbe},
			{"S", RoleStore}, {"R", RoleResource},
		},
		Faults: []Fault{{Number: 1, Verb: "pause", Text: "pause A for 15 s"}, {Number: 2, Verb: "crash", Text: "crash S"}}, Drawn: true,
	}
}

func testHistory() *History {
	h := New(testHeader())
	sent := h.Add(Event{At: 12_000_123, Clock: -5, Node: 1, Peer: 4, Kind: Sent, Text: h.Intern("GET lock"), Cause: NoCause})
	h.Add(Event{At: 13_000_000, Node: 4, Peer: 1, Kind: Executed, Text: h.Intern("(nil)"), Cause: sent})
	h.Add(Event{At: 13_000_000, Node: 4, Peer: 2, Owner: 1, Kind: Removed, Text: h.Intern("lock"), Value: -1 << 63, Token: 1<<63 - 1, Cause: NoCause})
	h.Add(Event{At: 14_000_500, Kind: Healed, Cause: NoCause})
	return h
}

const testJSONL = `{"schema":2,"scenario":"A pause outlives the lease","lock":"set-nx-lua","seed":18446744073709551615,"backend":"sim","scale_ppm":1000000,"lease_ns":10000000000,"fence":"none","nodes":[{"name":"A","role":"client"},{"name":"B","role":"client"},{"name":"probe","role":"probe"},{"name":"S","role":"store"},{"name":"R","role":"resource"}],"faults":[{"number":1,"verb":"pause","text":"pause A for 15 s"},{"number":2,"verb":"crash","text":"crash S"}],"drawn":true}
{"true_us":12000.123,"clock_us":-0.005,"node":"A","kind":"sent","client":"A","peer":"S","text":"GET lock"}
{"true_us":13000,"node":"S","kind":"executed","client":"A","peer":"A","cause":[0],"text":"(nil)"}
{"true_us":13000,"node":"S","kind":"removed","client":"B","peer":"B","owner":"A","token":9223372036854775807,"value":-9223372036854775808,"text":"lock"}
{"true_us":14000.5,"kind":"healed"}
`

func TestReadJSONLIsTolerant(t *testing.T) {
	in := ` { "schema" : 2 , "later" : {"a":[1,-2.5e3,null,true,{"b":"\ud83d\ude00"}]}, "nodes":[{"name":"A","role":"client","x":0}] } ` + "\r\n" +
		`{"kind":"wai\u0074s","true_us":1.50,"node":"A","later":[],"cause":[]}`
	h := must.Get(readOne(strings.NewReader(in)))(t)
	want := Event{At: 1500, Node: 1, Kind: Waits, Cause: NoCause}
	if len(h.Events) != 1 || h.Events[0] != want {
		t.Errorf("got %+v, want %+v", h.Events, want)
	}
}

func TestReadJSONLErrors(t *testing.T) {
	const header = `{"schema":2,"nodes":[{"name":"A","role":"client"},{"name":"S","role":"store"}]}` + "\n"
	const first = `{"true_us":5,"kind":"waits","node":"A"}` + "\n"
	tests := []struct{ give, want string }{
		{"", "line 1: the file is empty"},
		{"\n", "line 1: column 1: '{' expected"},
		{`{}`, "line 1: schema 0 is not known here, only 2"},
		{`{"schema":3}`, "line 1: schema 3 is not known here, only 2"},
		{`{"schema":2,"lease_ns":-1}`, "line 1: a lease of -1 ns"},
		{`{"schema":2,"lease_ns":1e3}`, "line 1: lease_ns: column 25: not a whole number"},
		{`{"schema":2,"seed":18446744073709551616}`, "line 1: seed: column 20: the number is too large"},
		{`{"schema":2,"nodes":[{"name":"A","role":"client"},{"name":"A","role":"client"}]}`, `line 1: two nodes are named "A"`},
		{`{"schema":2,"nodes":[{"name":"","role":"client"}]}`, "line 1: a node has no name"},
		{`{"schema":2,"nodes":[{"name":"A","role":"king"}]}`, `unknown role "king"`},
		{`{"schema":2,"faults":[{"number":1},{"number":1}]}`, "fault number 1 follows 1"},
		{`{"schema":2,"nodes":[` + strings.Repeat(`{"name":"A","role":"client"},`, 5001) + `{}]}`, "more than 5000 nodes"},
		{`{"schema":2,"x":` + strings.Repeat("[", 100) + `}`, "nests too deeply"},
		{`{"schema":2,"x":truth}`, "line 1: column 17: a value expected"},
		{`{"schema":2,"x":01}`, "line 1: column 17: a value expected"},
		{`{"schema":2,"drawn":1}`, "line 1: drawn: column 21: true or false expected"},
		{`{"schema":2,"lock":"a","lock":"b"}`, "line 1: lock appears twice"},
		{`{"schema":2,"nodes":[{"name":"A","name":"B","role":"client"}]}`, "line 1: nodes: name appears twice"},
		{`{"schema":2} x`, "line 1: column 14: something follows"},
		{header + first + "\n", "line 3: column 1: '{' expected"},
		{header + `{"true_us":5}`, "line 2: kind is missing"},
		{header + `{"kind":"waits"}`, "line 2: true_us is missing"},
		{header + `{"true_us":5,"kind":"waltz"}`, `line 2: kind: unknown kind "waltz"`},
		{header + `{"true_us":5,"kind":""}`, `line 2: kind: unknown kind ""`},
		{header + `{"true_us":5,"true_us":5,"kind":"waits"}`, "line 2: true_us appears twice"},
		{header + `{"true_us":5,"kind":"waits","text":"a","text_base64":"YQ=="}`, "text_base64 appears twice"},
		{header + `{"true_us":5,"kind":"waits","text_base64":"Y"}`, "line 2: text_base64: illegal base64"},
		{header + `{"true_us":5,"kind":"waits","node":"B"}`, `line 2: node: the header has no node "B"`},
		{header + `{"true_us":5,"kind":"waits","node":""}`, `line 2: node: the header has no node ""`},
		{header + `{"true_us":5,"kind":"sent","node":"S","client":"A"}`, `client is "A", but node and peer say "nobody"`},
		{header + `{"true_us":5,"kind":"sent","node":7}`, `line 2: node: column 35: '"' expected`},
		{header + first + `{"true_us":4.999,"kind":"waits"}`, "line 3: true time goes back from 5 to 4.999 us"},
		{header + `{"true_us":-5,"kind":"waits"}`, "line 2: the true time -5000 ns is out of range"},
		{header + `{"true_us":1.0001,"kind":"waits"}`, "line 2: true_us: a time with more than three decimals"},
		{header + `{"true_us":1.,"kind":"waits"}`, "true_us: a decimal point without decimals"},
		{header + `{"true_us":1e3,"kind":"waits"}`, "true_us: a time with an exponent"},
		{header + `{"true_us":01,"kind":"waits"}`, "true_us: column 12: a number with a leading zero"},
		{header + `{"true_us":"1","kind":"waits"}`, "true_us: column 12: a number expected"},
		{header + `{"true_us":99999999999999999,"kind":"waits"}`, "true_us: the time is out of range"},
		{header + `{"true_us":5,"kind":"waits","cause":[0]}`, "line 2: the cause 0 does not point to an earlier event than 0"},
		{header + first + `{"true_us":5,"kind":"waits","cause":[-1]}`, "line 3: cause: -1 is not the index of an event"},
		{header + first + first + `{"true_us":5,"kind":"waits","cause":[0,1]}`, "line 4: cause: more than one cause"},
		{header + `{"true_us":5,"kind":"waits","value":9223372036854775808}`, "value: the number is too large"},
		{header + `{"true_us":5,"kind":"waits","value":1.5}`, "not a whole number"},
		{header + `{"true_us":5,"kind":"waits","text":"\ud800"}`, "text: column 37: not an escape of a character"},
		{header + `{"true_us":5,"kind":"waits","text":"\ud800\u0041"}`, "not an escape of a character"},
		{header + `{"true_us":5,"kind":"waits","text":"\x"}`, "not an escape of a character"},
		{header + "{\"true_us\":5,\"kind\":\"waits\",\"text\":\"\x1b[2J\"}", "a control character in a string"},
		{header + "{\"true_us\":5,\"kind\":\"waits\",\"text\":\"\xff\"}", "line 2: it is not valid UTF-8"},
		{header + `{"true_us":5,"kind":"waits","text":"`, "line 2: text: a string does not end"},
		{header + `{"true_us":5,"kind":"waits"`, "'}' expected"},
		{header + `{"true_us":5,"kind":"waits",}`, `'"' expected`},
		{header + first + `{"text":"` + strings.Repeat("x", MaxLine) + `"}`, "line 3: it is longer than 1048576 bytes"},
	}
	for _, tt := range tests {
		_, err := readOne(strings.NewReader(tt.give))
		must.Fail(t, err, tt.want)
	}
}

func TestReadJSONLTakesLineOfMaximalLength(t *testing.T) {
	const frame = `{"schema":2,"scenario":""}`
	in := `{"schema":2,"scenario":"` + strings.Repeat("x", MaxLine-len(frame)) + `"}`
	must.Get(readOne(strings.NewReader(in + "\n")))(t)
	if _, err := readOne(strings.NewReader(in + " \n")); err == nil {
		t.Error("a line that is one byte longer was read")
	}
}

func TestWriteJSONLErrors(t *testing.T) {
	many := make([]Node, MaxNodes+1)
	for i := range many {
		many[i] = Node{fmt.Sprint(i), RoleClient}
	}
	for _, tt := range []struct {
		change func(h *History)
		want   string
	}{
		{func(h *History) { h.Header.Schema = 9 }, "schema 9 is not known here, only 2"},
		{func(h *History) { h.Header.Schema = 1 }, "schema 1 is of an older lockstep, which stored requests as texts only"},
		{func(h *History) { h.Header.Nodes = many }, "5001 nodes"},
		{func(h *History) { h.Header.Scenario = "\xff" }, `"\xff" is not valid UTF-8`},
		{func(h *History) { h.Header.Scenario = strings.Repeat("x", MaxLine) }, "the header is longer"},
		{func(h *History) { h.Header.Store = "<b>" }, `the store "<b>" is no product's name`},
		{func(h *History) { h.Header.Topology = "star" }, `the topology "star" is not known`},
		{func(h *History) { h.Header.Nodes[1].Name = "A" }, `two nodes are named "A"`},
		{func(h *History) { h.Header.Nodes[1].Name = "\xff" }, "node name"},
		{func(h *History) { h.Header.Faults[1].Text = "\xff" }, "fault 2"},
		{func(h *History) { h.Events[1].Kind = 0 }, "event 1: kind 0 is not known"},
		{func(h *History) { h.Events[1].Kind = kindCount }, "event 1: kind"},
		{func(h *History) { h.Events[0].At = -1 }, "event 0: the true time -1 ns"},
		{func(h *History) { h.Events[1].At = 1 }, "event 1: true time goes back"},
		{func(h *History) { h.Events[1].Clock = 1 << 62 }, "event 1: the clock"},
		{func(h *History) { h.Events[1].Owner = 6 }, "event 1: a node is not among the 5"},
		{func(h *History) { h.Events[1].Cause = 1 }, "event 1: the cause 1"},
		{func(h *History) { h.Events[1].Kind, h.Events[1].Value = FaultBegan, 9 }, "event 1: fault 9 is not among the 2 of the header"},
		{func(h *History) { h.Events[1].Cause = -2 }, "event 1: the cause -2"},
		{func(h *History) { h.Events[1].Text = h.Intern(strings.Repeat("x", MaxLine)) }, "event 1: its line is longer"},
	} {
		h := testHistory()
		tt.change(h)
		err := WriteJSONL(&bytes.Buffer{}, h)
		must.Fail(t, err, tt.want)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteJSONLReportsWriteErrors(t *testing.T) {
	if err := WriteJSONL(fullDisk{}, testHistory()); err == nil {
		t.Error("the error of the writer got lost")
	}
}

// Characters that a terminal or a browser could interpret are escaped.
func TestWriteJSONLHostileTexts(t *testing.T) {
	texts := []string{
		"\x1b[2J", "\u009b2J", "\u202egnp.exe", "\u2028", "\u2029", "\x00", "\x7f", "\ufeff",
		"\"\\/\b\f\n\r\t", "</script>", "\xff\xfe", "a\xc0\xafb", "\U0001f600", "\U000e0001", "é", "\ufffd",
	}
	h := New(testHeader())
	for _, text := range texts {
		h.Add(Event{Node: 1, Kind: AcquireFailed, Text: h.Intern(text), Cause: NoCause})
	}
	var buf bytes.Buffer
	must.Do(t, WriteJSONL(&buf, h))
	for _, raw := range []string{"\x1b", "\u009b", "\u202e", "\u2028", "\u2029", "\x00", "\x7f", "\ufeff", "\xff", "\U000e0001"} {
		if strings.Contains(buf.String(), raw) {
			t.Errorf("%q is in the file as it is", raw)
		}
	}
	back := must.Get(readOne(&buf))(t)
	for i, text := range texts {
		if got := back.Text(back.Events[i].Text); got != text {
			t.Errorf("text %q came back as %q", text, got)
		}
	}
}

// genHistory draws an arbitrary history.
func genHistory(t *rapid.T) *History {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"", "lock", "OK", "\x1b[31m", "\u2028", "\xff\x00"}),
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
	header := Header{
		Scenario: rapid.String().Draw(t, "scenario"), Lock: rapid.String().Draw(t, "lock"),
		Seed: rapid.Uint64().Draw(t, "seed"), Backend: "sim", ScalePPM: rapid.Int64().Draw(t, "scale"),
		Lease: time.Duration(rapid.Int64Range(0, maxNanos).Draw(t, "lease")), Fence: "none", Drawn: rapid.Bool().Draw(t, "drawn"),
		Entry: Watched(rapid.String().Draw(t, "entry")), Keys: rapid.String().Draw(t, "keys"),
		Alone: rapid.String().Draw(t, "alone"), AloneAt: Instant(rapid.Int64().Draw(t, "alone at")),
	}
	names := rapid.SliceOfNDistinct(rapid.StringN(1, 9, -1), 0, 5, rapid.ID[string]).Draw(t, "names")
	roles := []Role{RoleClient, RoleProbe, RoleStore, RoleResource}
	for _, name := range names {
		header.Nodes = append(header.Nodes, Node{name, rapid.SampledFrom(roles).Draw(t, "role")})
	}
	side := rapid.SliceOfN(rapid.String(), 1, 3)
	values := rapid.SampledFrom([]Values{"", "7", `{"verb":"pause","value":"A\u202e","end":{"for_ns":-1.5e9}}`, `["\u001b",null,true]`})
	for i := range rapid.IntRange(0, 3).Draw(t, "faults") {
		var sides [][]string
		for range rapid.IntRange(0, 3).Draw(t, "sides") {
			sides = append(sides, side.Draw(t, "side"))
		}
		header.Faults = append(header.Faults, Fault{
			i + 1, rapid.String().Draw(t, "verb"), rapid.String().Draw(t, "fault"), values.Draw(t, "values"),
			rapid.Bool().Draw(t, "drawn fault"), rapid.IntRange(0, 9).Draw(t, "line"), sides,
		})
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "lines") {
		header.Lines = append(header.Lines, Line{i + 1, rapid.String().Draw(t, "line"), values.Draw(t, "line's values")})
	}
	h := New(header)
	node := rapid.Map(rapid.IntRange(0, len(names)), func(n int) NodeID { return NodeID(n) })
	at := int64(0)
	for i := range rapid.IntRange(0, 20).Draw(t, "events") {
		at = min(at+rapid.Int64Range(0, 1<<50).Draw(t, "step"), maxNanos)
		h.Intern(text.Draw(t, "spare"))
		kind, value := Kind(rapid.IntRange(1, int(kindCount)-1).Draw(t, "kind")), rapid.Int64().Draw(t, "value")
		if kind.ofFault() { // of the header's faults, and of none without any
			if value = int64(rapid.IntRange(0, len(header.Faults)).Draw(t, "number")); value == 0 {
				kind = Waits
			}
		}
		h.Add(Event{
			At: Instant(at), Clock: rapid.Int64Range(-maxNanos, maxNanos).Draw(t, "clock"),
			Token: rapid.Int64().Draw(t, "token"), Value: value,
			Cause: int32(rapid.IntRange(-1, i-1).Draw(t, "cause")), Text: h.Intern(text.Draw(t, "text")),
			Node: node.Draw(t, "node"), Peer: node.Draw(t, "peer"), Owner: node.Draw(t, "owner"),
			Kind: kind,
		})
	}
	return h
}

func TestRoundTripKeepsHash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := genHistory(t)
		var buf bytes.Buffer
		must.Do(t, WriteJSONL(&buf, h))
		stored := buf.String()
		for line := range strings.Lines(stored) {
			if !json.Valid([]byte(line)) {
				t.Fatalf("not JSON: %q", line)
			}
		}
		back, err := readOne(&buf)
		if err != nil {
			t.Fatalf("%v\n%s", err, stored)
		}
		if back.Hash() != h.Hash() || back.Header.Entry != h.Header.Entry || back.Header.AloneAt != h.Header.AloneAt {
			t.Fatalf("another hash or header after a round trip of\n%s", stored)
		}
		var again bytes.Buffer
		if err := WriteJSONL(&again, back); err != nil || again.String() != stored {
			t.Fatalf("%v; second copy differs:\n%s\n%s", err, stored, again.String())
		}
	})
}

// The scanner and encoding/json agree about what a string is.
func TestScannerStringsAgreeWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "text")
		std := must.Get(json.Marshal(want))(t)
		var s jsonline.Scanner
		s.Reset(std)
		if got, err := s.Bytes(); err != nil || string(got) != want {
			t.Fatalf("%s: got %q, %v", std, got, err)
		}
		var got string
		if err := json.Unmarshal(appendString(nil, want), &got); err != nil || got != want {
			t.Fatalf("encoding/json reads %q as %q, %v", want, got, err)
		}
	})
}

func FuzzReadJSONL(f *testing.F) {
	f.Add([]byte(testJSONL))
	f.Add([]byte(`{"schema":2,"x":[[{"a":"\ud83d\ude00"}]],"nodes":[]}` + "\n" + `{"true_us":1.5,"kind":"healed","text_base64":"/w=="}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		h, err := readOne(bytes.NewReader(in))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "read history: line ") {
				t.Errorf("the error names no line: %v", err)
			}
			return
		}
		for line := range bytes.Lines(in) {
			if !json.Valid(line) {
				t.Errorf("accepted a line that is not JSON: %q", line)
			}
		}
		var buf bytes.Buffer
		if err := WriteJSONL(&buf, h); err != nil {
			t.Fatalf("read but cannot be written: %v", err)
		}
		back, err := readOne(&buf)
		if err != nil || back.Hash() != h.Hash() {
			t.Fatalf("does not survive a round trip: %v", err)
		}
	})
}

func BenchmarkWriteJSONL(b *testing.B) {
	h := sampleRun(3000)
	var buf bytes.Buffer
	for b.Loop() {
		buf.Reset()
		must.Do(b, WriteJSONL(&buf, h))
	}
	b.SetBytes(int64(buf.Len()))
}

func BenchmarkReadJSONL(b *testing.B) {
	var buf bytes.Buffer
	must.Do(b, WriteJSONL(&buf, sampleRun(3000)))
	b.SetBytes(int64(buf.Len()))
	for b.Loop() {
		must.Get(readOne(bytes.NewReader(buf.Bytes())))(b)
	}
}

// A file may hold several histories, one after the other.
func TestReadAllJSONL(t *testing.T) {
	a := New(Header{Lock: "a", Nodes: []Node{{Name: "A", Role: RoleClient}}})
	a.Add(Event{Kind: Waits, Node: 1, Value: 1, Cause: NoCause})
	b := New(Header{Lock: "b", Nodes: []Node{{Name: "B", Role: RoleClient}}})
	var buf bytes.Buffer
	for _, h := range []*History{a, b, a} {
		must.Do(t, WriteJSONL(&buf, h))
	}
	all := must.Get(ReadAllJSONL(bytes.NewReader(buf.Bytes())))(t)
	if len(all) != 3 || all[0].Hash() != a.Hash() || all[1].Hash() != b.Hash() || all[2].Hash() != a.Hash() {
		t.Errorf("read %d histories, or other ones than were written", len(all))
	}
}

// readOne reads a file with one history.
func readOne(r io.Reader) (*History, error) {
	all, err := ReadAllJSONL(r)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("%d histories", len(all))
	}
	if err != nil {
		return nil, err
	}
	return all[0], nil
}
