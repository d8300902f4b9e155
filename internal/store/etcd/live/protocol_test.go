package live

import (
	"bytes"
	"os"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"lockstep/internal/must"
	"lockstep/internal/real/link"
	"lockstep/internal/real/link/linktest"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/realtest"
	"lockstep/internal/store/etcd"
)

// A request of etcd is the data that its client sends on a stream. The headers of a lost request
// are passed on, and those of a lost reply under an unknown stream number: the decoder needs them
// to read later ones.
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
	d := protocol()
	_ = frames.WriteSettings()
	linktest.Want(t, d, link.Up, append([]byte(http2.ClientPreface), taken()...), "0 ", "0 ")
	headers(1, false, ":path", "/etcdserverpb.KV/Txn", markKey, "call9")
	headers(3, false, ":path", "/etcdserverpb.KV/Range")
	_ = frames.WriteData(3, true, []byte("other"))
	_ = frames.WriteData(1, true, []byte("txn"))
	linktest.Want(t, d, link.Up, taken(), "0 ", "0 ", "3 begins ", "1 begins changes call9")
	headers(1, false, ":status", "200", "grpc-status", "0")
	_ = frames.WriteData(1, false, []byte("answer"))
	headers(1, true, "grpc-status", "0")
	reply := taken()
	n, m, err := d.Next(link.Down, reply)
	if err != nil || m.Exchange != 1 || !m.Begins || len(m.Instead) != n {
		t.Fatalf("the reply begins with %d bytes, %+v, %v", n, m, err)
	}
	other, err := http2.NewFramer(nil, bytes.NewReader(m.Instead)).ReadFrame()
	if err != nil || other.Header().StreamID != 1<<31-1 {
		t.Errorf("a lost reply is replaced by %v, %v", other, err)
	}
	linktest.Want(t, d, link.Down, reply[n:], "1 ", "1 ")
	_ = frames.WriteWindowUpdate(0, 10)
	linktest.Want(t, d, link.Down, taken(), "0 ")
}

// Programs without gRPC send JSON. A watch is answered piece by piece, and has no end.
func TestTheGatewayOfEtcdSpeaksHTTP(t *testing.T) {
	d := protocol()
	linktest.Want(t, d, link.Up, []byte("POST /v3/kv/txn HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"), "1 begins changes ")
	linktest.Want(t, d, link.Down, []byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), "1 begins ")
	linktest.Want(t, d, link.Up, []byte("POST /v3/watch HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"), "2 begins ", "2 ", "2 ")
	linktest.Want(t, d, link.Down, []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"), "2 begins ", "2 ")
}

func TestRedisIsAnotherProtocol(t *testing.T) {
	if _, _, err := protocol().Next(link.Up, []byte("PING\r\n")); err == nil {
		t.Error("a line of Redis counts as HTTP")
	}
}

func FuzzProtocol(f *testing.F) {
	const chunked = "POST /v3/watch HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
	const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	linktest.Fuzz(f, protocol, chunked, preface+"\x00\x00\x01\x01\x04\x00\x00\x00\x01\x82\x00\x00\x00\x00\x00\x00\x00\x00\x00", preface+"\x00\x00\x02\x01\x28\x00\x00\x00\x01\xff\x00")
}

func TestAnEtcdThatCannotStartSaysWhy(t *testing.T) {
	realtest.Need(t, "etcd")
	t.Setenv("TMPDIR", t.TempDir())
	// etcd refuses an election timeout of more than 50 s.
	_, err := livestore.Of(etcd.ID).Start(t.Context(), livestore.Wish{Election: time.Minute})
	must.Fail(t, err, "ended at its start (exit status", "election")
	if left, _ := os.ReadDir(os.TempDir()); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
