package monitor

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/real/osproc"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/redis/resp"
)

// parse parses a message that is a notification or a line of MONITOR.
func parse(message []byte) (Item, bool) {
	now, wall := clocks()
	reply, err := resp.Parse(message)
	if err != nil {
		return Item{}, false
	}
	if resp.IsPush(message) {
		parts := reply.Elements() // pmessage, the pattern, the channel, the event
		if len(parts) != 4 || parts[0].Str != "pmessage" {
			return Item{}, false
		}
		return Item{Read: now, Key: strings.TrimPrefix(parts[2].Str, keyspace), Event: parts[3].Str}, true
	}
	if reply.Kind != redis.ReplyStatus {
		return Item{}, false
	}
	item, err := parseLine(reply.Str)
	if err != nil {
		return Item{}, false
	}
	item.Read = now
	item.At = now - wall.Sub(time.UnixMicro(int64(item.At)))
	return item, true
}

// clocks reads the clock of osproc.Now and the wall clock at the same time, unless
// this thread loses the processor in between again and again.
func clocks() (now time.Duration, wall time.Time) {
	const tries, close = 5, 20 * time.Microsecond
	for range tries {
		now, wall = osproc.Now(), time.Now()
		if osproc.Now()-now < close {
			break
		}
	}
	return now, wall
}

var errLine = errors.New("not a line of MONITOR")

// parseLine parses a line of MONITOR; At is in microseconds since 1970:
//
//	1795307989.439469 [0 127.0.0.1:60560] "SET" "lock" "a"
func parseLine(line string) (Item, error) {
	stamp, rest, ok := strings.Cut(line, " [")
	if !ok {
		return Item{}, errLine
	}
	at, err := strconv.ParseInt(strings.Replace(stamp, ".", "", 1), 10, 64)
	if err != nil || !strings.Contains(stamp, ".") {
		return Item{}, errLine
	}
	from, rest, ok := strings.Cut(rest, "] ")
	if !ok {
		return Item{}, errLine
	}
	_, addr, ok := strings.Cut(from, " ") // the number of the database comes first
	if !ok {
		return Item{}, errLine
	}
	args, err := arguments(rest)
	return Item{At: time.Duration(at), Addr: addr, Args: args}, err
}

// arguments parses quoted strings with spaces between them. The escapes of sdscatrepr are also
// those of Go.
func arguments(s string) ([]string, error) {
	var out []string
	for s != "" {
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil || quoted[0] != '"' {
			return nil, errLine
		}
		text, _ := strconv.Unquote(quoted) // QuotedPrefix has checked it
		out = append(out, text)
		s = strings.TrimPrefix(s[len(quoted):], " ")
	}
	if out == nil {
		return nil, errLine
	}
	return out, nil
}
