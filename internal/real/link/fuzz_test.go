package link

import (
	"bytes"
	"testing"
)

// Whatever goes over a connection, in pieces of any size: it is cut into messages that
// follow each other without a gap, no piece of the cut matters, and what is no message is an
// error, never a message of nothing.
func FuzzCut(f *testing.F) {
	header := "\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	for _, s := range []string{
		"*1\r\n$4\r\nPING\r\n", "*-1\r\n", "$9223372036854775807\r\n", "\x05\x00\x00\x00\x03SEL /* c1 */", "\x00\x00\x00\x00",
		"\x00\x00\x00\x08\x04\xd2\x16\x2fQ\x00\x00\x00\x0aSEL/* 7 */\x00", "Q\xff\xff\xff\xff", "\x00\x00\x00\x04\x00\x00\x00\x01", "\xff\xff\xff\xff",
		h2Preface + "\x00\x00\x01\x01\x04\x00\x00\x00\x01\x82" + header, h2Preface + "\x00\x00\x02\x01\x28\x00\x00\x00\x01\xff\x00",
		"\x00\x00\x00\x02ab\x00\x00\x00\x0c\x00\x00\x00\x01\x00\x00\x00\x01\x7f\xff\xff\xff",
		"GET /v1/kv/lock HTTP/1.1\r\nLockstep-Call: /* call7 */\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntrue", "PUT / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ntrue\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\n", "HTTP/1.1 200 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0000000000000004\r\ntrue\r\n00000000000000000\r\n\r\n",
	} {
		f.Add([]byte(s), []byte(s), uint8(1))
		f.Add([]byte(s+s), []byte("+OK\r\n>1\r\n:1\r\n"), uint8(7))
	}
	f.Fuzz(func(t *testing.T, up, down []byte, piece uint8) {
		for name, protocol := range map[string]Protocol{"Redis": Redis, "MySQL": MySQL, "Postgres": Postgres, "etcd": Etcd, "ZooKeeper": ZooKeeper, "Consul": Consul} {
			whole, pieces := protocol(), protocol()
			for _, way := range []struct {
				d      Direction
				stream []byte
			}{{Up, up}, {Down, down}} {
				a, aErr := cutAll(t, name, whole, way.d, way.stream, len(way.stream))
				b, bErr := cutAll(t, name, pieces, way.d, way.stream, 1+int(piece))
				if (aErr == nil) != (bErr == nil) || len(a) != len(b) {
					t.Fatalf("%s: %q at once is %d messages, %v, and in pieces %d, %v", name, way.stream, len(a), aErr, len(b), bErr)
				}
				for i := range a {
					if a[i].exchange != b[i].exchange || a[i].begins != b[i].begins || a[i].mark != b[i].mark || !bytes.Equal(a[i].instead, b[i].instead) {
						t.Fatalf("%s: message %d of %q is %+v at once, and %+v in pieces", name, i, way.stream, a[i], b[i])
					}
					if i%2 == 0 && a[i].exchange != 0 && way.d == Up {
						whole.withdrawn(a[i].exchange)
						pieces.withdrawn(b[i].exchange)
					}
				}
			}
		}
	})
}

// cutAll cuts a stream that comes in pieces.
func cutAll(t *testing.T, name string, d dissector, way Direction, stream []byte, piece int) (out []message, err error) {
	t.Helper()
	var part []byte
	for len(stream) > 0 {
		n := min(piece, len(stream))
		part, stream = append(part, stream[:n]...), stream[n:]
		for {
			n, m, err := d.next(way, part)
			if n < 0 || n > len(part) {
				t.Fatalf("%s: a message of %d bytes in %d", name, n, len(part))
			}
			if err != nil {
				return out, err
			}
			if n == 0 {
				break
			}
			out, part = append(out, m), part[n:]
		}
	}
	return out, nil
}
