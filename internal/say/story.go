package say

// The story of a run, event by event.

// What clients do and think.
var (
	AcquiresDespiteEntry = New3[Node, Flag, Node](
		"{Who} is told that it holds the lock[enters? and enters]; the store has an entry of {owner}.")
	AcquiresWithoutEntry = New2[Node, Flag](
		"{Who} is told that it holds the lock[enters? and enters]; the store has no entry for it.")
	IsGranted = New5[Node, Optional, Flag, OptionalSeconds, Flag](
		"{Who} is granted the lock[ with token {token}][endless? without expiry in the store][ until {end}][enters? and enters].")
	HasItAllTheSame = New1[Node](
		"{Who} believes its attempt failed, but the store has its entry.")
	AttemptFails = New2[Node, Reason]("{Who}'s attempt fails: {reason}.")
	GivesUp      = New1[Node]("{Who} gives up: it has waited as long as it was willing to.")
	Enters       = New1[Node]("{Who} enters its critical section.")
	LearnsOfLoss = New2[Node, Flag](
		"{Who} learns that its lock is lost[stops? and stops].")
	Releases     = New1[Node]("{Who} releases the lock.")
	FindsNothing = New2[Node, Flag](
		"{Who}'s release is a no-op[gone?: its entry is gone].")
	FindsNothingThere = New2[Node, Node](
		"{Who}'s release is a no-op: {server} has no entry of {who}.")
	RemovesSome = New3[Node, Number, Number](
		"{Who}'s release removes its entry from {n} of {all} servers only.")
	RemovesNothing = New1[Node](
		"{Who}'s release removes nothing, although the store has its entry.")
	ReleaseFailsEntryStays = New1[Node]("{Who}'s release fails; the store keeps its entry.")
	ReleaseFails           = New2[Node, Reason]("{Who}'s release fails: {reason}.")
	Writes                 = New4[Node, Flag, Flag, Optional](
		"{Who}[woke? wakes and] writes[still? all the same][ with token {token}]. The resource takes it.")
	WriteRefused = New4[Node, Flag, Number, Number](
		"{Who}[woke? wakes and] writes with token {token}. The resource refuses: it has seen {highest}.")
	Waits          = New1[Node]("{Who} waits for the lock.")
	Acquires       = New1[Node]("{Who} acquires the lock.")
	HearsOfRemoval = New1[Node]("{Who} learns that its release removed an entry.")
	HasPlayed      = New1[Node]("{Who} has played all its rounds.")
	Reads          = New1[Node]("{Who} reads the resource.")
	Sends          = New2[Node, Command]("{Who} sends {command}.")
	HasReply       = New2[Node, Node]("{Who} has a reply from {server}.")
	Executes       = New2[Node, Node]("{Who} executes a command of {client}.")
	// Happens is for an event without a sentence of its own.
	Happens = New3[Node, Verbatim, Verbatim]("{Who}: {kind}[ ({peer})].")
)

// What the servers have.
var (
	HasNewEntry = New2[Node, Node]("{Who} has a new entry of {owner}.")
	Grants      = New3[Node, Node, Seconds](
		"{Who} grants {owner} the lock until {end}. {Owner} does not know yet.")
	GrantsEndless = New3[Node, Node, Flag](
		"{Who} grants {owner} the lock[endless? without expiry in the store]. {Owner} does not know yet.")
	ExtendsForeign = New4[Node, Command, Node, Phrase](
		"{Who}'s {command} extends {owner}'s entry: {end}.")
	ServerExtends = New3[Node, Node, Phrase](
		"{Who} resets the lease of {owner}'s entry: {end}.")
	Renews     = New2[Node, Seconds]("{Who} renews its lease until {end}.")
	HasRenewed = New3[Node, Times, OptionalSeconds](
		"{Who} has renewed its lease {n}, the last time until {end}.")
	RenewsOnSome = New4[Node, Number, Number, OptionalSeconds](
		"{Who} renews its lease on {n} of {all} servers[, until {end}].")
	RenewsWithoutLock = New3[Node, Times, OptionalSeconds](
		"{Who} does not hold the lock, and has renewed its entry {n}, the last time until {end}.")
	WritesItAnew   = New2[Node, OptionalTimes]("{Who} writes its entry again[, {n}].")
	SetsLease      = New2[Node, Phrase]("{Who} sets the lease of its entry: {end}.")
	EndsAtNow      = New1[Seconds]("it now ends at {end}")
	RemovesOwn     = New2[Node, Command]("{Who}'s {command} removes its own entry.")
	RemovesForeign = New3[Node, Command, Node]("{Who}'s {command} removes {owner}'s entry.")
	ServerRemoves  = New3[Node, Node, Flag](
		"{Who} removes {owner}'s entry.[untold? {owner} is not told.]")
	LeaseEnds    = New3[OptionalSpan, Flag, Node]("The lease ends[, {late} after its time].[untold? {owner} is not told.]")
	LeaseWasOver = New3[Span, Flag, Node]("The lease has been over for {span}.[untold? {owner} is not told.]")
	LeaseEndsOn  = New3[Node, Verbatim, Flag](
		"The lease of {owner} ends on {server}.[untold? {owner} is not told.]")
	LeaseIsOver = New1[Node]("{Who}'s entry expires: its lease is over.")
	SessionEnds = New2[Node, Flag](
		"{Who}'s session ends, and its entry with it.[untold? {Who} is not told.]")
	HasLostEntry = New3[Node, Node, Flag](
		"{Who} has lost {owner}'s entry.[untold? {owner} is not told.]")
	CreatesEntry = New2[Node, Node]("{Who} creates an entry for {owner}.")
	ExtendsEntry = New2[Node, Node]("{Who} extends the entry of {owner}.")
	RemovesEntry = New2[Node, Node]("{Who} removes the entry of {owner}.")
	CopiesEntry  = New2[Node, Node]("{Who} copies the entry of {owner}.")
)

// Faults and processes.
var (
	FaultBegins = New2[Number, Part]("Fault {number} begins[: {fault}].")
	LinksWork   = New1[Number](
		"The links work again (fault {number}); what they held back arrives now.")
	EndsWithAll = New1[Number]("The end of fault {number} never came: it is over only now, with all others.")
	EndsEarly   = New2[Number, Planned]("Fault {number} ends early, with all others: it was to last {time}.")
	FaultIsOver = New1[Number]("Fault {number} is over.")
	Freezes     = New4[Node, OptionalSpan, Phrase, Optional](
		"{Who} freezes[ for {length}][ {between}][ (fault {number})].")
	BetweenCommands = New2[Command, Command]("between {before} and {after}")
	Wakes           = New2[Node, Flag](
		"{Who} wakes.[believes? It does not know that time has passed.]")
	Crashes        = New3[Node, Optional, Phrase]("{Who} crashes[ (fault {number})].[ {then}]")
	IsLostWithHost = New3[Node, Optional, Phrase](
		"{Who} is lost with its host[ (fault {number})]. Its connections stay open.[ {then}]")
	ReplicaHasEntry  = New1[Node]("A replica has {owner}'s entry, too.")
	NoReplicaHas     = New1[Node]("No replica has {owner}'s entry.")
	EntryStays       = New1[Flag]("Its entry stays[endless?: it has no expiry in the store].")
	EntryStaysUntil  = New1[Seconds]("Its entry stays until {end}.")
	RestartsAsClient = New2[Node, Optional](
		"{Who} restarts[ (fault {number})] and starts from the beginning.")
	Restarts = New4[Node, Optional, Names, Flag](
		"{Who} restarts[ (fault {number})][ without {owners}'s entry].[untold? It does not tell {owners}.]")
	BecomesLeader = New2[Node, Optional](
		"{Who} becomes the leader[ (fault {number})]. It has everything the leader before it had.")
	BecomesOtherPrimary = New3[Node, Verbatim, Optional](
		"{Who} becomes the primary of another shard, in place of {old}[ (fault {number})].")
	BecomesPrimary = New4[Node, Optional, Verbatim, Names](
		"{Who} becomes the primary[ (fault {number})][, although {old} is still running].[ It has no entry of {missing}.]")
	BecomesReplica = New2[Node, Verbatim](
		"{Who} becomes a replica of {primary} and forgets what only it knew.")
	ClockJumps     = New2[Node, Span]("{Who}'s wall clock jumps forward by {by}.")
	ClockJumpsBack = New2[Node, Span]("{Who}'s wall clock jumps back by {by}.")
	RunsAgain      = New1[Node]("{Who} runs again.")
)

// The wire.
var (
	IsExecutedLate = New3[Node, Command, Span](
		"{Who}'s {command} is executed only now, {late} after it was sent.")
	ArrivesLate = New4[Node, Command, Node, Span](
		"{Who}'s {command} reaches {server} only now, {late} after it was sent.")
	WaitIsAnswered = New5[Node, Verbatim, Span, Number, Optional](
		"{Who}'s {request} is answered after {time}; replicas that have confirmed: {n}[ (fault {number})].")
	HearsLate = New3[Node, Command, Span](
		"{Who} gets the reply to its {command} only now, {late} after it was executed.")
	GivesUpReply  = New2[Node, Command]("{Who} gives up on the reply to its {command}.")
	RequestIsLost = New4[Node, Command, Node, Optional](
		"{Who}'s {command} is lost on its way to {server}[ (fault {number})].")
	ReplyIsLost = New4[Node, Node, Command, Optional](
		"{Who} executes {client}'s {command}, but the reply is lost[ (fault {number})].")
)

// Re-entry.
var (
	AsksAgain     = New1[Node]("{Who} asks again for the lock it already holds.")
	TakesOnceMore = New3[Node, Optional, OptionalSpan](
		"{Who} takes the lock again[, {depth} deep][, {late} after it asked].")
	IsInItsOwnWay     = New1[Node]("{Who} cannot take the lock again: its own entry is in the way.")
	NotOnceMore       = New2[Node, Reason]("{Who} cannot take the lock again: {reason}.")
	InnerReleaseFails = New2[Node, Reason]("{Who}'s inner release fails: {reason}.")
	GivesBackOnce     = New1[Node]("{Who} gives the lock back once and goes on.")
)
