package bubble

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"lockstep/internal/sim"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/redis/resp"
)

// encoder encodes the answer to a request in a version of the protocol.
type encoder func(buf []byte, r redis.Reply, version int) []byte

// request handles one command of the library. Like all functions below, it runs in the kernel.
func (c *conn) request(args []string) {
	if len(args) == 0 {
		return
	}
	name := strings.ToUpper(args[0])
	if answer, ok := c.ofConnection(name, args[1:]); ok {
		c.asked = append(c.asked, answer)
		if name == "CLIENT" && len(args) > 1 && !c.multi {
			c.socket.AskClient(args[1:])
			return
		}
		c.socket.Ask(redis.OK())
		return
	}
	if name == "SUBSCRIBE" || name == "UNSUBSCRIBE" {
		c.listen(name, args[1:])
		return
	}
	c.asked = append(c.asked, c.replyTo(name))
	if i := slices.IndexFunc(args[min(3, len(args)):], ofLaterVersions.MatchString); i >= 0 && name == "SET" {
		c.client.world.misses("SET " + strings.ToUpper(args[3+i]))
	}
	c.send(c.client.world.command(name, args[1:]))
	if name == "MULTI" || name == "EXEC" || name == "DISCARD" {
		c.multi = name == "MULTI"
	}
}

// ofLaterVersions matches options of SET that Redis 7.0 takes for a mistake.
var ofLaterVersions = regexp.MustCompile(`(?i)^IFD?(EQ|NE)$`)

func (c *conn) send(cmd redis.Cmd) { c.socket.Send(cmd, textOf(&cmd)) }

// listen handles SUBSCRIBE and UNSUBSCRIBE: a message for each channel, and an answer to each.
// UNSUBSCRIBE without channels concerns all of them.
func (c *conn) listen(name string, channels []string) {
	if len(channels) == 0 && name == "UNSUBSCRIBE" {
		channels = slices.Clone(c.channels)
	}
	if len(channels) == 0 {
		c.asked = append(c.asked, c.refuse(name+" without a channel"))
		c.socket.Ask(redis.OK())
	}
	for _, channel := range channels {
		if strings.HasPrefix(channel, "__key") { // a server sends them if it is told to
			c.client.world.misses("notifications of keys")
		}
		there := slices.Index(c.channels, channel)
		switch {
		case there < 0 && name == "SUBSCRIBE":
			c.channels = append(c.channels, channel)
		case there >= 0 && name == "UNSUBSCRIBE":
			c.channels = slices.Delete(c.channels, there, there+1)
		}
		said := []redis.Reply{redis.Bulk(strings.ToLower(name)), redis.Bulk(channel), redis.Int(int64(len(c.channels)))}
		c.asked = append(c.asked, func(buf []byte, _ redis.Reply, version int) []byte { return appendPush(buf, version, said...) })
		if there >= 0 && name == "SUBSCRIBE" {
			c.socket.Ask(redis.OK()) // it is already subscribed
			continue
		}
		c.send(redis.Command(name, channel))
	}
}

// appendPush encodes an unrequested message, which is a list in version 2.
func appendPush(buf []byte, version int, elements ...redis.Reply) []byte {
	if version < 3 {
		return resp.AppendReply(buf, redis.List(elements), version)
	}
	return resp.AppendPush(buf, elements...)
}

// Answer implements sim.Sink.
func (c *conn) Answer(r redis.Reply) {
	encode := c.asked[0]
	c.asked = c.asked[1:]
	c.receive(func(buf []byte) []byte { return encode(buf, r, c.version) })
}

// Push implements sim.Sink.
func (c *conn) Push(message any) {
	switch m := message.(type) {
	case sim.Published:
		c.receive(func(buf []byte) []byte {
			return appendPush(buf, c.version, redis.Bulk("message"), redis.Bulk(m.Channel), redis.Bulk(m.Text))
		})
	case sim.Invalidated:
		if c.version < 3 {
			return
		}
		keys := redis.List([]redis.Reply{redis.Bulk(m.Key)})
		if m.All {
			keys = redis.Reply{}
		}
		c.receive(func(buf []byte) []byte { return resp.AppendPush(buf, redis.Bulk("invalidate"), keys) })
	}
}

// replyTo encodes the reply to a command, and notes a command that the model does not have.
func (c *conn) replyTo(name string) encoder {
	return func(buf []byte, r redis.Reply, version int) []byte {
		if r.Kind == redis.ReplyError && strings.HasPrefix(r.Err.Error(), "ERR unknown command") {
			c.client.world.misses(name)
		}
		if r.Kind == redis.ReplyNil && name == "EXEC" && version < 3 {
			return append(buf, "*-1\r\n"...) // a null list
		}
		return resp.AppendReply(buf, r, version)
	}
}

// ofConnection answers commands that concern the connection and not the store's data. Unlike a
// server, it does not queue them within a transaction.
func (c *conn) ofConnection(name string, args []string) (answer encoder, ok bool) {
	word := ""
	if len(args) > 0 {
		word = strings.ToUpper(args[0])
	}
	defer func() {
		if ok && c.multi && name != "WATCH" {
			answer = c.refuse(name + " within MULTI")
		}
	}()
	switch name {
	case "HELLO":
		return c.hello(word), true
	case "CLIENT":
		return c.aboutClient(word, args), true
	case "PING":
		return c.pong(args), true
	case "SELECT":
		if word != "0" {
			return c.refuse("SELECT " + word), true
		}
		return says(redis.OK()), true
	case "AUTH", "QUIT", "READONLY":
		return says(redis.OK()), true
	case "CLUSTER":
		return says(redis.Failed(redis.ServerError("ERR This instance has cluster support disabled"))), true
	case "COMMAND":
		return says(redis.List(nil)), true
	case "SCRIPT":
		if word != "LOAD" || len(args) != 2 {
			return c.refuse("SCRIPT " + word), true
		}
	case "INFO":
		if word != "REPLICATION" || c.multi {
			return c.refuse("INFO " + word), true
		}
	case "WATCH":
		if c.multi {
			return says(redis.Failed(redis.ServerError("ERR WATCH inside MULTI is not allowed"))), true
		}
	case "WAIT":
		if len(args) != 2 || c.multi {
			return c.refuse(name), true
		}
	case "UNWATCH", "SUBSCRIBE", "UNSUBSCRIBE":
		if c.multi {
			return c.refuse(name), true
		}
	case "PSUBSCRIBE", "SSUBSCRIBE", "MONITOR", "EVAL_RO", "EVALSHA_RO":
		return c.refuse(name), true
	}
	return nil, false
}

// pong answers PING, whose answer in version 2 has another form on a subscribed connection.
func (c *conn) pong(args []string) encoder {
	text := ""
	if len(args) > 0 {
		text = args[0]
	}
	switch {
	case len(c.channels) > 0 && c.version < 3:
		return says(redis.List([]redis.Reply{redis.Bulk("pong"), redis.Bulk(text)}))
	case text != "":
		return says(redis.Bulk(text))
	}
	return says(redis.Reply{Kind: redis.ReplyStatus, Str: "PONG"})
}

func says(r redis.Reply) encoder {
	return func(buf []byte, _ redis.Reply, version int) []byte { return resp.AppendReply(buf, r, version) }
}

// refuse answers a command that the model does not have as an older server would, and notes it:
// the lock's behaviour afterwards is no evidence.
func (c *conn) refuse(what string) encoder {
	c.client.world.misses(what)
	return says(redis.Failed(redis.ServerError("ERR unknown command '" + what + "': lockstep has no model of it")))
}

// hello answers HELLO, which sets the version from the answer on.
func (c *conn) hello(version string) encoder {
	n := 2
	switch version {
	case "", "2":
	case "3":
		n = 3
	default:
		return says(redis.Failed(redis.ServerError("NOPROTO unsupported protocol version")))
	}
	return func(buf []byte, _ redis.Reply, _ int) []byte {
		c.version = n
		return resp.AppendMap(buf, n,
			redis.Bulk("server"), redis.Bulk("redis"), redis.Bulk("version"), redis.Bulk("7.0.0"),
			redis.Bulk("proto"), redis.Int(int64(n)), redis.Bulk("id"), redis.Int(c.id),
			redis.Bulk("mode"), redis.Bulk("standalone"), redis.Bulk("role"), redis.Bulk("master"),
			redis.Bulk("modules"), redis.List(nil))
	}
}

// aboutClient answers CLIENT.
func (c *conn) aboutClient(word string, args []string) encoder {
	switch word {
	case "ID":
		return says(redis.Int(c.id))
	case "TRACKING", "CACHING":
		for _, a := range args[1:] {
			switch a = strings.ToUpper(a); a {
			case "BCAST", "PREFIX", "REDIRECT":
				return c.refuse("CLIENT TRACKING " + a)
			}
		}
		return c.replyTo("CLIENT")
	case "SETINFO", "SETNAME", "NO-EVICT", "NO-TOUCH", "CAPA":
	case "MAINT_NOTIFICATIONS": // the simulated servers have no maintenance
		return says(redis.Failed(redis.ServerError("ERR unknown subcommand 'MAINT_NOTIFICATIONS'. Try CLIENT HELP.")))
	default:
		return c.refuse("CLIENT " + word)
	}
	return says(redis.OK())
}

// command returns a command of the library in the form of the store's model.
func (w *World) command(name string, args []string) redis.Cmd {
	switch {
	case name == "WAIT":
		return numbers(name, args)
	case name == "SCRIPT":
		cmd := redis.Command(name, "LOAD", hashOf(args[1]))
		cmd.Script = w.learn(args[1])
		return cmd
	case len(args) < 2 || name != "EVAL" && name != "EVALSHA":
		return redis.Command(name, args...)
	}
	keys, err := strconv.Atoi(args[1])
	if err != nil || keys < 0 || keys > len(args)-2 || keys > 255 {
		return redis.Command(name, args...) // the store returns the error
	}
	script := w.script(args[0])
	if name == "EVAL" {
		script = w.learn(args[0])
	}
	cmd := redis.EvalKeys(script, args[2:2+keys]...).Named(name)
	for _, a := range args[2+keys:] {
		cmd = cmd.Text(a)
	}
	return cmd
}

// numbers returns a command with numeric arguments; invalid numbers stay texts.
func numbers(name string, args []string) redis.Cmd {
	cmd := redis.Command(name)
	for _, a := range args {
		if n, err := strconv.ParseInt(a, 10, 64); err == nil && strconv.FormatInt(n, 10) == a {
			cmd = cmd.Num(n)
		} else {
			cmd = cmd.Text(a)
		}
	}
	return cmd
}

// compiled has the scripts of all runs by their text: the simulator identifies a script by its
// address, and keeps it compiled.
var compiled sync.Map

// learn returns the script with a text.
func (w *World) learn(source string) *redis.Script {
	hash := hashOf(source)
	if script, ok := w.scripts[hash]; ok {
		return script
	}
	kept, _ := compiled.LoadOrStore(source, &redis.Script{Name: nameOf(source, hash), Source: source})
	script := kept.(*redis.Script)
	w.scripts[hash] = script
	w.notes.Learned = append(w.notes.Learned, script)
	return script
}

// script returns the script with a hash; for an unknown hash, one that no server knows.
func (w *World) script(hash string) *redis.Script {
	if script, ok := w.scripts[strings.ToLower(hash)]; ok {
		return script
	}
	return &redis.Script{Name: legible(hash[:min(len(hash), 8)])}
}

func hashOf(source string) string {
	sum := sha1.Sum([]byte(source))
	return hex.EncodeToString(sum[:])
}

var redisCall = regexp.MustCompile(`redis\.p?call\(\s*['"]([A-Za-z]+)['"]`)

// nameOf returns a script's name in reports: its commands in their order, such as get-del.
func nameOf(source, hash string) string {
	var names []string
	for _, m := range redisCall.FindAllStringSubmatch(source, 4) {
		if name := strings.ToLower(m[1]); len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "script-" + hash[:8]
	}
	return strings.Join(names, "-")
}

// textOf formats a command as a user would type it, with binary arguments in hexadecimal and the
// options of SET in capitals.
func textOf(cmd *redis.Cmd) string {
	words := []string{cmd.Name()}
	if cmd.Script != nil {
		words = append(words, cmd.Script.Name)
	}
	for i, a := range cmd.Arguments() {
		word := legible(a.String())
		if cmd.Name() == "SET" && i >= 2 {
			word = strings.ToUpper(word)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// legible returns binary text, and text with spaces, in hexadecimal.
func legible(s string) string {
	if q := strconv.Quote(s); q[1:len(q)-1] != s || strings.Contains(s, " ") {
		return fmt.Sprintf("0x%x", s)
	}
	return s
}
