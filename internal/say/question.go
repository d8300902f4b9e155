package say

// What a reader is asked before the story is told, and what is said of the answers.
var (
	WhatGoesWrong = New1[Verbatim]("{lock}: what goes wrong?", "{lock}：会出什么问题？")
	WhatNext      = New3[Verbatim, Seconds, Phrase](
		"{lock}, at {time}: {before} What goes wrong next?",
		"{lock}，{time}：{before}接下来会出什么问题？")
	ReliedOnWhat = New1[Verbatim](
		"{lock} relied on something that was not true. On what?",
		"{lock} 依赖的某件事并不成立。是什么？")
	WhichKeeps = New1[Property](
		"The same faults, the same seed, another lock. Which of these keeps {property}?",
		"故障相同，种子相同，换一把锁。哪一把守得住 {property}？")

	InsideTogether = New2[Both, Both](
		"{who} and {other} are inside at the same time.",
		"{who} 和 {other} 同时在里面。")
	TakesAway = New2[Both, Both](
		"A release by {who} takes away the lock of {other}.",
		"{who} 的释放拿走了 {other} 的锁。")
	WritesTooLate = New2[Both, Both](
		"{who} writes although {other} got the lock after it, and the resource takes the write.",
		"{other} 在 {who} 之后拿到锁，{who} 仍然写入，资源接受了。")
	Overwrites = New2[Both, Both](
		"{who} overwrites what {other} wrote, without having seen it.",
		"{who} 没看到 {other} 写的就把它覆盖了。")
	NobodyGetsIn  = New0("The lock is stuck: no client can get it any more.", "锁卡死了：再也没有人能拿到。")
	NothingBreaks = New0("Nothing: every property is kept to the end.", "没有：所有性质都守到最后。")
	NoneOfThem    = New0("None of them.", "都不是。")
)

var (
	Yes       = New0("Yes.", "对。")
	YesAt     = New3[Seconds, Phrase, Phrase]("Yes, at {time}: {sentence} {Note}.", "对，在 {time}：{sentence}{note}。")
	YesFor    = New1[Phrase]("Yes: {formula}.", "对：{formula}。")
	YesIsKept = New1[Property]("Yes: {property} is kept.", "对：{property} 守住了。")
	NotYet    = New2[Property, Seconds](
		"Not yet: {property} breaks only at {time}.",
		"还没有：{property} 到 {time}才被破坏。")
	NoIsKept    = New1[Property]("No: {property} is kept in this run.", "错：{property} 在这次运行里守住了。")
	NoIsBroken  = New1[Property]("No: {property} is broken.", "错：{property} 被破坏。")
	NoThisHeld  = New1[Phrase]("No, this held: {figure}.", "错，这一条成立：{figure}。")
	NoBrokenToo = New2[Property, Verbatim](
		"No: {property} is broken, as with {lock}.",
		"错：{property} 被破坏，和 {lock} 一样。")
	NoBrokenHere = New1[Property]("No: {property} is broken here as well.", "错：{property} 在这里也被破坏。")
	NoThisBroke  = New0("No: this is the lock that broke it.", "错：破坏它的正是这把锁。")
	YesAllBreak  = New0(
		"Yes: each of them breaks it here. The cure is elsewhere: see what to change below.",
		"对：它们在这里都会破坏它。办法在别处：看下面改什么。")
)

// What a lock may rest on, and the figures of the run.
var (
	NobodyStandsStill = New0("No client pauses for longer than a lease", "没有客户端停顿得比租约还久")
	LongestStandstill = New2[Seconds, Seconds]("longest pause {time}, lease {lease}", "最长停顿 {time}，租约 {lease}")
	EveryHolderIsDone = New0("Every holder finishes within a lease", "每个持有者都在租约之内做完")
	LongestHold       = New2[Seconds, Seconds]("longest hold {time}, lease {lease}", "最长持有 {time}，租约 {lease}")
	EveryMessageComes = New0("Every message arrives, and on time", "每条消息都到达，而且及时")
	MessagesLost      = New3[Number, Number, Number](
		"{lost} lost, {timeouts} response timeouts, {late} faults that delay messages",
		"丢失 {lost} 条，回复超时 {timeouts} 次，压住消息的故障 {late} 个")
	ClocksAgree         = New0("All clocks show the same time", "所有时钟显示同样的时间")
	LargestOffset       = New1[Seconds]("largest offset {time}", "最大偏差 {time}")
	StoreForgetsNothing = New0("The store forgets nothing that it has confirmed", "存储不会忘记它确认过的")
	EntriesLost         = New3[Number, Number, Number](
		"{n} entries forgotten, {crashes} crashes, {promotions} promotions",
		"忘记 {n} 个条目，崩溃 {crashes} 次，提升 {promotions} 次")
	NobodyDies       = New0("No client dies", "没有客户端死亡")
	Deaths           = New1[Number]("{n} deaths", "{n} 次死亡")
	OnlyOwnersRemove = New0("Only its owner removes an entry", "除了主人，没有人删除条目")
	ForeignRemovals  = New1[Number]("{n} foreign removals", "删除别人的条目 {n} 次")
	NotTestedAgainst = New1[Remarks](
		"No run put these to the test, so they may be what a lock relied on: {premises}.",
		"下面这些，没有一把锁经受过它的反面：{premises}。")
)

// What to change.
var (
	AnotherBrokeNothing = New1[Verbatim](
		"Another lock. {lock} broke nothing with the same seed and faults.",
		"换一把锁。同样的种子和故障，{lock} 没有破坏什么。")
	AnotherBrokeOne = New1[Verbatim](
		"Another lock. {lock} broke only one property.",
		"换一把锁。{lock} 只破坏了一条性质。")
	AnotherBrokeFew = New2[Verbatim, Number](
		"Another lock. {lock} broke only {n} properties.",
		"换一把锁。{lock} 只破坏了 {n} 条性质。")
	LongerLease   = New2[Planned, Planned]("A longer lease: {new} instead of {old}.", "更长的租约：{new}，而不是 {old}。")
	ShorterFault  = New2[Planned, Planned]("A shorter fault: {new} instead of {old}.", "更短的故障：{new}，而不是 {old}。")
	NoLag         = New0("Replication without lag.", "复制没有延迟。")
	CompareTokens = New0("A resource that compares tokens.", "让资源比较令牌。")
)

// Stop makes a sentence of a phrase.
var Stop = New1[Phrase]("{what}.", "{what}。")
