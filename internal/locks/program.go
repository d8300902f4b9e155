package locks

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"lockstep/internal/store"
	"lockstep/internal/store/nats"
)

// ProgramName is the name of a lock that is a program without a name.
const ProgramName = "mine"

// programStores are the stores that a program can use with nothing but an address.
var programStores = []string{
	string(StoreRedis), string(StoreRedisNodes), string(StoreEtcd), string(StoreZooKeeper), string(StoreConsul), string(nats.ID),
}

// ProgramStores are the names of the stores that a lock that is a program may use.
func ProgramStores() []string { return slices.Clone(programStores) }

var programName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// Bounds of what names a program: both stand in every report and on every command line.
const (
	maxProgramName = 40
	maxWords       = 64
	maxWord        = 4096 // bytes
)

// NewProgram makes a variant of a program that speaks lines (see package talk of the live
// world): name is what reports call it, "" for ProgramName; command is the program with its
// arguments, as execve takes them; in is what it keeps its entries in, "" for Redis.
func NewProgram(name string, command []string, in Store) (Variant, error) {
	name = cmp.Or(name, ProgramName)
	in = cmp.Or(in, StoreRedis)
	_, taken := Lookup(name)
	unhanded := "" // for an unknown store
	if store.Of(in) != nil {
		unhanded = ", where it would need an account or a bucket, since lockstep hands out addresses only"
	}
	switch {
	case !programName.MatchString(name) || len(name) > maxProgramName:
		return Variant{}, fmt.Errorf("%.60q cannot be the name of a lock: use lower-case letters, digits and single dashes, a letter first, at most %d of them", name, maxProgramName)
	case taken || name == "all":
		return Variant{}, fmt.Errorf("a program cannot be called %s, which is a lock of lockstep: give it another name", name)
	case len(command) == 0 || command[0] == "":
		return Variant{}, fmt.Errorf("the lock %s has no program: write its command, such as [python3, mylock.py]", name)
	case len(command) > maxWords:
		return Variant{}, fmt.Errorf("the command of %s has %d words, and %d are enough: write a script that calls it", name, len(command), maxWords)
	case !slices.Contains(programStores, string(in)):
		return Variant{}, fmt.Errorf("a program cannot keep its entries in %.60q%s: choose %s", in, unhanded, strings.Join(programStores, ", "))
	}
	for _, word := range command {
		// A stored scenario has to say it as it is.
		if word == "" || len(word) > maxWord || strings.TrimSpace(word) != word || strings.ContainsFunc(word, unicode.IsControl) || !utf8.ValidString(word) {
			return Variant{}, fmt.Errorf("a word of the command of %s is no plain text, such as %.40q, or longer than %d bytes: write a script that calls it", name, word, maxWord)
		}
	}
	v := Variant{ID: name, Program: command, Store: in}
	if in == StoreRedis || in == StoreRedisNodes {
		v.LeaseUnit = time.Millisecond // elsewhere it is a session, which its client keeps alive
	}
	return v, nil
}
