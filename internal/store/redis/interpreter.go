package redis

import (
	"strconv"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Budget is how many Lua instructions one script may execute. Redis lets a
// script run until an operator kills it (lua-time-limit only warns); a simulation
// must return by itself, and at the same instruction in every replay. A lock's
// script takes a few dozen.
const Budget = 1_000_000

// interpreter runs the scripts of one store, or of all stores of one world. It
// is made with the first script.
type interpreter struct {
	state *lua.LState
	store *Store // whose script is running
	used  budget
	funcs map[*program]*lua.LFunction
	lastP *program
	lastF *lua.LFunction

	tame     *lua.LTable // globals of tame scripts
	tameKeys argTable    // their KEYS and ARGV, refilled for each run
	tameArgs argTable
	wild     *lua.LTable   // globals of all others, behind guard
	guarded  []*lua.LTable // tables that scripts may not change
	argv     []Arg         // of a redis.call

	lacked string // what the running script uses that the model does not have

	texts [16]lua.LValue

	// Where the last error that carries no position was raised, and its value:
	// Redis's error handler asks the stack, which is gone when ours is told.
	raised     lua.LValue
	raisedLine int
}

// budget is a context that ends after a number of instructions: gopher-lua asks
// for Done before every one of them.
type budget struct {
	left int
}

func (b *budget) Done() <-chan struct{} {
	if b.left--; b.left < 0 {
		return spent
	}
	return nil // never ready
}

func (b *budget) Err() error                  { return errBudget }
func (b *budget) Deadline() (time.Time, bool) { return time.Time{}, false }
func (b *budget) Value(any) any               { return nil }

// spent is ready at once. It belongs to no run: stores are used in several.
var spent = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

var errBudget error = ServerError(
	"the script used up its budget of " + strconv.Itoa(Budget) + " instructions")

// open makes the Lua state.
func (vm *interpreter) open() {
	vm.state = lua.NewState(lua.Options{
		SkipOpenLibs:    true,
		CallStackSize:   200, // LUAI_MAXCCALLS of Lua 5.1
		RegistrySize:    1024,
		RegistryMaxSize: 64 * 1024,
	})
	vm.funcs = make(map[*program]*lua.LFunction)
	vm.openLibraries()
}

// run executes a program for a store and turns what it returns into a reply.
func (vm *interpreter) run(s *Store, p *program, keys, args []Arg) Reply {
	if vm.state == nil {
		vm.open()
	}
	vm.store, vm.used.left, vm.raised = s, Budget, nil
	vm.lacked = ""
	if p.tame {
		vm.tameKeys.fill(vm, keys)
		vm.tameArgs.fill(vm, args)
	} else {
		var wildKeys, wildArgs argTable
		wildKeys.fill(vm, keys)
		wildArgs.fill(vm, args)
		vm.wild.RawSetString("KEYS", wildKeys.table)
		vm.wild.RawSetString("ARGV", wildArgs.table)
	}
	if p.short {
		vm.state.RemoveContext()
	} else {
		vm.state.SetContext(&vm.used)
	}
	if vm.lastP != p {
		vm.lastP, vm.lastF = p, vm.function(p)
	}
	state := vm.state
	state.Push(vm.lastF)
	err := state.PCall(0, 1, nil)
	if vm.lacked != "" { // whatever the script has made of it
		state.SetTop(0)
		if failed, ok := err.(*lua.ApiError); ok && failed.Type == lua.ApiErrorPanic {
			if what, ok := strings.CutPrefix(luaText(failed.Object), lacksWhat); ok {
				unmodelled(what)
			}
			panic(failed) // a bug of ours
		}
		unmodelled(vm.lacked)
	}
	if err != nil {
		state.SetTop(0)
		return vm.failure(p, err)
	}
	result := state.Get(-1)
	state.SetTop(0)
	return toReply(result)
}

// function returns the program as a function of this interpreter.
func (vm *interpreter) function(p *program) *lua.LFunction {
	f := vm.funcs[p]
	if f == nil {
		f = vm.state.NewFunctionFromProto(p.proto)
		f.Env = vm.guarded[0]
		if p.tame {
			f.Env = vm.tame
		}
		vm.funcs[p] = f
	}
	return f
}

// argTable is KEYS or ARGV.
type argTable struct {
	table *lua.LTable
	n     int
}

// fill puts arguments of a command into the table.
func (l *argTable) fill(vm *interpreter, args []Arg) {
	if l.table == nil {
		l.table = vm.state.CreateTable(len(args), 0)
	}
	for i := range args {
		l.table.RawSetInt(i+1, vm.text(args[i].String()))
	}
	for i := len(args); i < l.n; i++ {
		l.table.RawSetInt(i+1, lua.LNil)
	}
	l.n = len(args)
}

// text makes a Lua string. Boxing one allocates, and a script meets the same few
// strings again and again: the key, the token that is compared with the token.
func (vm *interpreter) text(s string) lua.LValue {
	if s == "" {
		return emptyText
	}
	slot := (len(s) + int(s[0]) + 7*int(s[len(s)-1])) % len(vm.texts)
	if known, ok := vm.texts[slot].(lua.LString); ok && string(known) == s {
		return vm.texts[slot]
	}
	v := lua.LValue(lua.LString(s))
	vm.texts[slot] = v
	return v
}

var emptyText lua.LValue = lua.LString("")

// failure turns the error that ended a script into the reply of Redis 7.0
// (luaCallFunction in script_lua.c): the error, the script, and the line.
func (vm *interpreter) failure(p *program, err error) Reply {
	failed := err.(*lua.ApiError)
	if failed.Type == lua.ApiErrorPanic {
		panic(failed) // a bug of ours, not of the script
	}
	line := 0
	if vm.raised != nil && vm.raised == failed.Object {
		line = vm.raisedLine
	}
	text := ""
	switch v := failed.Object.(type) {
	case *lua.LTable:
		text = errField(v)
		if text == "" {
			text = "ERR unknown error" // an error table without err crashes Redis 7.0.15
		}
	default:
		text = luaText(v)
		if line == 0 {
			line = linePrefix(text)
		}
		text = "ERR " + text
	}
	text += " script: " + p.sha
	if line > 0 {
		text += ", on @" + chunkName + ":" + strconv.Itoa(line) + "."
	}
	return Failed(ServerError(oneLine(text)))
}

// linePrefix reads the line out of "user_script:12: text", 0 when there is none.
func linePrefix(text string) int {
	rest, ok := strings.CutPrefix(text, chunkName+":")
	if !ok {
		return 0
	}
	digits, _, ok := strings.Cut(rest, ":")
	if !ok {
		return 0
	}
	line, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return line
}

// raise ends the running Lua function with an error value and remembers where.
func (vm *interpreter) raise(state *lua.LState, v lua.LValue) {
	vm.raised, vm.raisedLine = v, currentLine(state)
	state.Error(v, 0)
}

// currentLine is the line of the Lua function that called the running Go function.
func currentLine(state *lua.LState) int {
	for level := 1; ; level++ {
		frame, ok := state.GetStack(level)
		if !ok {
			return 0
		}
		if _, err := state.GetInfo("Sl", frame, lua.LNil); err == nil && frame.CurrentLine > 0 {
			return frame.CurrentLine
		}
	}
}

// errField is the field err of an error table, "" when it has none.
func errField(t *lua.LTable) string {
	if text, ok := t.RawGetString("err").(lua.LString); ok {
		return string(text)
	}
	return ""
}
