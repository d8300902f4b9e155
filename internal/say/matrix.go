package say

// The sentences of the matrix page that have arguments.
var (
	MatrixLead = New4[Grouped, Grouped, Grouped, Phrase](
		"{locks} lock {locks|design|designs} under {kinds} {kinds|kind|kinds} of fault: what became of each, measured in {runs} {runs|run|runs}.[ {more}]")
	MoreTestedNothing = New1[Grouped]("{n} more {n|run was|runs were} inconclusive and {n|is|are} left out.")
	RunsAndPage       = New3[Number, Verbatim, Verbatim]("{n} runs in {time} s   page {page}")
	WalkedOfCell      = New2[Grouped, Grouped](
		"{n} {n|schedule|schedules} of the search; in {ineffective} the fault changed nothing.")
	WalkedWithoutEnd = New1[Grouped]("{n} {n|schedule|schedules} did not finish: what {n|it does|they do} is unknown.")
	FoundBesides     = New1[Verbatim]("Also found: {letters}.")
	DamagedBy        = New1[Verbatim]("The resource was damaged: {by}.")
	KindDuring       = New2[Words, Phrase]("{kind} {during}")
	ScriptsExported  = New2[Number, Verbatim]("{n} {n|script|scripts} in {folder}")
	LetterOf         = New3[Verbatim, Verbatim, Verbatim]("{letter}, {lock} under {fault}")
	BrokenOrStuckOf  = New1[Number]("broken or stuck, of {n}")
	SomeLocksOf      = New2[Number, Number]("{bad} of {n}")
	WhyNoLetter      = New1[Verbatim]("Why there is no letter: {why}.")
	CellTitle        = New5[Verbatim, Verbatim, Verbatim, Verbatim, Verbatim]("{code}, {fault}: {note}[ ({outcome})][; {unexpected}]")
	NotExpectedIn    = New1[List]("not expected with {have}")
	LeftOutOfAnswers = New1[Verbatim]("This fault is {unexpected}: what breaks here does not count there in \"Which lock should I use?\"")
	BothOfRuns       = New3[Number, Number, Number]("{broken} broken, {stuck} stuck of {n}")
	BrokenOfRuns     = New2[Number, Number]("{broken} broken of {n}")
	StuckOfRuns      = New2[Number, Number]("{stuck} stuck of {n}")
	NoneOfRuns       = New1[Number]("none of {n} broken")
	CellCounts       = New5[Grouped, Number, Number, Phrase, Phrase](
		"{n} {n|run|runs}: {broken} broken, {stuck} stuck. {rate}[ {untested}]")
	VariationsBroke = New3[Percent, Percent, Percent](
		"Of the random variations, {rate} broke or got stuck (95 % interval {low} to {high}).")
	ScriptsBrokeOnly = New1[Percent](
		"Only unmodified scripts broke, none of the random variations; at most {high} of such variations would (95 % confidence).")
	NoVariationBroke = New1[Percent](
		"None of the random variations broke: with 95 % confidence, at most {high} of such runs would.")
	SomeTested = New2[Number, Grouped](
		"{tested} of {n} {n|run|runs} tested something. The others are inconclusive and left out: the fault never fired, or no clients competed for the lock.")
	ShownScript = New4[Flag, Flag, Verbatim, Phrase](
		"[varied?A random variation of the script][plain?The script] {script}.[ {note}]")
	OneDamageOnly = New1[Verbatim](
		"No single run showed both kinds of damage; this one shows {letter}.")
	// Notes of cells.
	NoScriptTested   = New1[Phrase]("no script tested anything: {why}")
	FoundByVariation = New2[Verbatim, Phrase]("found by variation {n} only: {script}")
	SafeSoFar        = New3[Number, Number, Percent](
		"{scripts} scripts and {variations} variations; at most {high} of such runs break, with 95 % confidence")
	SafeInWalk   = New2[Phrase, Grouped]("{safe}; none of {n} {n|schedule|schedules} of the exhaustive search")
	FoundByWalk  = New2[Verbatim, Phrase]("found by the exhaustive search, in the profile {profile}: {story}")
	WalkHasNoEnd = New2[Grouped, Grouped](
		"{n} of {all} schedules of the search have no end: what they do is unknown")
	NobodyGetsIt = New1[Verbatim]("no client gets this lock even without a fault: see {column}")
	NoSuchStep   = New0("the lock has no such step")

	// Why a cell has not been compared, or a milder script was taken.
	LettersNotAsked = New1[Alternatives]("left out: only cells were asked for in which the simulator shows {letters}")
	HarsherRefused  = New2[Verbatim, Phrase]("a script with {letter} was left out: {why}")
	HarsherByChance = New2[Verbatim, Phrase](
		"a script with {letter} was left out, since only some of its runs end that way: {script}")
	RunUntested = New3[Phrase, Verbatim, Phrase](
		"the {world} run with seed {seed} was inconclusive: {why}")
	RunCutShort = New2[Verbatim, Verbatim](
		"the real run with seed {seed} was not played to its end: {why}")

	StepsLeftOut = New1[Grouped]("{n} {n|step|steps} left out")

	TokensKeepData = New1[Remarks](
		"Behind a resource that checks tokens, no measured run of any column damaged the data with these locks, although two clients can hold one at once: {locks}.")
	WordRare  = New0("not expected")
	NoneWhole = New1[Number](
		"None of the {n} locks gets through every column: each breaks or gets stuck somewhere.")
	FewWhole = New3[Number, Number, Remarks](
		"Only {n} {n|lock|locks} of {all} {n|gets|get} through every column: {which}.")
	SomeWhole       = New2[Number, Number]("{n} of {all} locks get through every column.")
	BadWithoutFault = New1[Number]("Broken or stuck even without any fault: {n} {n|lock|locks}.")
	HarmsMost       = New4[Verbatim, Verbatim, Number, Number](
		"Most harmful: {fault} ({code}), with {n} of {all} locks broken or stuck.")
	HarmsLeast     = New3[Verbatim, Verbatim, Number]("Least harmful: {fault} ({code}), with {n}.")
	ThenVariations = New1[Grouped](
		"Then it plays {n} random {n|variation|variations} of these scripts, with other timings of the work, the faults and the network. A checker judges each history. The letter is the worst outcome seen.")
	MeasuredWith = New4[Verbatim, Grouped, Phrase, Phrase](
		"Backend {backend}; {n} {n|run|runs} in all[, {tested}][; {lease}].")
	OfWhichTested = New1[Grouped]("{n} of them tested something")
	LeaseInEach   = New1[Planned]("a lease of {lease} in each")
)
