package say

// The beliefs of the clients, and the entries of the store.
var (
	NobodyBelieves = New0("no client thinks it holds it")
	ManyBelieve    = New1[Number]("{n} clients each think they hold it")
	Believe        = New1[Names]("{who} each think they hold it")
	Believes       = New1[Name]("{who} thinks it holds the lock")
	StoreIsDown    = New1[Product]("{store} is down")
	StoreHasNobody = New1[Product]("{store} has no entry")
	StoreHas       = New2[Product, Name]("{store} says {who}")
	StoresHave     = New1[Shares]("servers say {who}")
)

// What breaks at an event.
var (
	TwoInsideSince   = New2[Node, Seconds]("two holders inside: {who} entered at {time}")
	WrongOwnerOf     = New2[Node, Node]("wrong owner: the entry was {owner}'s, not {who}'s")
	StaleWriteHeld   = New2[Node, Seconds]("stale write: {who} has held the lock since {time}")
	StaleWriteInside = New2[Node, Seconds]("stale write: {who} has been inside since {time}")
	StaleWriteAfter  = New2[Node, Node]("stale write: {who} had the lock after {writer}")
	LostUpdateOf     = New1[Node]("lost update: what {who} wrote is overwritten")
	LostUpdate       = New0("lost update")
	StuckSince       = New1[Seconds]("stuck: no client has been able to get the lock since {time}")
	IsBroken         = New1[Property]("{property} is broken")
	IsBrokenFor      = New3[Property, Seconds, Seconds]("{property} is broken from {from} to {to}")
)
