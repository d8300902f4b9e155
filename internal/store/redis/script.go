package redis

import (
	"crypto/sha1"
	"encoding/hex"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// chunkName is the name of every script in error messages (script_lua.c).
const chunkName = "user_script"

// program is a compiled script. It never changes, so all interpreters of the process
// share it.
type program struct {
	proto  *lua.FunctionProto
	sha    string
	failed error     // the script does not compile
	plain  plainStmt // nil for a script that Lua has to run
	tame   bool      // see isTame
	short  bool      // see isShort
}

// programs has compiled scripts by their texts. Compiling takes much longer than running.
var programs sync.Map

// compiled returns the program of the script.
func (s *Script) compiled() *program {
	p := s.program.Load()
	if p == nil {
		p = compile(s.Source)
		s.program.Store(p)
	}
	return p
}

// compile returns the program of a script, the same one for the same text.
func compile(source string) *program {
	if p, ok := programs.Load(source); ok {
		return p.(*program)
	}
	if strings.HasPrefix(source, "#!") {
		unmodelled("scripts with flags: #!")
	}
	sum := sha1.Sum([]byte(source))
	p := &program{sha: hex.EncodeToString(sum[:])}
	chunk, err := parse.Parse(strings.NewReader(source), chunkName)
	if err == nil {
		formatOperands(reflect.ValueOf(chunk))
		p.proto, err = lua.Compile(chunk, chunkName)
	}
	if err != nil {
		text := "ERR Error compiling script (new function): " + compileError(err, source)
		p.failed = ServerError(oneLine(text))
	} else {
		// Without this gopher-lua builds the table "arg" of Lua 5.0 for every
		// run: Redis scripts do not have it, and it takes half of a small one's time.
		p.proto.IsVarArg &^= lua.VarArgNeedsArg
		p.tame = isTame(p.proto)
		p.short = p.tame && isShort(p.proto)
		if p.tame {
			p.plain = translate(chunk)
		}
	}
	actual, _ := programs.LoadOrStore(source, p)
	return actual.(*program)
}

// compileError formats an error of the parser as Lua does.
func compileError(err error, source string) string {
	e, ok := err.(*parse.Error)
	if !ok {
		return chunkName + ":1: " + err.Error() // an error of the code generator
	}
	line, token := e.Pos.Line, e.Token
	if line == parse.EOF {
		line, token = 1+strings.Count(source, "\n"), "<eof>"
	}
	return chunkName + ":" + strconv.Itoa(line) + ": " + e.Message + " near '" + token + "'"
}

// tameGlobals are the globals that cannot change anything that outlives a script,
// unless it assigns to globals or tables.
var tameGlobals = map[string]bool{
	"redis": true, "KEYS": true, "ARGV": true, "string": true, "math": true, "bit": true,
	"tonumber": true, "tostring": true, "type": true, "error": true, "assert": true,
	"pcall": true, "ipairs": true, "pairs": true, "next": true, "unpack": true, "select": true, textOperand: true,
}

// isTame reports whether a script provably leaves its environment alone: it
// assigns to no global and no table, and uses tame globals only. It can then run
// on plain tables; all others get the guarded ones, which are slower.
func isTame(proto *lua.FunctionProto) bool {
	for _, inst := range proto.Code {
		switch int(inst >> 26) { // the opcode
		case lua.OP_SETGLOBAL, lua.OP_SETTABLE, lua.OP_SETTABLEKS:
			return false
		case lua.OP_GETGLOBAL:
			name, ok := proto.Constants[inst&0x3ffff].(lua.LString)
			if !ok || !tameGlobals[string(name)] {
				return false
			}
		}
	}
	for _, inner := range proto.FunctionPrototypes {
		if !isTame(inner) {
			return false
		}
	}
	return true
}

// isShort reports whether a tame script is sure to end: it neither jumps back nor
// has functions of its own. It then needs no budget, which is checked before every
// instruction.
func isShort(proto *lua.FunctionProto) bool {
	for _, inst := range proto.Code {
		switch int(inst >> 26) { // the opcode
		case lua.OP_FORLOOP, lua.OP_TFORLOOP, lua.OP_CLOSURE:
			return false
		case lua.OP_JMP:
			if int(inst&0x3ffff)-jumpZero < 0 {
				return false
			}
		}
	}
	return true
}

// jumpZero is how gopher-lua encodes a jump by nothing.
const jumpZero = 0x1ffff

// eval is EVAL and EVALSHA: it runs a script to its end or to its first error. Nothing is
// rolled back: what a failing script has written stays, and is replicated.
func (s *Store) eval(c *command, cmd *Cmd) Reply {
	args, numKeys := cmd.Arguments(), int64(cmd.numKeys)
	text := "" // the script or its hash
	if cmd.Script == nil {
		if len(args) < 2 {
			return wrongNumber(c)
		}
		text = args[0].String()
		if c == cmdEvalSHA && len(text) != 2*sha1.Size {
			return Failed(errNoScript)
		}
		var ok bool
		if numKeys, ok = parseInt(args[1]); !ok {
			return Failed(errNotInteger)
		}
		args = args[2:]
	}
	switch {
	case numKeys > int64(len(args)):
		return Failed(errTooManyKeys)
	case numKeys < 0:
		return Failed(errNegativeKeys)
	}
	var p *program
	switch {
	case c == cmdEvalSHA:
		if p = s.hashed(cmd.Script, text); p == nil {
			return Failed(errNoScript)
		}
	case cmd.Script != nil:
		p = s.load(cmd.Script.compiled())
	default:
		p = s.load(compile(text))
	}
	if p.failed != nil {
		return Failed(p.failed)
	}
	keys, args := args[:numKeys], args[numKeys:]
	s.inScript, s.declared = true, keys
	reply := s.vm.run(s, p, keys, args)
	s.inScript, s.declared = false, nil
	return reply
}

// Load makes a script known by its hash until the store is reset.
func (s *Store) Load(script *Script) { s.load(script.compiled()) }

func (s *Store) load(p *program) *program {
	if p.failed == nil && !slices.Contains(s.loaded, p) {
		s.loaded = append(s.loaded, p)
	}
	return p
}

// hashed returns a loaded script, by its identity or its hash; nil if there is none.
func (s *Store) hashed(script *Script, hash string) *program {
	if script != nil {
		if script.Source == "" { // only its hash is known
			return nil
		}
		hash = script.compiled().sha
	}
	for _, p := range s.loaded {
		if strings.EqualFold(p.sha, hash) {
			return p
		}
	}
	return nil
}

// loadScript is SCRIPT LOAD.
func (s *Store) loadScript(cmd *Cmd) Reply {
	word := cmd.Arg(0)
	if optionWord(&word) != "LOAD" || cmd.Len() != 2 {
		unmodelled("SCRIPT " + word.String())
	}
	text := cmd.Arg(1).String()
	if cmd.Script != nil {
		text = cmd.Script.Source
	}
	p := s.load(compile(text))
	if p.failed != nil {
		return Failed(p.failed)
	}
	return Bulk(p.sha)
}

// wait is WAIT in a transaction, where only its refusals are modelled.
func (s *Store) wait(_ *command, args []Arg) Reply {
	if _, _, err := WaitFor(args); err != nil {
		return Failed(err)
	}
	unmodelled("WAIT in a transaction")
	return Reply{}
}

// WaitFor reads the arguments of WAIT: the number of replicas, and of milliseconds (0: for ever).
func WaitFor(args []Arg) (replicas, ms int64, err error) {
	replicas, ok := parseInt(args[0])
	if !ok {
		return 0, 0, errNotInteger
	}
	ms, ok = parseInt(args[1])
	switch {
	case !ok:
		return 0, 0, errTimeout
	case ms < 0:
		return 0, 0, errNegativeTimeout
	}
	return replicas, ms, nil
}

var (
	errTooManyKeys error = ServerError(
		"ERR Number of keys can't be greater than number of args")
	errNegativeKeys    error = ServerError("ERR Number of keys can't be negative")
	errNoScript        error = ServerError("NOSCRIPT No matching script. Please use EVAL.")
	errTimeout         error = ServerError("ERR timeout is not an integer or out of range")
	errNegativeTimeout error = ServerError("ERR timeout is negative")
)
