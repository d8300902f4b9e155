package say

// The report of a run in a terminal, besides its story.
var (
	SeedAndWorld   = New3[Verbatim, Verbatim, Phrase]("seed {seed} . {world} . {time}")
	SimulatedIn    = New2[Phrase, Phrase]("{length} simulated[ in {took}]")
	RunIn          = New2[Phrase, Phrase]("{length} run[ in {took}]")
	Microseconds   = New1[Number]("{n} us")
	StepByStepOf   = New1[Verbatim]("{lock}, step by step")
	EarlierLeftOut = New1[Number]("... {n} earlier {n|step|steps} left out ...")
	LaterLeftOut   = New1[Number]("... {n} later {n|step|steps} left out ...")
	CrossBroken    = New1[Number]("x broken {n}x")
	CrossTimes     = New1[Number]("x {n}x")
	OutcomeSince   = New3[Verbatim, Phrase, Phrase]("[{lock} ]{outcome}: {why}")
	SomeAsExpected = New2[Number, Number]("{n} of {all} as expected")
	DueTooLate     = New2[Number, Seconds](
		"fault {number} was due after the end of the run, at {end}: this shows what happened until then")
	WaitsLong = New3[Verbatim, Measured, Measured](
		"{lock} makes clients wait for longer than a lease (p99 wait {wait}, lease {lease}): this shows who waits, and for what")
)
