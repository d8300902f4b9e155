package live

import (
	"testing"

	"lockstep/internal/real/link"
	"lockstep/internal/real/link/linktest"
)

func TestARequestOfConsulIsKnownByItsHeader(t *testing.T) {
	d := protocol()
	put := "PUT /v1/kv/lock?acquire=s HTTP/1.1\r\nHost: h\r\nlockstep-call: /* call7 */\r\nContent-Length: 1\r\n\r\nA"
	get := "GET /v1/kv/lock HTTP/1.1\r\nHost: h\r\n\r\n"
	linktest.Want(t, d, link.Up, []byte(put), "1 begins changes /* call7 */")
	linktest.Want(t, d, link.Down, []byte("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntrue"), "1 begins ")
	linktest.Want(t, d, link.Up, []byte(get), "2 begins ")
	chunked := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n"
	linktest.Want(t, d, link.Down, []byte(chunked), "2 begins ", "2 ", "2 ")
	linktest.Want(t, d, link.Down, []byte("HTTP/1.1 408 Late\r\nContent-Length: 0\r\n\r\n"), "0 ") // no request is open
	for _, r := range []struct{ path, want string }{
		{"session/create", "3 begins "}, {"session/renew/s", "4 begins "}, {"session/destroy/s", "5 begins changes "}, {"txn", "6 begins changes "},
	} {
		linktest.Want(t, d, link.Up, []byte("PUT /v1/"+r.path+" HTTP/1.1\r\n\r\n"), r.want)
	}
}

func FuzzProtocol(f *testing.F) {
	chunked := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	linktest.Fuzz(f, protocol,
		"GET /v1/kv/lock HTTP/1.1\r\nLockstep-Call: /* call7 */\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntrue",
		"PUT / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
		chunked+"4\r\ntrue\r\n0\r\n\r\n", chunked+"7fffffff\r\n", chunked+"0000000000000004\r\ntrue\r\n00000000000000000\r\n\r\n",
	)
}
