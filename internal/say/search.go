package say

// Findings of a search, for the terminal and for a file of their own.
var (
	CounterexampleOf = New3[Verbatim, Property, Verbatim](
		"{lock} breaks {property}, minimal counterexample of: {title}")
	AssumedWrongly = New3[Phrase, Phrase, Phrase](
		"{verdict} The assumption was: {assumed} {formula}.")
	FoundAndShrunk = New5[Verbatim, Verbatim, Flag, Phrase, Phrase](
		"simulate search found this in {file} with seed {seed} and shrunk it[part? part of the way]: {before} became {after}.")
	StorySize = New4[Number, Number, Number, Number](
		"{faults} {faults|fault|faults}, {clients} {clients|client|clients}, {rounds} {rounds|round|rounds} and {events} {events|event|events}")

	NoSeedTests = New2[Verbatim, Number](
		"{lock} was not put to the test in any of {n} seeds: no clients competed for it, or the faults never fired")
	KeepsInSeeds = New5[Verbatim, Names, Number, Number, Flag](
		"{lock} keeps {properties} in {n} of {all} seeds[rest?; the others were inconclusive]")
	FewerThan = New1[Verbatim]("less than {rate} of runs break it (95 %)")
	OneOf     = New4[Number, Verbatim, Verbatim, Verbatim]("1 of {n}: {rate} (95 %: {low} to {high})")

	BreaksWithSeed = New3[Verbatim, Property, Verbatim]("{lock} breaks {property} with seed {seed}")
	SeedsBefore    = New4[Phrase, Number, Number, Number](
		"{breaks}; of the {n} seeds before, {kept} keep it and {untested} were inconclusive")
	SeedBeforeKept  = New1[Phrase]("{breaks}; the seed before keeps it")
	SeedsBeforeKept = New2[Phrase, Number]("{breaks}; the {n} seeds before keep it")
	AfterReplays    = New2[Phrase, Number]("{size}, after {n} {n|replay|replays}")
)

// What a walk of the fault space says of a story.
var (
	InTheProfile = New2[Verbatim, Part]("In the profile {profile}: {what}")
)

// What is said of parts of a work that machines share.
var (
	PartOf        = New2[Verbatim, Verbatim]("{file}, shard {shard}; simulate dev merge joins it with the others")
	PartOfSeveral = New3[Verbatim, Number, Number]("{file}, {n} of {all} shards")
)
