//go:build linux

package bubble_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"lockstep/internal/bubble"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
)

// talks are dialogues of two connections with a server, as "connection command"; "hears" reads an
// unrequested message.
var talks = map[string]string{
	"channels":       "a SUBSCRIBE c d|a SUBSCRIBE c|b PUBLISH c hello|a hears|b PUBLISH e nobody|a PING|a UNSUBSCRIBE c|b PUBLISH c gone|a UNSUBSCRIBE|a PING x|b PING y",
	"version 3":      "a HELLO 3|a SUBSCRIBE c|b PUBLISH c hello|a hears|a PING|a UNSUBSCRIBE c",
	"a change":       "a WATCH k|b SET k 1|a MULTI|a SET k 2|a EXEC|a GET k|a MULTI|a SET k 3|a EXEC|a GET k",
	"no change":      "a SET k 1|a WATCH k|b GET k|b SET l 1|a MULTI|a INCR k|a EXEC|b GET k",
	"unwatched":      "a WATCH k|b SET k 1|a UNWATCH|a MULTI|a SET k 2|a EXEC|a WATCH k|b SET k 3|a MULTI|a DISCARD|a MULTI|a GET k|a EXEC",
	"own change":     "a WATCH k|a SET k 1|a MULTI|a GET k|a EXEC",
	"flushed":        "a SET k 1|a WATCH k|b FLUSHALL|a MULTI|a GET k|a EXEC",
	"flushed, empty": "b SET l 1|a WATCH k|b FLUSHALL|a MULTI|a SET k 1|a EXEC|a WATCH k l|b SET l 1|b FLUSHALL|a MULTI|a GET k|a EXEC",
	"expired":        "a SET k 1 PX 30|a WATCH k|sleeps|a MULTI|a GET k|a EXEC",
	"expired before": "a SET k 1 PX 30|sleeps|a WATCH k|a MULTI|a GET k|a EXEC",
	"nothing there":  "a WATCH k|b DEL k|a MULTI|a SET k 1|a EXEC",
	"no list in 3":   "a HELLO 3|a WATCH k|b SET k 1|a MULTI|a SET k 2|a EXEC",
	"inside":         "a MULTI|a WATCH k|a GET k|a EXEC|a GET k",
	"hashes in MULTI": "a MULTI|a EVALSHA HASH 0|a EXEC|a MULTI|a EVAL return(1) 0|a DISCARD|a EVALSHA HASH 0|a MULTI|a EVALSHA HASH 0|" +
		"a SCRIPT LOAD return(1)|a EVALSHA HASH 0|a EXEC|b EVALSHA HASH 0|a EVALSHA HASH x|a EVALSHA x 0|a EVALSHA x|a MULTI|a EVALSHA x|a EXEC",
	"bad waits": "a WAIT x 0|a WAIT +1 0|a WAIT 1 -1|a WAIT 0 x|a WAIT 1 1.5|a WAIT -1 0",
	"waits":     "a SET k 1|a WAIT 0 100|a WAIT 1 20|a GET k",
}

// Commands about a connection get the same answers as from a real server, byte by byte.
func TestTheDoorAnswersAsAServer(t *testing.T) {
	realtest.Need(t, "redis-server")
	server := must.Get(servers.StartRedis(t.Context(), servers.RedisOptions{}))(t)
	defer func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	}()
	for name, talk := range talks {
		t.Run(name, func(t *testing.T) {
			talk = strings.ReplaceAll(talk, "HASH", "930269f31393d0be681588b6ab08dccee7d6bb67") // of return(1)
			want := hold(t, talk, func() (net.Conn, error) {
				c, err := net.Dial("tcp", server.Addr)
				if err == nil {
					_, err = ask(c, time.Second, "FLUSHALL")
				}
				return c, err
			})
			var got string
			lock := func(c *bubble.Client) (bubble.Lock, error) {
				if c.Name() == "A" && got == "" {
					got = hold(t, talk, func() (net.Conn, error) {
						return c.Dial(context.Background(), "tcp", c.Addresses()[0])
					})
				}
				return bare(c)
			}
			play(t, "clients: [A, B]\n", lock, func(*bubble.World, *history.History) {})
			if got != want {
				t.Errorf("%s\nis answered\n%s\na server says\n%s", talk, got, want)
			}
		})
	}
}

// hold plays a talk and returns the answers.
func hold(t *testing.T, talk string, dial func() (net.Conn, error)) string {
	t.Helper()
	conns, readers := map[string]net.Conn{}, map[string]*bufio.Reader{}
	for _, who := range []string{"a", "b"} {
		c := must.Get(dial())(t)
		defer c.Close()
		conns[who], readers[who] = c, bufio.NewReader(c)
	}
	var out strings.Builder
	for line := range strings.SplitSeq(talk, "|") {
		if line == "sleeps" {
			time.Sleep(60 * time.Millisecond)
			continue
		}
		who, command, _ := strings.Cut(line, " ")
		answers := 1
		if command != "hears" {
			words := strings.Fields(command)
			fmt.Fprintf(conns[who], "*%d\r\n", len(words))
			for _, w := range words {
				fmt.Fprintf(conns[who], "$%d\r\n%s\r\n", len(w), w)
			}
			if strings.HasSuffix(words[0], "SUBSCRIBE") {
				answers = max(1, len(words)-1)
			}
		}
		for range answers {
			must.Do(t, conns[who].SetReadDeadline(time.Now().Add(5*time.Second)))
			said, err := message(readers[who])
			fmt.Fprintf(&out, "%s: %q %v\n", line, said, err)
			if strings.HasPrefix(command, "HELLO") {
				out.Reset() // it says who it is
			}
		}
	}
	return out.String()
}

// message reads one message of the protocol.
func message(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return line, err
	}
	n := 0
	if _, err := fmt.Sscanf(line[1:], "%d", &n); err != nil || n < 0 {
		n = 0
	}
	switch line[0] {
	case '$':
		if line[1] == '-' {
			return line, nil
		}
		text := make([]byte, n+2)
		_, err = io.ReadFull(r, text)
		return line + string(text), err
	case '%':
		n *= 2
	case '*', '>':
	default:
		return line, nil
	}
	for range n {
		part, err := message(r)
		if err != nil {
			return line, err
		}
		line += part
	}
	return line, nil
}
