package sim

import (
	"slices"
	"strings"

	"lockstep/internal/store/redis"
)

// CLIENT TRACKING (tracking.c): a server tells a connection, once, that a key has changed that the
// connection has read. A connection's own changes are reported after their reply, or not at all
// with NOLOOP; in either case the server forgets that the key was read.

// Invalidated is what a server pushes to a tracking connection: a key that it has read has changed.
type Invalidated struct {
	Key string
	All bool // all keys were deleted
}

type tracking struct {
	on, optIn, optOut, noLoop bool
	caching                   bool // CLIENT CACHING was sent, for the next command
}

// remembers reports whether the server records the reads of the connection's command.
func (t *tracking) remembers() bool {
	return t.on && (!t.optIn || t.caching) && (!t.optOut || !t.caching)
}

// ofConnection executes a request about the connection itself.
func (l *call) ofConnection() {
	if s, ok := l.host.serv.(*redisServer); ok && l.conn != nil {
		l.conn.offset = s.offset // it is a command, too: see wait
	}
	switch {
	case l.ofClient != nil:
		l.reply = l.conn.aboutTracking(l.ofClient)
	case l.conn != nil:
		l.conn.executed()
	}
}

// executed notes that a command other than CLIENT was executed (resetClient in networking.c).
func (cn *conn) executed() {
	if cn.transaction == nil || !cn.transaction.Open() {
		cn.tracking.caching = false
	}
}

// aboutTracking is CLIENT TRACKING and CLIENT CACHING (clientCommand in networking.c).
func (cn *conn) aboutTracking(words []string) redis.Reply {
	word := func(i int) string { return strings.ToUpper(words[i]) }
	var refused error
	switch name := word(0); {
	case name != "TRACKING" && name != "CACHING":
	case len(words) < 2 || name == "CACHING" && len(words) > 2:
		refused = redis.ServerError("ERR wrong number of arguments for 'client|" + strings.ToLower(name) + "' command")
	case name == "CACHING":
		refused = cn.tracking.cache(word(1))
	default:
		var next tracking
		for i := 2; i < len(words) && refused == nil; i++ {
			refused = next.option(word(i))
		}
		if refused == nil {
			refused = cn.tracking.turn(word(1), next)
		}
		if s, ok := cn.host.serv.(*redisServer); ok && cn.tracking.on {
			s.store.KeepReads = true
		}
	}
	if refused != nil {
		return redis.Failed(refused)
	}
	return redis.OK()
}

var (
	errTrackingSyntax = redis.ServerError("ERR syntax error")
	errBothModes      = redis.ServerError("ERR You can't specify both OPTIN mode and OPTOUT mode")
	errOtherMode      = redis.ServerError("ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode.")
	errNoCaching      = redis.ServerError("ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled")
	errCachingYes     = redis.ServerError("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.")
	errCachingNo      = redis.ServerError("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.")
)

func (t *tracking) option(word string) error {
	switch word {
	case "OPTIN":
		t.optIn = true
	case "OPTOUT":
		t.optOut = true
	case "NOLOOP":
		t.noLoop = true
	default:
		return errTrackingSyntax
	}
	return nil
}

// turn is CLIENT TRACKING ON and OFF, with options.
func (t *tracking) turn(word string, next tracking) error {
	switch {
	case word == "OFF":
		next = tracking{}
	case word != "ON":
		return errTrackingSyntax
	case next.optIn && next.optOut:
		return errBothModes
	case next.optIn && t.optOut || next.optOut && t.optIn:
		return errOtherMode
	default:
		next.on, next.caching = true, t.caching
	}
	*t = next
	return nil
}

func (t *tracking) cache(word string) error {
	switch {
	case !t.on:
		return errNoCaching
	case word == "YES" && !t.optIn:
		return errCachingYes
	case word == "NO" && !t.optOut:
		return errCachingNo
	case word != "YES" && word != "NO":
		return errTrackingSyntax
	}
	t.caching = true
	return nil
}

// track handles the reads and changes of the last step, in order.
func (s *redisServer) track(changed []redis.Effect) {
	reads := s.store.Reads()
	for i := range changed {
		for len(reads) > 0 && reads[0].After <= i {
			s.remember(reads[0].Key)
			reads = reads[1:]
		}
		s.invalidate(&changed[i])
	}
	for i := range reads {
		s.remember(reads[i].Key)
	}
}

// remember records that the command being executed has read a key.
func (s *redisServer) remember(key string) {
	if s.serving == nil || !s.serving.tracking.remembers() {
		return
	}
	if l := (look{key, s.serving}); !slices.Contains(s.looks, l) {
		s.looks = append(s.looks, l)
	}
}

// invalidate tells the connections that have read a key that it has changed.
func (s *redisServer) invalidate(e *redis.Effect) {
	if e.Kind == redis.EffectFlush {
		s.looks = s.looks[:0]
		for _, cn := range s.conns {
			s.pushInvalidation(cn, Invalidated{All: true})
		}
		return
	}
	if len(s.looks) == 0 {
		return
	}
	s.looks = slices.DeleteFunc(s.looks, func(l look) bool {
		if l.key == e.Key && (l.conn != s.serving || !l.conn.tracking.noLoop) {
			s.pushInvalidation(l.conn, Invalidated{Key: e.Key})
		}
		return l.key == e.Key || l.conn.gone
	})
}

// pushInvalidation pushes to a connection that still tracks: after the reply if the change is its own.
func (s *redisServer) pushInvalidation(cn *conn, m Invalidated) {
	switch {
	case !cn.tracking.on:
	case cn == s.serving:
		s.after = append(s.after, m)
	default:
		cn.push(m)
	}
}

// pushAfter pushes the messages that follow the reply.
func (s *redisServer) pushAfter(cn *conn) {
	for _, m := range s.after {
		cn.push(m)
	}
	s.after = s.after[:0]
}
