package say

// The sentences of a run's page that have arguments.

// The head, the verdicts and the set-up.
var (
	TimesFaster = New1[Verbatim]("{n} times faster")
	TimesSlower = New1[Verbatim]("{n} times slower")
	RunsTook    = New3[Number, Rounded, Flag]("{n} {n|run|runs}, {time}[simulated? of simulated time]")
	SomeBroke   = New2[Number, Number]("{broken} of {n} locks broke at least one property.")
	AllBroke    = New1[Number]("Each of the {n} locks broke at least one property.")
	BrokenTimes = New1[Number]("broken {n}×")
	KeptFenced  = New0("kept (fenced)")
	SeeStep     = New1[Number]("See step {n}")
	OfLock      = New2[Verbatim, Phrase]("{lock}: {what}")
	RoundsEach  = New2[Number, Planned]("{n} per client, waiting up to {wait} for the lock")
	NetworkIs   = New3[Phrase, Planned, Optional](
		"{latency} each way, response timeout {timeout}[, {ppm} in a million commands lose their request or their reply]")
	ClockOf     = New1[Verbatim]("clock of {node}")
	ClockIs     = New2[Planned, Number]("off by {offset}, drifts by {ppm} ppm")
	FaultNumber = New1[Number]("fault {n}")
	More        = New1[Number]("{n} more")
	OfSome      = New2[Phrase, List]("{what} of {whom}")
	RedisNodes  = New1[Number]("{n} independent Redis primaries")
	ClusterOf   = New4[Verbatim, Number, Planned, List](
		"{store} cluster of {n}, which elects a new leader in {time}[, {settings}]")
	SettingIs  = New2[Verbatim, Planned]("{name} {time}")
	OneServer  = New1[Verbatim]("one {store} server")
	PrimaryAnd = New3[Verbatim, Number, Planned](
		"one {store} primary and {n} {n|replica|replicas}, {lag} behind")
	ShardsOf = New3[Number, Number, Planned](
		"a Redis Cluster of {shards} shards, each a primary and {n} {n|replica|replicas}, {lag} behind")
	NodesAreDown     = New1[Planned]("a node counts as down after {time} of silence")
	FailoverTakes    = New1[Planned]("a failover takes {time}")
	SentinelsPromote = New3[Number, Planned, Planned](
		"{n} sentinels promote one after {silence} of silence and an election of {election}")
	WritesNeed = New1[Number]("writes need {n} {n|replica|replicas} in contact")
)

// The story.
var (
	ShowingSteps = New4[Number, Number, Number, Number](
		"Showing {n} of {all} steps: {earlier} earlier and {later} later ones are left out.")
	StepOf        = New4[Verbatim, Number, Seconds, Flag]("{lock}, step {n} at {time}[bad?, a property breaks]")
	FoldedClients = New2[Number, List](
		"Folded: {n} {n|client|clients} that {n|plays|play} no part in these steps ({names}).")
	SoItGoesOn    = New4[Phrase, Number, Number, Seconds]("{what} These {steps} steps {n} more times until {time}.")
	SoDoOthers    = New3[Phrase, Number, Seconds]("{what} The same {n} more times until {time}.")
	StepNumber    = New1[Number]("step {n}")
	AssumptionWas = New1[Phrase]("The assumption was: {assumption}")
	BreaksAtStep  = New2[Number, Seconds](
		"Hatched: what a client believes; solid: what the store has. The first property breaks at step {n}, at {time}.")
	UpToInside = New2[Number, Seconds](
		"Up to {n} clients inside at once, more than one for {time} in total (filled). Grey: a fault at work. The lane below marks what broke.")
)

// The figures.
var (
	SpaceTime      = New2[Verbatim, Number]("Space-time diagram of {lock}: {n} steps, time runs down")
	InsideOver     = New2[Seconds, Number]("Clients inside at once, over {time}: at most {n}")
	TimePasses     = New2[Rounded, Clauses]("{time} pass[: {what}]")
	IsFrozen       = New1[Name]("{who} is frozen")
	AreFrozen      = New1[Names]("{who} are frozen")
	LeaseRunsOut   = New2[Name, Names]("{who}'s lease runs out[ on {servers}]")
	SessionRunsOut = New2[Name, Names]("{who}'s session ends[ on {servers}]")
	ExecutedUnseen = New2[Verbatim, Verbatim](
		"{command}: {reply}; when the store executed it is unknown")
	LateMessage = New1[Verbatim]("{command}, late")
	RoundOf     = New3[Verbatim, Number, Verbatim]("{command} to {n}: {answers}")
	LostMessage = New1[Phrase]("[{command} ]lost")
	ReadVersion = New1[Number]("read v{n}")
	Standing    = New2[Phrase, Flag]("{belief}[frozen?, frozen]")
	AxisSeconds = New1[Verbatim]("{n} s")
)

// The locks side by side.
var (
	FirstOfLocks   = New2[Number, Number](" The first {n} of {all} locks are shown.")
	InsteadOf      = New2[Phrase, Phrase]("{here} instead of {there}")
	NoLockFixes    = New1[Verbatim]("None of these locks is seen to survive this: none keeps all that {lock} broke.")
	LocksThatFix   = New1[Verbatim]("Under the same faults these keep what {lock} broke, or leave the data safe, at a price:")
	InFact         = New2[Phrase, Phrase]("{assumed} In fact: {formula}")
	EndsAfterStep  = New1[Number]("its story ends after step {n}")
	StepSentence   = New3[Optional, Seconds, Phrase]("[step {n}: ]{time} {sentence}")
	AtBest         = New2[Verbatim, Optional]("{n}[ (the cheapest {least})]")
	WaitsAre       = New3[Seconds, Seconds, Phrase]("{median}, {most}[; {end}]")
	GaveUpTimes    = New1[Times]("gave up {times}")
	ComparesTokens = New1[Phrase]("compares tokens ({where})")
)

// The measurements.
var (
	NothingToShow = New1[Phrase]("Nothing to show: {why}.")
	NotDrawnFor   = New2[List, Phrase]("Not drawn for {locks}: {why}.")
	TokensSeen    = New3[Number, Number, Number](
		"Tokens at the resource: {taken} writes taken, {refused} refused, {stale} of those taken were stale")
	StaleTokens = New3[Number, Number, Number](
		"{taken} {taken|write|writes} taken (dots), {refused} refused (crosses). Ringed: {stale} taken although a higher token had been seen.")
	RisingTokens = New2[Number, Number](
		"{taken} {taken|write|writes} taken (dots), {refused} refused (crosses). The tokens of the writes that were taken never go down.")
	WaitsEnded = New3[Number, Number, Number](
		"Waits for the lock: {got} got it, {late} gave up, {errors} errors")
	WaitsShown = New3[Number, Number, Number](
		"{got} {got|attempt|attempts} got the lock (dots), {late} gave up (circles), {errors} {errors|error|errors} on the way (crosses).")
	ClocksOff = New1[Number]("Offsets of {n} {n|clock|clocks} that {n|does|do} not show true time")
	ClocksFar = New3[Number, Measured, Flag](
		"{n} {n|clock|clocks} did not show true time; the farthest was off by {far}.[lease? Dashed: one lease. A store's clock that jumps that far ends every lease at once.]")
	HoldsBeyond = New2[Number, Number](
		"How long the lock was held: {n} holds, {beyond} longer than the lease")
	HoldsLonger = New3[Number, Number, Measured](
		"{beyond} {beyond|hold|holds} of {n} lasted longer than the lease of {lease} (dashed).")
	HoldsWithoutLease = New1[Number]("{n} {n|hold|holds}; the lock has no lease.")
	AcquiredEach      = New1[Number]("Acquisitions and longest wait of {n} clients")
	FairTo            = New4[Number, Measured, Verbatim, Phrase](
		"{n} {n|acquisition|acquisitions} each; the longest wait, {wait}, was {who}'s.[ {note}]")
	UnfairTo = New5[Number, Number, Measured, Verbatim, Phrase](
		"Between {least} and {most} acquisitions per client; the longest wait, {wait}, was {who}'s.[ {note}]")
	FirstOfClients = New2[Number, Number]("The first {n} of {all} clients are shown.")
)

// The evidence.
var (
	Schema            = New1[Number]("schema {n}")
	JudgedBy          = New2[Number, List]("{n} {n|property|properties}: {which}")
	No                = New1[Phrase]("no: {why}")
	SomeUnfired       = New1[Number]("{n} never fired")
	NoTokensToCompare = New1[Verbatim]("The resource took every write of {lock}, which hands out no tokens to compare.")
	SomeWithoutEffect = New1[Number]("{n} had none")
	FiredAt           = New2[Times, List]("{times} at {when}")
	WithoutEffect     = New1[List]("without effect at {when}")
	RowsForEvents     = New3[Verbatim, Number, Number]("{lock}: {rows} rows for {events} events")
	TableLeftOut      = New2[Verbatim, Number](
		"{lock}: the table of its {n} events is left out to keep this page small; all of them are in history.jsonl.")
	OnlyEvents = New3[Number, Number, Number](
		"Showing only events {first} to {last} of {all}, around the first break; all of them are in history.jsonl.")
	RowsLeftOut = New1[Number](
		"{n} later rows are left out to keep this page small; all events are in history.jsonl.")
	EntryOf    = New1[Name]("entry of {who}")
	WithPeer   = New1[Name]("with {who}")
	VersionIs  = New1[Number]("version {n}")
	ForTime    = New1[Seconds]("for {time}")
	TokenIs    = New1[Number]("token {n}")
	TimesUntil = New3[Verbatim, Number, Seconds]("{command}, {n} times until {time}")
)
