package say

// Assumptions that a run has proved false, each followed by the formulas that prove it.
var (
	SessionLasts      = New1[Node]("The session of {who} lasts until {who} ends it.")
	SessionEndedAfter = New1[Seconds]("session ended {time} after the grant")

	StoreClockIsRight = New0("The store's clock runs as fast as true time.")
	ClockStep         = New3[Seconds, Seconds, Seconds](
		"clock step {step} > lease {lease} - {spent} spent")
	LeaseEndedAfter = New2[Seconds, Seconds]("lease {lease} ended after {time}")

	HearsInTime = New1[Node]("{Who} learns of its grant before the lease ends.")
	ReplyAfter  = New2[Seconds, Seconds]("reply {time} after the grant > lease {lease}")

	ReplyLeavesTime = New1[Node]("{Who} learns of its grant early enough to finish its work.")
	ReplyAndWork    = New3[Seconds, Seconds, Seconds](
		"reply {reply} after the grant + held for {work} > lease {lease}")

	NeverPausesLonger = New1[Node]("{Who} never pauses for longer than the rest of its lease.")
	PauseOverLease    = New3[Seconds, Seconds, Seconds](
		"pause {pause} > lease {lease} - {spent} spent")

	PausesLeaveTime = New1[Node]("{Who} pauses for no longer than its work leaves of the lease.")
	PausesAndWork   = New3[Seconds, Seconds, Seconds](
		"paused for {pause} + {rest} without it > lease {lease}")
	CheckIsTheWrite   = New1[Node]("{Who}'s check of its lease and its write are one step.")
	WritesAfterTheEnd = New4[Seconds, Node, Seconds, Seconds](
		"pause {pause} between the two: {who} writes at {time} > end of the lease at {end}")

	RenewalsArrive     = New1[Node]("{Who}'s renewals reach the store before its lease ends.")
	RenewalArrivesLate = New4[Command, Seconds, Seconds, Seconds](
		"{command} sent at {sent}, executed at {done} > end of the lease at {end}")
	RenewalNeverArrives = New3[Command, Seconds, Seconds](
		"{command} sent at {sent} never arrives; the lease ends at {end}")
	LearnsOfLossAfter = New4[Node, Seconds, Node, Seconds](
		"{who} learns of the loss at {told}, {other} has been inside since {since}")
	RenewsUntilDone  = New1[Node]("{Who} renews its lease until its work is done.")
	HearsOfTheLoss   = New1[Node]("{Who} learns of its loss before another client gets the lock.")
	LearnsOfLossLate = New5[Seconds, Node, Seconds, Node, Seconds](
		"lease over at {end}, {other} inside at {since}, {who} told at {told}")
	GetsTheWholeLease = New0("An entry lasts as long as the requested lease.")
	LastsOnly         = New3[Node, Seconds, Seconds](
		"{who}'s entry was made to last {ttl}; the lease is {lease}")

	OwnClockIsRight   = New1[Node]("{Who}'s own clock runs as fast as the store's.")
	ClientClocksAgree = New2[Node, Node]("The clocks of {who} and {owner} agree.")
	OwnClockShows     = New2[Node, Seconds]("by {who}'s own clock {time}")
	ClockIsAhead      = New3[Node, Node, Seconds]("{who}'s clock is ahead of {owner}'s by {ahead}")

	IsDoneInTime     = New1[Node]("{Who} finishes its work before its lease ends.")
	HeldSinceGrant   = New2[Seconds, Seconds]("held for {time} since the grant > lease {lease}")
	HeldSinceRenewal = New2[Seconds, Seconds](
		"held for {time} since the last renewal > lease {lease}")

	OutlivesThePrimary = New0("What the primary has confirmed outlives the primary.")
	NeverReplicated    = New0("the primary keeps it only in memory; no replica ever receives it")
	YoungerThanLag     = New2[Seconds, OptionalSeconds](
		"entry created {age} before the crash < replication lag[ {lag}]")

	RemovesOnlyItsOwn  = New1[Node]("The entry that {who} removes is its own.")
	RemovedAfterOwnEnd = New4[Command, Seconds, Seconds, Seconds](
		"{command} at {time} > own entry's end at {end} ({late} later)")

	RemovedWithoutOne = New5[Command, Seconds, Node, Seconds, Node](
		"{command} at {time} removes {owner}'s entry of {from}; {who} had none")
	RemovesWhenDone = New1[Node](
		"{Who}'s own commands remove its entry only when {who} is done.")
	RemovedWhileInside = New5[Command, OptionalSeconds, Seconds, Node, Seconds](
		"{command}[ sent at {sent}] removes it at {time}; {who} has been inside since {since}")
	CheckStillHolds = New1[Node]("What {who} checked still holds when it acts.")
	ActsOnOldCheck  = New6[Command, Seconds, Node, Seconds, Command, Seconds](
		"{check} at {checked} < {owner}'s entry of {from} < {act} at {time}")
	TakesAwayWhatIsOver = New2[Node, Node](
		"When {who} takes the lock away, {owner} no longer needs it.")
	EndsForeign = New5[Node, Command, Seconds, Node, Seconds](
		"{who}'s {command} at {time} ends {owner}'s entry, which is {age} old")

	HasAnEntry = New1[Node]("{Who} holds the lock only if the store has its entry.")
	NoEntry    = New2[Node, Seconds](
		"{who} has been inside since {time}, but the store never granted it the lock")
	WaitsForTheEntry = New2[Node, Node]("{Who} gets the lock only when {owner}'s entry is gone.")
	EntryIsThere     = New4[Node, Seconds, Seconds, Node](
		"{owner}'s entry of {from} still exists at {time}, when {who} gets in")

	CopiedElsewhere = New1[List](
		"the entry was on {replicas}, and another replica became the primary")

	OnePrimary   = New0("There is only one primary at a time.")
	TwoPrimaries = New4[Verbatim, Seconds, Verbatim, Seconds](
		"{old} granted the entry at {time}, {new} has been the primary since {since}")

	PrimaryKnowsAll = New0("A new primary knows every entry of the old one.")
	NotReplicated   = New2[Seconds, Verbatim](
		"entry created {age} before {new} was promoted, and not replicated")

	StoreKeepsEntries = New0(
		"The store keeps an entry until its lease ends or its owner releases it.")
	DroppedAfter = New2[Seconds, OptionalSeconds](
		"dropped {time} after the grant[, {left} before the end of its lease]")

	OutlivesARestart = New0("What the store has confirmed survives its restart.")
	BackWithoutIt    = New3[Seconds, Verbatim, Seconds](
		"entry created at {time}, {server} back without it at {back}")

	DemotedKeepsAll = New0("A primary that becomes a replica keeps what it has confirmed.")
	FollowsSince    = New4[Seconds, Verbatim, Verbatim, Seconds](
		"entry created at {time}, {old} follows {new} since {since}")
)

// What all clients wait for when a lock is stuck.
var (
	AlwaysRemovesItsOwn = New1[Node]("{Who} always gets to remove its own entry.")
	HasNoEnd            = New3[Node, Seconds, Phrase](
		"all wait for {who}'s entry of {from}, which never expires[; {why}]")
	ComesOut    = New1[Node]("{Who} leaves its critical section.")
	StaysInside = New3[Node, Seconds, OptionalTimes](
		"all wait for {who}, which has been inside since {since}[; its lease was renewed {n}]")
	ExtendsOnlyItsOwn = New1[Node]("The entry that {who} extends is its own.")
	KeptByOther       = New5[Node, Seconds, Node, Command, Seconds](
		"all wait for {owner}'s entry of {from}; {who}'s {command} extends it, last at {time}")
	StopsRenewing = New1[Node]("{Who} renews its entry only while it holds the lock.")
	KeptByItself  = New5[Node, Seconds, Times, Seconds, Phrase](
		"all wait for {who}'s entry of {from}; {who} renews it {n}, last at {time}[; {why}]")
	CrashedAt       = New2[Node, Seconds]("{who} crashed at {time}")
	AttemptFailedAt = New2[Node, Seconds]("{who} believes since {time} that its attempt failed")
	ReleaseFailedAt = New2[Node, Seconds]("{who}'s release failed at {time}")
	GaveUpAt        = New2[Node, Seconds]("{who} gave up at {time}")
	LearnedOfLossAt = New2[Node, Seconds]("{who} was told at {time} that it had lost the lock")
	LeftAt          = New2[Node, Seconds]("{who} had done with it at {time}")
	DiedWaiting     = New2[Node, Seconds]("{who} crashed at {time} while it waited")
	RemovalsOutlive = New0("What has been removed on the primary stays removed.")
	CameBack        = New5[Node, Verbatim, Seconds, Verbatim, Seconds](
		"all wait for {who}'s entry, removed on {old} at {time}; {new} had a copy when promoted at {since}")
	StoreComesBack = New0("A store that goes down comes back.")
	StoreDownSince = New2[Node, Seconds]("{who} is down since {time}")
	FreeCanBeHad   = New0("While no entry is in the way, a client gets the lock.")
	GivenBack      = New3[Node, Times, Phrase](
		"the store gives {who} an entry {n}, and {who} gives it back[: {why}]")
	AttemptsFail  = New3[Node, Times, Reason]("{who} asks {n}; its attempts fail: {reason}")
	RepliesInTime = New1[Node]("Replies arrive before {who} gives up on them.")
	GivesUpEarly  = New3[Node, Planned, Planned](
		"{who} gives up on a reply after {wait} at most, and most requests alone take {way} or more to arrive: lower network.latency, or raise the timeout (network.timeout; that of Redlock's nodes is a share of the lease)")
	AsksInVain = New4[Node, Times, Command, Reason](
		"{who} asks {n}; the reply to its last {command}: {reply}")
	HearsItIsFree = New1[Node]("{Who} is notified when the lock becomes free.")
	AskedLast     = New4[Node, Seconds, Command, Reason](
		"no entry is in the way; {who} asks for the last time at {time}: {command} (reply: {reply})")
	NeverAsks = New1[Node]("no entry is in the way, and {who} sends nothing")
)
