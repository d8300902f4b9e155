package say

// Why a property is unknown.
var (
	NobodyAcquired = New0("no client acquired the lock")
	ProbeAcquired  = New0("no client but the probe acquired the lock")
	NoRemoval      = New0("no client's command removed an entry")
	WhoseEntry     = New4[Phrase, Verbatim, Seconds, Optional](
		"it is not known whose entry {command}, sent by {who} at {time}, removed[; the same goes for {more} more]")
	NoWriteReached = New0("no write reached the resource")
	WhetherNewest  = New2[Verbatim, Seconds](
		"it is not known whether {who} was the newest holder when it wrote at {time}")
	NoWriteAccepted = New0("the resource accepted no write")
	WhichRead       = New0("the history does not say which read a write was computed from")
	NoQuietPeriod   = New0("the history has no quiet period")
	NoProbe         = New0("no probe tried the lock in the quiet period")
	LeaseUnknown    = New0("the history does not say how long the lease was")
	ProbeTooShort   = New1[Few]("the probe had less than {n} leases to acquire the lock")
	NoSuchProperty  = New0("no checker judges this property")
)

// Why a run was not a test.
var (
	WasCutShort       = New1[Verbatim]("the run was cut short[: {why}]")
	EndIsMissing      = New1[Number]("the end of the history is missing: it stops after {n} events")
	DidWithoutServers = New2[Verbatim, Seconds](
		"{who} acquired or released the lock at {time} without its servers: it had sent them nothing, or changed no entry")
	NeverKept         = New0("each hold ended soon: no client wrote, or held the lock for half a lease")
	NeverLetIn        = New1[Verbatim]("{who} wanted the lock and never got it")
	NeverFired        = New2[Number, Part]("fault {number} never fired[: {fault}]")
	EndNeverCame      = New2[Number, Part]("the end of fault {number} never came[: {fault}]")
	HadNoEffect       = New2[Number, Part]("fault {number} had no effect[: {fault}]")
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
		"{who} waited in vain from {from} until {to}, and the lock was free")
	HeldAtOneInstant = New3[Verbatim, Verbatim, Seconds](
		"{who} and {other} both held the lock at {at} and touched the resource in that instant, so it is not known which was first: let work or messages take time")
	NothingPutToTest = New0("nothing was tested")
	SeveralReasons   = New1[Remarks]("{reasons}")
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
	EntryUnread = New0(
		"not followed: traffic to this store is not read; it is unknown whose entry a release removes")
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
