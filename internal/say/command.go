package say

// Results of commands: of many seeds, of a suite, of checked histories.
var (
	SeedsFromTo   = New3[Verbatim, Verbatim, Verbatim]("{scenario}: seeds {first} to {last}")
	SomeOf        = New2[Number, Number]("{n} of {all}")
	NoneBroke     = New2[Number, Number]("0 of {n} runs broke it (95 %: less than 1 in {most})")
	BrokeAtRate   = New4[Property, Number, Number, Phrase]("{property} {n} of {all}: {rate}")
	WithTheSpared = New2[Number, Remarks]("counting the {n} {n|run|runs} whose drawn faults tested nothing: {broke}")
	InHours       = New2[Verbatim, Remarks]("in {hours} hours of the story: {broke}")
	PerHour       = New4[Property, Verbatim, Verbatim, Verbatim]("{property} in {rate} runs an hour (95 %: {low} to {high})")
	NoneInHours   = New2[Verbatim, Verbatim]("in {hours} hours of the story (95 %: less than {high} runs an hour)")
	AtRate        = New3[Verbatim, Verbatim, Verbatim]("{rate} (95 %: {low} to {high})")
	TestedNothing = New3[Number, Number, Remarks]("{n} of {all} were inconclusive: {why}")
	ReasonTimes   = New2[Phrase, Number]("{reason} ({n})")
	MoreReasons   = New1[Number]("and {n} more reasons")
	DirOfSeed     = New2[Verbatim, Verbatim]("{dir} (seed {seed})")
	FirstWithSeed = New1[Verbatim]("first with seed {seed}")
	SeedIs        = New1[Verbatim]("seed {seed}")

	RunsAsExpected   = New2[Number, Number]("{n} of {all} runs as expected")
	RunsMissed       = New1[Number]("{n} missed")
	RunsInconclusive = New1[Number]("{n} inconclusive")
	RunsUnasked      = New1[Number]("{n} without an expectation")
	RunsNotPlayed    = New1[Number]("{n} not played")
	RunOfSuite       = New3[Verbatim, Verbatim, Phrase]("{scenario} with {lock}: {why}")
	NotPlayedWith    = New2[Verbatim, Number]("NOT PLAYED with --backend {backend} ({n}):")
	NothingSaidOf    = New1[List](
		"# No expectation for {locks}, so every property has to be kept. To expect nothing, write")

	HistoryOf     = New2[Verbatim, Number]("{file}, history {n}")
	ClientsOf     = New1[Number]("{n} clients")
	EventsOver    = New2[Number, Seconds]("{n} events over {time}")
	NotAsked      = New1[Verbatim]("not asked of this history: {properties}")
	UntilLastLine = New1[Seconds]("until {time}, the last line")
	StepBreaks    = New3[Seconds, Phrase, Phrase]("{time}  {sentence} <- {note}")
	AtTime        = New1[Seconds]("at {time}")

	DifferentFrom = New1[Number]("DIFFERENT from event {n} on")
	DiffersIn     = New2[Verbatim, Clauses]("{lock} differs in {what}")
	WroteIn       = New2[List, Verbatim]("{files} in {dir}")
	VerdictWas    = New4[Verbatim, Property, Verdict, Verdict]("{lock}, {property}: was {old}, is {new}")
	VersionWas    = New2[Number, Number]("version of the properties: was {old}, is {new}")
)
