package say

// Why a property is unknown.
var (
	NobodyAcquired = New0("no client acquired the lock")
	WhoseEntry     = New4[Phrase, Verbatim, Seconds, Optional](
		"it is not known whose entry {command}, sent by {who} at {time}, removed[; the same goes for {more} more]")
	WhetherNewest = New2[Verbatim, Seconds](
		"it is not known whether {who} was the newest holder when it wrote at {time}")
	WhichRead     = New0("the history does not say which read a write was computed from")
	NoProbe       = New0("no probe tried the lock in the quiet period")
	ProbeTooShort = New1[Few]("the probe had less than {n} leases to acquire the lock")
)

// Why a run was not a test.
var (
	WasCutShort       = New1[Verbatim]("the run was cut short[: {why}]")
	EndIsMissing      = New1[Number]("the end of the history is missing: it stops after {n} events")
	DidWithoutServers = New2[Verbatim, Seconds](
		"{who} acquired or released the lock at {time} without its servers: it had sent them nothing, or changed no entry")
	NeverLetIn   = New1[Verbatim]("{who} wanted the lock and never got it")
	NeverFired   = New2[Number, Part]("fault {number} never fired[: {fault}]")
	EndNeverCame = New2[Number, Part]("the end of fault {number} never came[: {fault}]")
	HadNoEffect  = New2[Number, Part]("fault {number} had no effect[: {fault}]")
	HadNoPart    = New3[Number, Part, Phrase](
		"fault {number} changed nothing that the lock could notice[: {fault}]; {why}")
	NoContentionAfter = New2[Number, Part]("no clients competed for the lock after fault {number}[: {fault}]")
	NoDrawnHadEffect  = New0("none of the drawn faults had an effect")
	NothingCameOf     = New2[Number, Part]("fault {number} of the list had no visible effect: {fault}")
	NoSeedNoticed     = New2[Number, Remarks]("with all {n} seeds, {reasons}")
	NothingDrawn      = New0("this seed drew no fault")
	NoDrawnContended  = New0("no clients competed for the lock after any of the drawn faults")
	NobodyHadToWait   = New0("no client ever had to wait for another")
	HeldWithoutEntry  = New4[Verbatim, Seconds, Seconds, Optional](
		"{who} held the lock from {from} until {to}, perhaps without an entry in the store, and no other client asked for it[; and {more} more times]")
	NeverChangedHands = New1[Verbatim]("only {who} ever got the lock")
	WasLeftOut        = New3[Verbatim, Seconds, Seconds](
		"{who} waited from {from} until {to} and never got the lock, although it was free")
	HeldAtOneInstant = New3[Verbatim, Verbatim, Seconds](
		"{who} and {other} both held the lock at {at} and touched the resource in that instant, so it is not known which was first: let work or messages take time")
	NothingPutToTest = New0("nothing was tested")
	UnknownBecause   = New2[Property, Phrase]("{property} is unknown: {reason}")
	UnknownIsNotKept = New3[Verbatim, Property, Phrase](
		"{lock}: {property} is unknown, which is not the same as kept: {reason}.")
)

// How the entry of a lock of one's own was followed.
var (
	LockEntry       = New1[Phrase]("entries: {how}")
	EntryFollowed   = New1[Verbatim]("followed[, by the key {key}]")
	EntryUnfollowed = New1[Verbatim](
		"not followed: no single key is the lock's[; its acquisitions wrote {keys}]; it is unknown whose entry a release removes")
)

// What runs of a lock of one's own have tried.
var (
	TriedThese = New4[Number, Verbatim, Phrase, Optional](
		"tried: {n} {n|story|stories}[, with {faults}]; {settings}[; {untested} {untested|run|runs} inconclusive]")
	TriedWith = New3[Phrase, Phrase, Phrase](
		"a lease of {lease}, work of {work}, a response timeout of {timeout}")
	TriedNothing = New1[Number]("tried: nothing, since none of {n} {n|run|runs} was conclusive")
	NotTried     = New1[Verbatim](
		"not tried: {faults}, two faults at once, other moments, leases, work and timeouts than these")
)

// Whether an expectation was met.
var (
	WasExpected = New3[Property, Verdict, Verdict](
		"{property} was {got}, expected {expected}")
)
