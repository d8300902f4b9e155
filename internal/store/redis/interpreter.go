package redis

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// budgetSize is how many Lua instructions one script may execute. Redis lets a
// script run until an operator kills it (lua-time-limit only warns); a simulation
// must stop it, and at the same instruction in every replay. A lock's script takes
// a few dozen.
const budgetSize = 1_000_000

// interpreter runs the scripts of one store, or of all stores of one world. The
// first script opens it.
type interpreter struct {
	state *lua.LState
	store *Store // whose script is running
	used  budget
	funcs map[*program]*lua.LFunction

	plain plainRun // of the running script, if it is plain

	tame     *lua.LTable // globals of tame scripts
	tameKeys argTable    // their KEYS and ARGV, refilled for each run
	tameArgs argTable
	wild     *lua.LTable   // globals of all others, behind a guard
	guarded  []*lua.LTable // tables that scripts may not change
	stack    []lua.LValue  // the arguments of a redis.call
	argv     []Arg         // those behind its name

	asked  string // the command that the running script executes
	lacked string // the feature that it uses and the model does not have

	texts [16]lua.LValue // cache of text

	// The value of the last error without a position, and the line that raised it:
	// Redis's error handler reads the stack, which is gone when ours runs.
	raised     lua.LValue
	raisedLine int
}

// budget is a context that ends after a number of instructions: gopher-lua calls
// Done before every one of them.
type budget struct{ left int }

func (b *budget) Done() <-chan struct{} {
	if b.left--; b.left < 0 {
		return spent
	}
	return nil // never ready
}

func (b *budget) Err() error                  { return errBudget }
func (b *budget) Deadline() (time.Time, bool) { return time.Time{}, false }
func (b *budget) Value(any) any               { return nil }

// spent is ready at once.
var spent = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

var errBudget error = ServerError(
	"the script used up its budget of " + strconv.Itoa(budgetSize) + " instructions")

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
	vm.store, vm.used.left, vm.raised, vm.asked, vm.lacked = s, budgetSize, nil, "", ""
	if p.plain != nil {
		return vm.plainly(p, keys, args)
	}
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
	state := vm.state
	state.Push(vm.function(p))
	err := state.PCall(0, 1, nil)
	result := state.Get(-1)
	state.SetTop(0)
	if vm.asked != "" { // it has not returned
		vm.lacked = "what " + vm.asked + " was asked for in a script"
	}
	if vm.lacked != "" { // even if the script has caught the error
		if failed, ok := err.(*lua.ApiError); ok && failed.Type == lua.ApiErrorPanic {
			if what, ok := strings.CutPrefix(luaText(failed.Object), unmodelledPrefix); ok {
				unmodelled(what)
			}
			panic(failed) // a bug of ours
		}
		unmodelled(vm.lacked)
	}
	if err != nil {
		return vm.failure(p, err)
	}
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

// text makes a Lua string. Boxing one allocates, and a script uses the same few
// strings again and again: the key, the token.
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

// failure turns the error that ended a script into a reply.
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
	if table, ok := failed.Object.(*lua.LTable); ok {
		field, _ := errField(table)
		text = cmp.Or(string(field), "ERR unknown error") // without err Redis 7.0.15 crashes
	} else {
		text = luaText(failed.Object)
		if line == 0 {
			line = linePrefix(text)
		}
		text = "ERR " + text
	}
	return p.failure(text, line)
}

// failure is the reply of Redis 7.0 (luaCallFunction in script_lua.c): the error, the script, and
// the line, if it is known.
func (p *program) failure(text string, line int) Reply {
	text += " script: " + p.sha
	if line > 0 {
		text += ", on @" + chunkName + ":" + strconv.Itoa(line) + "."
	}
	return Failed(ServerError(oneLine(text)))
}

// linePrefix reads the line from "user_script:12: text", 0 when there is none.
func linePrefix(text string) int {
	rest, positioned := strings.CutPrefix(text, chunkName+":")
	digits, _, found := strings.Cut(rest, ":")
	line, err := strconv.Atoi(digits)
	if !positioned || !found || err != nil {
		return 0
	}
	return line
}

// raise ends the running Lua function with an error, and notes the line of the Lua function
// that called into Go.
func (vm *interpreter) raise(state *lua.LState, v lua.LValue) {
	vm.raised, vm.raisedLine = v, 0
	for level, found := 1, true; found && vm.raisedLine == 0; level++ {
		vm.raisedLine, found = lineAt(state, level)
	}
	state.Error(v, 0)
}

// fail ends the running Lua function with an error table.
func (vm *interpreter) fail(state *lua.LState, text string) { vm.raise(state, vm.errorTable(text)) }

// lineAt is the line of the function at a level of the stack, 0 when it is not a Lua
// function; false when there is no such level.
func lineAt(state *lua.LState, level int) (line int, found bool) {
	frame, found := state.GetStack(level)
	if !found {
		return 0, false
	}
	if _, err := state.GetInfo("Sl", frame, lua.LNil); err != nil {
		return 0, true
	}
	return max(frame.CurrentLine, 0), true
}

// errField is the field err of an error table; false when it has none.
func errField(t *lua.LTable) (text lua.LString, ok bool) {
	text, ok = t.RawGetString("err").(lua.LString)
	return text, ok
}
