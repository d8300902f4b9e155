package link_test

import (
	"testing"

	"lockstep/internal/real/link"
	"lockstep/internal/real/link/linktest"
)

func TestRedisRepliesComeInOrder(t *testing.T) {
	d := link.Redis()
	get := "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"
	linktest.Want(t, d, link.Up, []byte(get+get+get), "1 begins "+get, "2 begins "+get, "3 begins "+get)
	d.Withdrawn(2)
	linktest.Want(t, d, link.Down, []byte(":1\r\n$-1\r\n+news\r\n"), "1 begins ", "3 begins ", "0 ")
}
