package locks

// Bug is a published bug of a lock library. A variant that has one reproduces the protocol of that
// library as the thread describes it, and nothing else of it. It is no design to choose from, so it
// has no row in the measured tables; it costs its file and one story, scenarios/bugs/<id>.yaml,
// which plays it beside its fixed form.
type Bug struct {
	Library string // as its users call it
	Has     string // the versions that have the bug, as far as the thread tells
	Gone    string // the first version without it; "" when the thread names none
	Issue   string // the address of the thread
	Fixed   string // the id of the same lock without the bug: a variant of its own, or a design
}

// registerBug registers a lock that has a published bug. fixed makes the same lock without
// it, which becomes the variant <id>-fixed; nil when v.Bug.Fixed names a design that is
// the fixed form already.
func registerBug(v Variant, fixed func(Deps) Lock) {
	v.File = "bug_" + fileOf(v.ID)
	if fixed != nil {
		v.Bug.Fixed = v.ID + "-fixed"
	}
	Register(v)
	if fixed != nil {
		v.ID, v.New = v.Bug.Fixed, fixed
		Register(v)
	}
}

// Bugs returns the variants that reproduce a published bug, sorted by id: without their
// fixed forms and without the libraries that have it.
func Bugs() []Variant {
	return registered(func(v Variant) bool { return v.Bug != nil && v.ID != v.Bug.Fixed && v.Library == "" })
}
