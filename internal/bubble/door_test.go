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

// WAIT is about what had been written when its connection was last used, be it by a greeting: a
// replica that lags behind has not confirmed what another connection wrote before.
func TestWaitKnowsOfTheGreeting(t *testing.T) {
	var got string
	lock := func(c *bubble.Client) (bubble.Lock, error) {
		for _, talk := range [][]string{{"SET", "k", "1"}, {"PING"}, {"WAIT", "1", "100"}} {
			if c.Name() != "A" {
				break
			}
			conn, err := c.Dial(context.Background(), "tcp", c.Addresses()[0])
			if err != nil {
				return nil, err
			}
			defer conn.Close()
			_, err = ask(conn, time.Second, "PING")
			if got, _ = ask(conn, time.Second, talk...); err != nil {
				return nil, err
			}
		}
		return bare(c)
	}
	play(t, "clients: [A, B]\nservers: {redis: {replicas: 1, lag: 5s}}\n", lock, func(*bubble.World, *history.History) {})
	must.Equalf(t, got, ":0", "WAIT after a greeting")
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

// CLIENT TRACKING: messages about keys that a connection has read. A PING ends each part without
// messages: an unexpected one would come before its reply.
func init() {
	for name, talk := range map[string]string{
		"others":             "a CLIENT TRACKING ON|a GET k|b SET k 1|a hears|b SET k 2|a PING|a GET k|b DEL k|a hears|b DEL k|a PING",
		"own":                "a CLIENT TRACKING ON|a GET k|a SET k 1|a hears|b SET k 2|a PING",
		"only written":       "a CLIENT TRACKING ON|a SET k 1|b SET k 2|a GETSET k 3|b SET k 4|a SET k 5 GET|b DEL k|a PING",
		"own, quietly":       "a CLIENT TRACKING ON NOLOOP|a GET k|a SET k 1|b SET k 2|a PING|a GET k|b SET k 3|a hears",
		"both look":          "a CLIENT TRACKING ON NOLOOP|b CLIENT TRACKING ON|a GET k|b GET k|a SET k 1|b hears|b SET k 2|a PING",
		"quiet from now on":  "a CLIENT TRACKING ON|a GET k|a CLIENT TRACKING ON NOLOOP|a SET k 1|a PING|a GET k|b SET k 2|a hears",
		"times":              "a CLIENT TRACKING ON|a SET k 1|a GET k|b PEXPIRE k 100000|a hears|a TTL k|b PERSIST k|a hears|a TYPE k|b SET k 2 NX|b GETDEL k|a hears",
		"several":            "a CLIENT TRACKING ON|a MGET k l|b MSET l 1 k 1|a hears|a hears|a EXISTS l k|a MSET k 1 l 1|a hears|a hears|a PING",
		"its time is up":     "a CLIENT TRACKING ON|a SET k 1 PX 30|a GET k|sleeps|b GET k|a hears|a PING",
		"other types":        "a CLIENT TRACKING ON|a HGET h f|b HSET h f 1|a hears|a HGET h f|b HINCRBY h f 1|a hears|a LRANGE l 0 -1|b LPUSH l 1|a hears|a ZSCORE z m|b ZADD z 1 m|a hears|b LPOP l|a PING",
		"wrong type":         "a CLIENT TRACKING ON|a SET k 1|a HGET k f|b SET k 2|a hears|a STRLEN|a PING",
		"script":             "a CLIENT TRACKING ON|a EVAL return(redis.call('GET',KEYS[1])) 2 k l|b SET l 1|a hears|b SET k 1|a hears",
		"script reads other": "a CLIENT TRACKING ON|a EVAL return(redis.call('GET','m')) 1 k|b SET m 1|a PING|b SET k 1|a hears|a EVAL return(redis.call('GET','m')) 0|b SET m 2|a PING",
		"script reads none":  "a CLIENT TRACKING ON|a EVAL return(redis.call('SET',KEYS[1],'1')) 1 k|a EVAL return(redis.call('PING')) 1 k|b SET k 2|a PING",
		"script, then reads": "a CLIENT TRACKING ON|a EVAL return{redis.call('SET',KEYS[1],'1'),redis.call('GET',KEYS[1])} 1 k|a PING|b SET k 2|a hears",
		"script, then sets":  "a CLIENT TRACKING ON|a EVAL return{redis.call('GET',KEYS[1]),redis.call('SET',KEYS[1],'1')} 1 k|a hears|b SET k 2|a PING",
		"script, both":       "a CLIENT TRACKING ON|a EVAL return{redis.call('GET',KEYS[1]),redis.call('SET',KEYS[1],'1'),redis.call('GET',KEYS[1])} 1 k|a hears|b SET k 2|a hears",
		"script, quietly":    "a CLIENT TRACKING ON NOLOOP|a EVAL return{redis.call('GET',KEYS[1]),redis.call('SET',KEYS[1],'1')} 1 k|b SET k 2|a PING",
		"script, one key":    "a CLIENT TRACKING ON|a EVAL return{redis.call('GET',KEYS[1]),redis.call('SET',KEYS[2],'1')} 2 k l|a hears|b SET l 2|a PING|b SET k 1|a hears",
		"script of a lock":   "a CLIENT TRACKING ON|a SET k 1|a EVAL if--[[]]redis.call('get',KEYS[1])==ARGV[1]then--[[]]return--[[]]redis.call('del',KEYS[1])else--[[]]return--[[]]0--[[]]end 1 k 2|b SET k 2|a hears|a EVAL if--[[]]redis.call('get',KEYS[1])==ARGV[1]then--[[]]return--[[]]redis.call('del',KEYS[1])else--[[]]return--[[]]0--[[]]end 1 k 2|a hears",
		"transaction":        "a CLIENT TRACKING ON|a MULTI|a GET k|a SET l 1|a EXEC|b SET l 2|a PING|b SET k 1|a hears",
		"own transaction":    "a CLIENT TRACKING ON|a GET k|a MULTI|a SET k 1|a GET k|a SET k 2|a EXEC|a hears|a hears|b SET k 3|a PING",
		"all is gone":        "a CLIENT TRACKING ON|b FLUSHALL|a hears|a GET k|b FLUSHALL|a hears|b SET k 1|a PING|a CLIENT TRACKING ON NOLOOP|a FLUSHALL|a hears",
		"all, in a script":   "a CLIENT TRACKING ON|a GET k|a EVAL return(redis.call('FLUSHALL')) 0|a hears|b SET k 1|a PING",
		"off":                "a CLIENT TRACKING ON|a GET k|a CLIENT TRACKING OFF|b SET k 1|a GET k|b SET k 2|a PING|a GET k|a CLIENT TRACKING ON|a GET k|b SET k 3|a hears",
		"off and on":         "a CLIENT TRACKING ON|a GET k|a CLIENT TRACKING OFF|a CLIENT TRACKING ON|b SET k 1|a hears",
		"only those asked":   "a CLIENT TRACKING ON OPTIN|a GET k|b SET k 1|a PING|a CLIENT CACHING YES|a GET k|a GET l|b SET l 2|b SET k 2|a hears|a PING",
		"asked for all":      "a CLIENT TRACKING ON OPTIN|a CLIENT CACHING YES|a MULTI|a PTTL k|a GET l|a EXEC|a GET m|b SET m 1|b SET l 1|a hears|b SET k 1|a hears",
		"asked too early":    "a CLIENT TRACKING ON OPTIN|a CLIENT CACHING YES|a PING|a GET k|b SET k 1|a PING|a CLIENT CACHING YES|a CLIENT SETNAME x|a GET k|b SET k 2|a hears",
		"but those asked":    "a CLIENT TRACKING ON OPTOUT|a CLIENT CACHING NO|a GET k|b SET k 1|a PING|a GET k|b SET k 2|a hears",
		"asked for nothing":  "a CLIENT CACHING YES|a CLIENT TRACKING ON|a CLIENT CACHING YES|a CLIENT CACHING NO|a CLIENT CACHING",
		"asked wrongly":      "a CLIENT TRACKING ON OPTIN|a CLIENT CACHING NO|a CLIENT CACHING maybe|a CLIENT TRACKING ON OPTOUT|a CLIENT CACHING YES|a CLIENT TRACKING OFF|a CLIENT TRACKING ON OPTOUT|a CLIENT CACHING YES|a CLIENT TRACKING ON|a CLIENT CACHING NO",
		"what is no mode":    "a CLIENT TRACKING ON OPTIN OPTOUT|a CLIENT TRACKING|a CLIENT TRACKING maybe|a CLIENT TRACKING ON maybe|a CLIENT TRACKING ON NOLOOP OPTIN OPTIN|a GET k|b SET k 1|a PING",
		"and listens":        "a CLIENT TRACKING ON|a SUBSCRIBE c|a GET k|b SET k 1|a hears|b PUBLISH c x|a hears",
	} {
		talks["tracking: "+name] = "a HELLO 3|b HELLO 3|" + talk
	}
	talks["tracking in 2"] = "a CLIENT TRACKING ON|a GET k|b SET k 1|a PING|a HELLO 3|a GET k|b SET k 2|a hears"
}
