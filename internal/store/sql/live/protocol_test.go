package live

import (
	"encoding/binary"
	"slices"
	"testing"

	"lockstep/internal/real/link"
	"lockstep/internal/real/link/linktest"
)

// packet is a packet of MySQL.
func packet(number byte, body string) []byte {
	return append([]byte{byte(len(body)), byte(len(body) >> 8), byte(len(body) >> 16), number}, body...)
}

func TestAStatementOfMySQLIsKnownByItsComment(t *testing.T) {
	d := mysqlProtocol()
	linktest.Want(t, d, link.Down, packet(0, "hello"), "0 ")
	linktest.Want(t, d, link.Up, packet(1, "root"), "0 ")
	linktest.Want(t, d, link.Down, packet(2, "ok"), "0 ")
	linktest.Want(t, d, link.Up, packet(0, "\x03SELECT 1 /* call17 */"), "1 begins /* call17 */")
	linktest.Want(t, d, link.Down, append(packet(1, "a"), packet(2, "b")...), "1 begins ", "1 ")
	linktest.Want(t, d, link.Up, packet(0, "\x0e"), "2 begins ")
	linktest.Want(t, d, link.Down, packet(1, "ok"), "2 begins ")
}

// letter is a message of PostgreSQL.
func letter(kind byte, body string) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(4+len(body))), body...)
}

func TestAStatementOfPostgreSQLIsSeveralMessages(t *testing.T) {
	d := postgresProtocol()
	startup := append(binary.BigEndian.AppendUint32(nil, 12), "versions"...)
	linktest.Want(t, d, link.Up, startup, "0 ")
	linktest.Want(t, d, link.Down, append(letter('R', "ok"), letter('Z', "I")...), "0 ", "0 ")
	asked := slices.Concat(letter('P', "\x00INSERT /* call3 */\x00"), letter('B', "x"), letter('E', ""), letter('S', ""))
	linktest.Want(t, d, link.Up, asked, "1 begins /* call3 */", "1 ", "1 ", "1 ")
	linktest.Want(t, d, link.Down, slices.Concat(letter('1', ""), letter('N', "notice"), letter('C', "x"), letter('Z', "I")),
		"1 begins ", "0 ", "1 ", "1 ")
	linktest.Want(t, d, link.Down, letter('E', "you are shut down"), "0 ") // answers no request
	linktest.Want(t, d, link.Up, letter('Q', "BEGIN\x00"), "2 begins ")
	linktest.Want(t, d, link.Up, letter('P', "\x00INSERT\x00"), "3 begins ")
	d.Withdrawn(3)
	linktest.Want(t, d, link.Up, letter('B', "x"), "3 ") // the rest of the withdrawn request
}

func TestHTTPIsAnotherProtocol(t *testing.T) {
	if _, _, err := postgresProtocol().Next(link.Up, []byte("GET / HTTP/1.1\r\nHost: example\r\n\r\n")); err == nil {
		t.Error("HTTP/1 counts as the protocol of PostgreSQL")
	}
}

func FuzzMySQL(f *testing.F) {
	linktest.Fuzz(f, mysqlProtocol, "\x05\x00\x00\x00\x03SEL /* c1 */")
}

func FuzzPostgres(f *testing.F) {
	linktest.Fuzz(f, postgresProtocol, "\x00\x00\x00\x08\x04\xd2\x16\x2fQ\x00\x00\x00\x0aSEL/* 7 */\x00", "Q\xff\xff\xff\xff", "\x00\x00\x00\x04\x00\x00\x00\x01")
}
