package say

// What happened, event by event.

// What clients do and think.
var (
	IsToldOther = New3[Node, Flag, Node](
		"{Who} is told that it holds the lock[enters? and enters]; the store has an entry of {owner}.",
		"{who} 被告知持有锁[enters?，并进入临界区]；存储里是 {owner} 的条目。")
	IsToldNone = New2[Node, Flag](
		"{Who} is told that it holds the lock[enters? and enters]; the store has no entry for it.",
		"{who} 被告知持有锁[enters?，并进入临界区]；存储里没有它的条目。")
	IsGranted = New5[Node, Optional, Flag, OptionalSeconds, Flag](
		"{Who} is granted the lock[ with token {token}][endless? without expiry in the store][ until {end}][enters? and enters].",
		"{who} 获得锁[，令牌 {token}][endless?，存储里没有过期时间][，期限到 {end}][enters?，并进入临界区]。")
	HasItAllTheSame = New1[Node](
		"{Who} believes its attempt failed, but the store has its entry.",
		"{who} 以为这次尝试失败了；存储里照样有它的条目。")
	AttemptFails = New2[Node, Reason](
		"{Who}'s attempt fails: {reason}.",
		"{who} 的尝试失败：{reason}。")
	GivesUp = New1[Node](
		"{Who} gives up: it has waited as long as it could.",
		"{who} 放弃：它已经等到了极限。")
	Enters = New1[Node](
		"{Who} enters its critical section.",
		"{who} 进入临界区。")
	LearnsOfLoss = New2[Node, Flag](
		"{Who} learns that its lock is lost[stops? and stops].",
		"{who} 得知锁已丢失[stops?，停手]。")
	Releases = New1[Node](
		"{Who} releases the lock.",
		"{who} 释放锁。")
	FindsNothing = New2[Node, Flag](
		"{Who}'s release is a no-op[gone?: its entry is gone].",
		"{who} 的释放什么也没做[gone?：它的条目已经没了]。")
	RemovesNothing = New1[Node](
		"{Who}'s release removes nothing, although the store has its entry.",
		"{who} 的释放什么也没删掉，而存储里还有它的条目。")
	ReleaseFailsEntryStays = New1[Node](
		"{Who}'s release fails; the store keeps its entry.",
		"{who} 释放失败；存储还留着它的条目。")
	ReleaseFails = New2[Node, Reason](
		"{Who}'s release fails: {reason}.",
		"{who} 释放失败：{reason}。")
	Writes = New4[Node, Flag, Flag, Optional](
		"{Who}[woke? wakes and] writes[still? all the same][ with token {token}]. The resource takes it.",
		"{who} [woke?醒来并][still?照样]写入[，令牌 {token}]。资源接受了。")
	WriteRefused = New4[Node, Flag, Number, Number](
		"{Who}[woke? wakes and] writes with token {token}. The resource refuses: it has seen {highest}.",
		"{who} [woke?醒来并]写入，令牌 {token}。资源拒绝：它见过 {highest}。")
	Waits = New1[Node](
		"{Who} waits for the lock.",
		"{who} 等待锁。")
	Acquires = New1[Node](
		"{Who} acquires the lock.",
		"{who} 拿到了锁。")
	HearsOfRemoval = New1[Node](
		"{Who} hears that its release removed an entry.",
		"{who} 得知它的释放删掉了一个条目。")
	HasPlayed = New1[Node](
		"{Who} has played all its rounds.",
		"{who} 做完了所有轮次。")
	Reads = New1[Node](
		"{Who} reads the resource.",
		"{who} 读资源。")
	Sends = New2[Node, Command](
		"{Who} sends {command}.",
		"{who} 发出 {command}。")
	HasReply = New2[Node, Node](
		"{Who} has a reply from {server}.",
		"{who} 收到{server}的回复。")
	Executes = New2[Node, Node](
		"{Who} executes a command of {client}.",
		"{who}执行了 {client} 的命令。")
	// Happens is for an event without a sentence of its own.
	Happens = New3[Node, Verbatim, Verbatim](
		"{Who}: {kind}[ ({peer})].",
		"{who}：{kind}[（{peer}）]。")
)

// What the servers have.
var (
	HasNewEntry = New2[Node, Node](
		"{Who} has a new entry of {owner}.",
		"{who}有了 {owner} 的新条目。")
	Grants = New3[Node, Node, Seconds](
		"{Who} grants {owner} the lock until {end}. {Owner} does not know yet.",
		"{who}把锁授予 {owner}，期限到 {end}。{owner} 还不知道。")
	GrantsEndless = New3[Node, Node, Flag](
		"{Who} grants {owner} the lock[endless? without expiry in the store]. {Owner} does not know yet.",
		"{who}把锁授予 {owner}[endless?，存储里没有过期时间]。{owner} 还不知道。")
	ExtendsForeign = New4[Node, Command, Node, Phrase](
		"{Who}'s {command} extends {owner}'s entry: {end}.",
		"{who} 的 {command} 延长了 {owner} 的条目：{end}。")
	ExtendsItself = New3[Node, Node, Phrase](
		"{Who} starts the lease of {owner}'s entry afresh: {end}.",
		"{who}让 {owner} 条目的租约重新开始：{end}。")
	Renews = New2[Node, Seconds](
		"{Who} renews its lease until {end}.",
		"{who} 续期，租约到 {end}。")
	HasRenewed = New3[Node, Times, OptionalSeconds](
		"{Who} has renewed its lease {n}, the last time until {end}.",
		"{who} 已经续期 {n}，最近一次到 {end}。")
	RenewsWithoutLock = New3[Node, Times, OptionalSeconds](
		"{Who} does not hold the lock, and has renewed its entry {n}, the last time until {end}.",
		"{who} 没有持有锁，却给自己的条目续期 {n}，最近一次到 {end}。")
	WritesItAnew = New2[Node, OptionalTimes](
		"{Who} writes its entry again[, {n}].",
		"{who} 再次写自己的条目[，共 {n}]。")
	SetsLease = New2[Node, Phrase](
		"{Who} sets the lease of its entry: {end}.",
		"{who} 设定自己条目的租约：{end}。")
	HasNoEndNow  = New0("it no longer expires", "它不再过期")
	StaysAsItWas = New0("it still has no end in the store", "在存储里它还是没有期限")
	EndsAtNow    = New1[Seconds]("it now ends at {end}", "现在到 {end}结束")
	RemovesOwn   = New2[Node, Command](
		"{Who}'s {command} removes its own entry.",
		"{who} 的 {command} 删掉了自己的条目。")
	RemovesForeign = New3[Node, Command, Node](
		"{Who}'s {command} removes {owner}'s entry.",
		"{who} 的 {command} 删掉了 {owner} 的条目。")
	RemovesItself = New3[Node, Node, Flag](
		"{Who} removes {owner}'s entry.[untold? {owner} is not told.]",
		"{who}删掉了 {owner} 的条目。[untold?{owner} 并不知情。]")
	LeaseEnds = New2[Flag, Node](
		"The lease ends.[untold? {owner} is not told.]",
		"租约结束。[untold?{owner} 并不知情。]")
	LeaseEndsOn = New3[Node, Verbatim, Flag](
		"The lease of {owner} ends on {server}.[untold? {owner} is not told.]",
		"{owner} 的租约在 {server} 上结束。[untold?{owner} 并不知情。]")
	LeaseIsOver = New1[Node](
		"{Who}'s entry expires: its lease is over.",
		"{who} 的条目过期；它的租约结束了。")
	SessionEnds = New2[Node, Flag](
		"{Who}'s session ends, and its entry with it.[untold? {Who} is not told.]",
		"{who} 的会话结束，它的条目也随之消失。[untold?{who} 并不知情。]")
	HasLostEntry = New3[Node, Node, Flag](
		"{Who} has lost {owner}'s entry.[untold? {owner} is not told.]",
		"{who}丢失了 {owner} 的条目。[untold?{owner} 并不知情。]")
	CreatesEntry = New2[Node, Node](
		"{Who} creates an entry for {owner}.",
		"{who}为 {owner} 创建条目。")
	ExtendsEntry = New2[Node, Node](
		"{Who} extends the entry of {owner}.",
		"{who}延长 {owner} 的条目。")
	RemovesEntry = New2[Node, Node](
		"{Who} removes the entry of {owner}.",
		"{who}删掉 {owner} 的条目。")
	CopiesEntry = New2[Node, Node](
		"{Who} copies the entry of {owner}.",
		"{who}复制 {owner} 的条目。")
)

// Faults and processes.
var (
	FaultBegins = New2[Number, Both](
		"Fault {number} begins[: {fault}].",
		"故障 {number} 开始[：{fault}]。")
	LinksWork = New1[Number](
		"The links work again (fault {number}); what they held back arrives now.",
		"链路恢复（故障 {number}）；滞留的消息此时到达。")
	FaultIsOver = New1[Number](
		"Fault {number} is over.",
		"故障 {number} 结束。")
	Freezes = New4[Node, OptionalSpan, Phrase, Optional](
		"{Who} freezes[ for {length}][ {between}][ (fault {number})].",
		"{who} 冻结[ {length}][，{between}][（故障 {number}）]。")
	BetweenCommands = New2[Command, Command](
		"between {before} and {after}",
		"在 {before} 和 {after} 之间")
	Wakes = New2[Node, Flag](
		"{Who} wakes.[believes? It does not know that time has passed.]",
		"{who} 醒来。[believes?它不知道时间已经过去。]")
	Crashes = New3[Node, Optional, Phrase](
		"{Who} crashes[ (fault {number})].[ {then}]",
		"{who} 崩溃[（故障 {number}）]。[{then}]")
	IsLostWithHost = New3[Node, Optional, Phrase](
		"{Who} is lost with its host[ (fault {number})]. Its connections stay open.[ {then}]",
		"{who} 连同它的主机一起失联[（故障 {number}）]。它的连接还开着。[{then}]")
	OthersHaveIt     = New0("The others have everything it had.", "它有的，其他几台都有。")
	ReplicaHasEntry  = New1[Node]("A replica has {owner}'s entry, too.", "有一个副本也有 {owner} 的条目。")
	NoReplicaHas     = New1[Node]("No replica has {owner}'s entry yet.", "{owner} 的条目还没有复制到任何副本。")
	EntryStays       = New1[Flag]("Its entry stays[endless?: it has no expiry in the store].", "它的条目留着[endless?：存储里没有过期时间]。")
	EntryStaysUntil  = New1[Seconds]("Its entry stays until {end}.", "它的条目留到 {end}。")
	RestartsAsClient = New2[Node, Optional](
		"{Who} restarts[ (fault {number})] and starts from the beginning.",
		"{who} 重启[（故障 {number}）]，从头开始。")
	Restarts = New4[Node, Optional, Names, Flag](
		"{Who} restarts[ (fault {number})][ without {owners}'s entry].[untold? It does not tell {owners}.]",
		"{who} 重启[（故障 {number}）][，{owners} 的条目没了]。[untold?没有告诉 {owners}。]")
	BecomesLeader = New2[Node, Optional](
		"{Who} becomes the leader[ (fault {number})]. It has everything the leader before it had.",
		"{who} 成为领导者[（故障 {number}）]。前一个领导者有的，它都有。")
	BecomesOtherPrimary = New3[Node, Verbatim, Optional](
		"{Who} becomes the primary of another shard, in place of {old}[ (fault {number})].",
		"{who} 接替 {old}，成为另一个分片的主节点[（故障 {number}）]。")
	BecomesPrimary = New4[Node, Optional, Verbatim, Names](
		"{Who} becomes the primary[ (fault {number})][, although {old} is still running].[ It has no entry of {missing}.]",
		"{who} 成为主节点[（故障 {number}）][，而 {old} 还在运行]。[它没有 {missing} 的条目。]")
	BecomesReplica = New2[Node, Verbatim](
		"{Who} becomes a replica of {primary} and forgets what only it knew.",
		"{who} 成为 {primary} 的副本，忘掉了只有它知道的。")
	ClockJumps = New2[Node, Span](
		"{Who}'s wall clock jumps forward by {by}.",
		"{who} 的墙上时钟突然快了 {by}。")
	ClockJumpsBack = New2[Node, Span](
		"{Who}'s wall clock jumps back by {by}.",
		"{who} 的墙上时钟突然慢了 {by}。")
	RunsAgain = New1[Node](
		"{Who} runs again.",
		"{who} 又在运行。")
	FaultsAreOver    = New0("All faults are over.", "所有故障都结束了。")
	ShouldBecomeFree = New0(
		"All faults are over. The lock should become free within ten leases.",
		"所有故障都结束了。锁应该在十个租约之内重新可用。")
)

// The wire.
var (
	IsExecutedLate = New3[Node, Command, Span](
		"{Who}'s {command} is executed only now, {late} after it was sent.",
		"{who} 的 {command} 现在才执行，发出之后过了 {late}。")
	ArrivesLate = New4[Node, Command, Node, Span](
		"{Who}'s {command} reaches {server} only now, {late} after it was sent.",
		"{who} 的 {command} 现在才到达{server}，发出之后过了 {late}。")
	HearsLate = New3[Node, Command, Span](
		"{Who} gets the reply to its {command} only now, {late} after it was executed.",
		"{who} 现在才收到 {command} 的回复，执行之后过了 {late}。")
	GivesUpReply = New2[Node, Command](
		"{Who} gives up on the reply to its {command}.",
		"{who} 不再等 {command} 的回复。")
	RequestIsLost = New4[Node, Command, Node, Optional](
		"{Who}'s {command} is lost on its way to {server}[ (fault {number})].",
		"{who} 的 {command} 在去往{server}的路上丢失[（故障 {number}）]。")
	ReplyIsLost = New4[Node, Node, Command, Optional](
		"{Who} executes {client}'s {command}, but the reply is lost[ (fault {number})].",
		"{who}执行了 {client} 的 {command}，但回复丢失[（故障 {number}）]。")
)

// Re-entry.
var (
	AsksAgain = New1[Node](
		"{Who} asks again for the lock it already holds.",
		"{who} 再次要锁，而它已经持有。")
	TakesOnceMore = New3[Node, Optional, OptionalSpan](
		"{Who} takes the lock again[, {depth} deep][, {late} after it asked].",
		"{who} 又拿了一次锁[，第 {depth} 层][，在开口 {late}之后]。")
	IsInItsOwnWay = New1[Node](
		"{Who} cannot take the lock again: its own entry is in the way.",
		"{who} 没能再拿一次锁：挡路的是它自己的条目。")
	NotOnceMore = New2[Node, Reason](
		"{Who} cannot take the lock again: {reason}.",
		"{who} 没能再拿一次锁：{reason}。")
	InnerReleaseFails = New2[Node, Reason](
		"{Who}'s inner release fails: {reason}.",
		"{who} 的内层释放失败：{reason}。")
	GivesBackOnce = New1[Node](
		"{Who} gives the lock back once and goes on.",
		"{who} 还了一次锁，继续工作。")
)
