package say

// Comparisons of runs.
var (
	SideBySide      = New1[Number]("{n} runs side by side")
	RunAndLock      = New2[Number, Verbatim]("run {n}, {lock}")
	InRun           = New2[Number, Phrase]("run {n}: {value}")
	PlayRunAgain    = New1[Number]("Play run {n} again")
	ShownFirst      = New2[Number, Number]("The first {n} of {all} locks are shown.")
	DrawnFirst      = New2[Number, Number]("The first {n} of {all} locks are drawn.")
	NothingToDraw   = New1[Phrase]("Nothing to draw: {why}.")
	FirstDifference = New2[Phrase, Optional]("The first difference: {what}.[ {n} more below.]")
	SettingDiffers  = New4[Verbatim, Phrase, Phrase, Number](
		"{setting} is {first} in run 1, and {other} in run {n}")
	BetweenStories = New3[Verbatim, Verbatim, Phrase]("{one} and {other}: {what}")
	HistoryHash    = New2[Phrase, Verbatim]("{run} . history {hash}")
	MoreOnPage     = New1[Number]("and {n} more, on the page")

	RunHas        = New1[Names]("Run {runs} has")
	RunsHave      = New1[Names]("Runs {runs} have")
	OtherScenario = New1[Phrase](
		"{runs} a different scenario from run 1: more than one thing differs, so verdicts side by side prove little.")
	ScenarioDiffers = New1[Phrase]("The scenario is not the same in all runs: {what}.")
	OtherClients    = New2[Phrase, List](
		"{runs} other clients than run 1 ({clients}): contention depends on their number.")
	OtherWorld = New2[Phrase, Verbatim](
		"{runs} a different world from run 1 ({world}): real servers are never the same twice, and their network is not the simulated one. Compare verdicts, not milliseconds.")
	OtherScale = New1[Phrase](
		"{runs} a different time scale from run 1: that alone makes waits and holds longer or shorter.")
	RunOnceMore      = New2[Number, Number]("Run {n} repeats run {same}, byte for byte.")
	SidesCutShort    = New1[Remarks]("Cut short: {which}. What had not broken by then might have broken later.")
	SidesUntested    = New1[Remarks]("Inconclusive: {which}.")
	AllAcquiredFew   = New1[Number]("No lock was acquired {n} times, so the 99th percentile here is the longest wait.")
	SidesAcquiredFew = New2[Number, Remarks](
		"Fewer than {n} acquisitions: {which}. The 99th percentile there is the longest wait.")
)
