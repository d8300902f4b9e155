package locks

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"lockstep/internal/store"
)

// The locks of Go libraries are variants like all others, but their code talks to real servers by
// itself: it takes no ports, so no simulator can play it, and it brings client libraries with it,
// which the plain program is built without. Package libraries holds that code, and only the live
// world compiles it. Here, their files are read as text: the comment at the top of each has,
// besides the headings of every lock, the lines of its registration.
//
//	Library: github.com/owner/name     what is imported
//	Store: redis                       as in Store
//	Lease: 1ms                         as in Variant.LeaseUnit
//	Bug: etcd-22082                    only of a library that is here for a published bug: which one
//
// So such a lock is one file as well, and listed by a program that cannot play it.
const libraryFiles = "libraries"

func init() {
	files, err := fs.Glob(sources, libraryFiles+"/*.go")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, file := range files {
		source, err := sources.ReadFile(file)
		if err != nil {
			panic(err) // it is embedded
		}
		if v, ok := readLibrary(file, string(source)); ok {
			Register(v)
		}
	}
}

// readLibrary makes a variant from the comment at the top of a file; false for a file
// that is not about one lock. It panics when the comment is wrong, as Register does.
func readLibrary(file, source string) (Variant, bool) {
	comment := openingComment(source)
	if len(comment) == 0 {
		return Variant{}, false
	}
	id, ok := strings.CutPrefix(comment[0], "Lock ")
	if !ok {
		return Variant{}, false
	}
	facts := map[string]string{}
	for _, line := range comment {
		if key, value, ok := strings.Cut(line, ": "); ok {
			facts[key] = value
		}
	}
	v := Variant{ID: id, File: file, Library: facts["Library"], Store: Store(facts["Store"])}
	unit, err := time.ParseDuration(facts["Lease"])
	switch {
	case v.Library == "":
		panic(fmt.Sprintf("locks: %s does not say which library %s is", file, id))
	case store.Of(v.Store) == nil:
		panic(fmt.Sprintf("locks: %s: there is no store %q", file, v.Store))
	case err != nil:
		panic(fmt.Sprintf("locks: %s: the unit of the lease: %v", file, err))
	}
	v.LeaseUnit = unit
	if bug := facts["Bug"]; bug != "" {
		if v.Bug = registry[bug].Bug; v.Bug == nil {
			panic(fmt.Sprintf("locks: %s: there is no published bug %q", file, bug))
		}
	}
	return v, true
}

// CheckSimulated says why no simulator can play a variant, or nil.
func (v Variant) CheckSimulated() error {
	switch {
	case v.Program != nil:
		return fmt.Errorf("%s is a program of its own (%.60q), which talks to servers by itself: it is played on real servers only: add --backend process", v.ID, strings.Join(v.Program, " "))
	case v.Library == "":
		return nil
	}
	return fmt.Errorf("%s is the library %s as it is, which talks to servers by itself: it is played on real servers only: --backend process", v.ID, v.Library)
}

// Simulated returns the variants that the simulator can play, in the order of lists: all
// but those that are libraries.
func Simulated() []Variant {
	return slices.DeleteFunc(All(), func(v Variant) bool { return v.CheckSimulated() != nil })
}
