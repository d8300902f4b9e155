package link

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// cut cuts a stream into messages, bytes coming in one by one, and says of each what
// the dissector knows: the exchange, whether it begins there, its mark.
func cut(t *testing.T, d dissector, way Direction, stream []byte) []string {
	t.Helper()
	var out []string
	var part []byte
	for _, b := range stream {
		part = append(part, b)
		n, m, err := d.next(way, part)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			continue
		}
		if n != len(part) {
			t.Fatalf("a message of %d bytes was seen when %d were there", n, len(part))
		}
		part = nil
		begins := ""
		if m.begins {
			begins = " begins"
		}
		out = append(out, fmt.Sprintf("%d%s %s", m.exchange, begins, m.mark))
	}
	if len(part) > 0 {
		t.Errorf("left: %q", part)
	}
	return out
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func TestRedisRepliesComeInOrder(t *testing.T) {
	d := Redis()
	get := "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"
	want(t, "up", cut(t, d, Up, []byte(get+get+get)), "1 begins "+get, "2 begins "+get, "3 begins "+get)
	d.withdrawn(2)
	want(t, "down", cut(t, d, Down, []byte(":1\r\n$-1\r\n+news\r\n")), "1 begins ", "3 begins ", "0 ")
}

// packet is a packet of MySQL.
func packet(number byte, body string) []byte {
	return append([]byte{byte(len(body)), byte(len(body) >> 8), byte(len(body) >> 16), number}, body...)
}

func TestAStatementOfMySQLIsKnownByItsComment(t *testing.T) {
	d := MySQL()
	want(t, "greeting", cut(t, d, Down, packet(0, "hello")), "0 ")
	want(t, "login", cut(t, d, Up, packet(1, "root")), "0 ")
	want(t, "welcome", cut(t, d, Down, packet(2, "ok")), "0 ")
	want(t, "query", cut(t, d, Up, packet(0, "\x03SELECT 1 "+CommentMark("call17"))), "1 begins /* call17 */")
	want(t, "rows", cut(t, d, Down, append(packet(1, "a"), packet(2, "b")...)), "1 begins ", "1 ")
	want(t, "ping", cut(t, d, Up, packet(0, "\x0e")), "2 begins ")
	want(t, "pong", cut(t, d, Down, packet(1, "ok")), "2 begins ")
}

// letter is a message of PostgreSQL.
func letter(kind byte, body string) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(4+len(body))), body...)
}

func TestAStatementOfPostgreSQLIsSeveralMessages(t *testing.T) {
	d := Postgres()
	startup := append(binary.BigEndian.AppendUint32(nil, 12), "versions"...)
	want(t, "startup", cut(t, d, Up, startup), "0 ")
	want(t, "ready", cut(t, d, Down, append(letter('R', "ok"), letter('Z', "I")...)), "0 ", "0 ")
	asked := slices.Concat(letter('P', "\x00INSERT /* call3 */\x00"), letter('B', "x"), letter('E', ""), letter('S', ""))
	want(t, "asked", cut(t, d, Up, asked), "1 begins /* call3 */", "1 ", "1 ", "1 ")
	want(t, "told", cut(t, d, Down, slices.Concat(letter('1', ""), letter('N', "notice"), letter('C', "x"), letter('Z', "I"))),
		"1 begins ", "0 ", "1 ", "1 ")
	want(t, "later", cut(t, d, Down, letter('E', "you are shut down")), "0 ")
	want(t, "simple", cut(t, d, Up, letter('Q', "BEGIN\x00")), "2 begins ")
	want(t, "first", cut(t, d, Up, letter('P', "\x00INSERT\x00")), "3 begins ")
	d.withdrawn(3)
	want(t, "rest of what is withdrawn", cut(t, d, Up, letter('B', "x")), "3 ")
}

// zkFrame is a message of ZooKeeper.
func zkFrame(number, kind int32, path string) []byte {
	body := binary.BigEndian.AppendUint32(nil, uint32(number))
	if kind != 0 {
		body = binary.BigEndian.AppendUint32(body, uint32(kind))
	}
	if path != "" {
		body = append(binary.BigEndian.AppendUint32(body, uint32(len(path))), path...)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func TestARequestOfZooKeeperIsKnownByItsPath(t *testing.T) {
	d := ZooKeeper()
	want(t, "opening", cut(t, d, Up, zkFrame(0, 0, "")), fmt.Sprintf("%d begins CONNECT", int64(zkOpening)))
	want(t, "opened", cut(t, d, Down, zkFrame(0, 0, "")), fmt.Sprintf("%d begins CONNECT", int64(zkOpening)))
	want(t, "asked", cut(t, d, Up, slices.Concat(zkFrame(5, 1, "/lock"), zkFrame(-2, 11, ""), zkFrame(6, 12, "/lock"))),
		"5 begins CREATE /lock", "-2 begins PING", "6 begins CHILDREN /lock")
	want(t, "told", cut(t, d, Down, slices.Concat(zkFrame(-1, 0, ""), zkFrame(-2, 0, ""), zkFrame(5, 0, ""))),
		"0 ", "-2 begins ", "5 begins ")
}

// A request of etcd is what its client sends on a stream. Its headers go on when it is
// lost, and so do those of the reply, under the number of a stream that nobody knows:
// whoever reads the later ones needs them.
func TestARequestOfEtcdIsAStream(t *testing.T) {
	var wire, block bytes.Buffer
	frames, encoder := http2.NewFramer(&wire, nil), hpack.NewEncoder(&block)
	headers := func(stream uint32, end bool, fields ...string) {
		block.Reset()
		for i := 0; i < len(fields); i += 2 {
			_ = encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
		}
		_ = frames.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: end})
	}
	taken := func() []byte {
		out := bytes.Clone(wire.Bytes())
		wire.Reset()
		return out
	}
	d := Etcd()
	_ = frames.WriteSettings()
	want(t, "preface", cut(t, d, Up, append([]byte(http2.ClientPreface), taken()...)), "0 ", "0 ")
	headers(1, false, ":path", "/etcdserverpb.KV/Txn", EtcdMark, "call9")
	headers(3, false, ":path", "/etcdserverpb.KV/Txn")
	_ = frames.WriteData(3, true, []byte("other"))
	_ = frames.WriteData(1, true, []byte("txn"))
	want(t, "asked", cut(t, d, Up, taken()), "0 ", "0 ", "3 begins ", "1 begins call9")
	headers(1, false, ":status", "200", "grpc-status", "0")
	_ = frames.WriteData(1, false, []byte("answer"))
	headers(1, true, "grpc-status", "0")
	reply := taken()
	n, m, err := d.next(Down, reply)
	if err != nil || m.exchange != 1 || !m.begins || len(m.instead) != n {
		t.Fatalf("the reply begins with %d bytes, %+v, %v", n, m, err)
	}
	other, err := http2.NewFramer(nil, bytes.NewReader(m.instead)).ReadFrame()
	if err != nil || other.Header().StreamID != h2Unknown {
		t.Errorf("instead of a lost reply comes %v, %v", other, err)
	}
	want(t, "told", cut(t, d, Down, reply[n:]), "1 ", "1 ")
	_ = frames.WriteWindowUpdate(0, 10)
	want(t, "more", cut(t, d, Down, taken()), "0 ")
}

func TestAnotherProtocolIsNotTouched(t *testing.T) {
	for name, d := range map[string]dissector{"etcd": Etcd(), "zookeeper": ZooKeeper(), "postgres": Postgres()} {
		if _, _, err := d.next(Up, []byte("GET / HTTP/1.1\r\nHost: example\r\n\r\n")); err == nil {
			t.Errorf("%s took HTTP/1 for its protocol", name)
		}
	}
}

func TestARequestOfConsulIsKnownByItsHeader(t *testing.T) {
	d := Consul()
	put := "PUT /v1/kv/lock?acquire=s HTTP/1.1\r\nHost: h\r\nlockstep-call: /* call7 */\r\nContent-Length: 1\r\n\r\nA"
	get := "GET /v1/kv/lock HTTP/1.1\r\nHost: h\r\n\r\n"
	want(t, "put", cut(t, d, Up, []byte(put)), "1 begins /* call7 */")
	want(t, "true", cut(t, d, Down, []byte("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntrue")), "1 begins ")
	want(t, "get", cut(t, d, Up, []byte(get)), "2 begins ")
	chunked := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n"
	want(t, "chunked", cut(t, d, Down, []byte(chunked)), "2 begins ")
	want(t, "nobody asked", cut(t, d, Down, []byte("HTTP/1.1 408 Late\r\nContent-Length: 0\r\n\r\n")), "0 ")
}
