package say

// Assumptions that a run has proved false, and behind each the formulas that prove it.
var (
	SessionLasts = New1[Node](
		"The session of {who} lasts until {who} ends it.",
		"{who} 的会话一直持续到 {who} 自己结束它。")
	SessionEndedAfter = New1[Seconds](
		"session ended {time} after the grant",
		"授予之后 {time}会话就结束了")

	StoreClockIsRight = New0(
		"The store's clock runs as fast as true time.",
		"存储的时钟走得和真实时间一样快。")
	ClockStep = New3[Seconds, Seconds, Seconds](
		"clock step {step} > lease {lease} - {spent} spent",
		"时钟跳了 {step} > 租约 {lease} - 已用 {spent}")
	LeaseEndedAfter = New2[Seconds, Seconds](
		"lease {lease} ended after {time}",
		"{lease}的租约在 {time}后就结束了")

	HearsInTime = New1[Node](
		"{Who} hears that it has the lock while it still has it.",
		"{who} 得知拿到锁时，锁还在它手里。")
	ReplyAfter = New2[Seconds, Seconds](
		"reply {time} after the grant > lease {lease}",
		"授予之后 {time}才回复 > 租约 {lease}")

	ReplyLeavesTime = New1[Node](
		"{Who} hears that it has the lock early enough to do its work.",
		"{who} 得知拿到锁时，剩下的时间够它做完工作。")
	ReplyAndWork = New3[Seconds, Seconds, Seconds](
		"reply {reply} after the grant + held for {work} > lease {lease}",
		"授予之后 {reply}才回复 + 持有 {work} > 租约 {lease}")

	NeverPausesLonger = New1[Node](
		"{Who} never pauses for longer than the rest of its lease.",
		"{who} 的停顿从不超过租约剩下的时间。")
	PauseOverLease = New3[Seconds, Seconds, Seconds](
		"pause {pause} > lease {lease} - {spent} spent",
		"停顿 {pause} > 租约 {lease} - 已用 {spent}")

	PausesLeaveTime = New1[Node](
		"{Who} pauses for no longer than its work leaves of the lease.",
		"{who} 的停顿不超过工作之后租约剩下的时间。")
	PausesAndWork = New3[Seconds, Seconds, Seconds](
		"paused for {pause} + {rest} without it > lease {lease}",
		"停顿 {pause} + 其余 {rest} > 租约 {lease}")
	CheckIsTheWrite = New1[Node](
		"{Who}'s check of its lease and its write are one step.",
		"{who} 检查租约和写入是一步。")
	WritesAfterTheEnd = New4[Seconds, Node, Seconds, Seconds](
		"pause {pause} between the two: {who} writes at {time} > end of the lease at {end}",
		"两步之间停顿 {pause}：{who} 在 {time}写入 > 租约在 {end}结束")

	RenewalsArrive = New1[Node](
		"{Who}'s renewals reach the store before its lease ends.",
		"{who} 的续期在租约结束之前到达存储。")
	RenewalArrivesLate = New4[Command, Seconds, Seconds, Seconds](
		"{command} sent at {sent}, executed at {done} > end of the lease at {end}",
		"{command} 在 {sent}发出，{done}才执行 > 租约在 {end}结束")
	RenewalNeverArrives = New3[Command, Seconds, Seconds](
		"{command} sent at {sent} never arrives; the lease ends at {end}",
		"{command} 在 {sent}发出，一直没有到达；租约在 {end}结束")
	ToldAfter = New4[Node, Seconds, Node, Seconds](
		"{who} hears of the loss at {told}, {other} is in since {since}",
		"{who} 在 {told}得知锁已丢失，{other} 从 {since}起就在里面")
	RenewsUntilDone = New1[Node](
		"{Who} renews its lease until its work is done.",
		"{who} 一直续期，直到做完工作。")
	HearsOfTheLoss = New1[Node](
		"{Who} hears of its loss before another client gets the lock.",
		"{who} 在别的客户端拿到锁之前得知自己丢了锁。")
	LossToldLate = New5[Seconds, Node, Seconds, Node, Seconds](
		"lease over at {end}, {other} in at {since}, {who} told at {told}",
		"租约在 {end}结束，{other} 在 {since}进入，{who} 在 {told}得知")
	GetsTheWholeLease = New0(
		"An entry lasts as long as the lease that was asked for.",
		"条目的存活时间就是所要的租约。")
	LastsOnly = New3[Node, Seconds, Seconds](
		"{who}'s entry was made to last {ttl}; the lease is {lease}",
		"{who} 的条目设定了 {ttl}；租约是 {lease}")

	OwnClockIsRight = New1[Node](
		"{Who}'s own clock runs as fast as the store's.",
		"{who} 自己的时钟和存储的走得一样快。")
	ClientClocksAgree = New2[Node, Node](
		"The clocks of {who} and {owner} agree.",
		"{who} 和 {owner} 的时钟一致。")
	OwnClockShows = New2[Node, Seconds](
		"by {who}'s own clock {time}",
		"按 {who} 自己的时钟是 {time}")
	ClockIsAhead = New3[Node, Node, Seconds](
		"{who}'s clock is ahead of {owner}'s by {ahead}",
		"{who} 的时钟比 {owner} 的快 {ahead}")

	IsDoneInTime = New1[Node](
		"{Who} finishes its work before its lease ends.",
		"{who} 在租约结束之前做完工作。")
	HeldSinceGrant = New2[Seconds, Seconds](
		"held for {time} since the grant > lease {lease}",
		"授予之后持有了 {time} > 租约 {lease}")
	HeldSinceRenewal = New2[Seconds, Seconds](
		"held for {time} since the last renewal > lease {lease}",
		"上次续期之后持有了 {time} > 租约 {lease}")

	OutlivesThePrimary = New0(
		"What the primary has confirmed outlives the primary.",
		"主节点确认过的，主节点没了也还在。")
	NeverReplicated = New0(
		"the primary keeps it only in memory; no replica ever hears of it",
		"主节点只把它放在自己的内存里；副本永远听不到")
	YoungerThanLag = New2[Seconds, OptionalSeconds](
		"entry created {age} before the crash < replication lag[ {lag}]",
		"创建条目到崩溃只有 {age} < 复制延迟[ {lag}]")

	RemovesOnlyItsOwn = New1[Node](
		"The entry that {who} removes is its own.",
		"{who} 删掉的条目是它自己的。")
	RemovedAfterOwnEnd = New4[Command, Seconds, Seconds, Seconds](
		"{command} at {time} > own entry's end at {end} ({late} later)",
		"{command} 在 {time} > 自己的条目在 {end}结束（晚了 {late}）")

	RemovedWithoutOne = New5[Command, Seconds, Node, Seconds, Node](
		"{command} at {time} removes {owner}'s entry of {from}; {who} had none",
		"{command} 在 {time}删掉 {owner} 在 {from}的条目；{who} 没有条目")
	RemovesWhenDone = New1[Node](
		"{Who}'s own commands remove its entry only when {who} is done.",
		"{who} 自己的命令只在它做完之后才删掉它的条目。")
	RemovedWhileInside = New5[Command, OptionalSeconds, Seconds, Node, Seconds](
		"{command}[ sent at {sent}] removes it at {time}; {who} is in since {since}",
		"{command}[ 在 {sent}发出，] 在 {time}删掉了它；{who} 从 {since}起就在里面")
	CheckStillHolds = New1[Node](
		"What {who} has checked is still so when it acts.",
		"{who} 检查过的，到它动手时还是那样。")
	ActsOnOldCheck = New6[Command, Seconds, Node, Seconds, Command, Seconds](
		"{check} at {checked} < {owner}'s entry of {from} < {act} at {time}",
		"{check} 在 {checked} < {owner} 的条目在 {from} < {act} 在 {time}")
	TakesAwayWhatIsOver = New2[Node, Node](
		"When {who} takes the lock away, {owner} has no more use for it.",
		"{who} 把锁拿走时，{owner} 已经不再需要它。")
	EndsForeign = New5[Node, Command, Seconds, Node, Seconds](
		"{who}'s {command} at {time} ends {owner}'s entry, which is {age} old",
		"{who} 的 {command} 在 {time}结束了 {owner} 的条目，它才 {age}")

	HasAnEntry = New1[Node](
		"{Who} holds the lock only if the store has its entry.",
		"存储里有 {who} 的条目，它才持有锁。")
	NoEntry = New2[Node, Seconds](
		"{who} is in since {time}, and the store never had an entry of it",
		"{who} 从 {time}起就在里面，存储里从没有过它的条目")
	WaitsForTheEntry = New2[Node, Node](
		"{Who} gets the lock only when {owner}'s entry is gone.",
		"{owner} 的条目没了，{who} 才拿到锁。")
	EntryIsThere = New4[Node, Seconds, Seconds, Node](
		"{owner}'s entry of {from} is still there at {time}, when {who} gets in",
		"{owner} 在 {from}的条目，到 {time}{who} 进入时还在")

	CopiedElsewhere = New1[List](
		"the entry was on {replicas}, and another replica became the primary",
		"条目复制到了 {replicas}，成为主节点的却是另一个副本")

	OnePrimary = New0(
		"There is only one primary at a time.",
		"同一时刻只有一个主节点。")
	TwoPrimaries = New4[Verbatim, Seconds, Verbatim, Seconds](
		"{old} granted the entry at {time}, {new} has been the primary since {since}",
		"{old} 在 {time}授予条目，{new} 从 {since}起就是主节点")

	PrimaryKnowsAll = New0(
		"A new primary knows every entry of the old one.",
		"新的主节点知道旧的主节点的每个条目。")
	NotReplicated = New2[Seconds, Verbatim](
		"entry created {age} before {new} was promoted, and not replicated",
		"条目在 {new} 被提升之前 {age}创建，没有复制出去")

	StoreKeepsEntries = New0(
		"The store keeps an entry until its lease ends or its owner releases it.",
		"存储会留着条目，直到租约结束或主人释放它。")
	DroppedAfter = New2[Seconds, OptionalSeconds](
		"dropped {time} after the grant[, {left} before the end of its lease]",
		"授予之后 {time}被丢掉[，离租约结束还有 {left}]")

	OutlivesARestart = New0(
		"What the store has confirmed survives its restart.",
		"存储确认过的，重启之后还在。")
	BackWithoutIt = New3[Seconds, Verbatim, Seconds](
		"entry created at {time}, {server} back without it at {back}",
		"条目在 {time}创建，{server} 在 {back}回来时没有它")

	DemotedKeepsAll = New0(
		"A primary that becomes a replica keeps what it has confirmed.",
		"主节点变成副本，它确认过的也还在。")
	FollowsSince = New4[Seconds, Verbatim, Verbatim, Seconds](
		"entry created at {time}, {old} follows {new} since {since}",
		"条目在 {time}创建，{old} 从 {since}起跟随 {new}")
)

// What everybody waits for when a lock is stuck.
var (
	AlwaysRemovesItsOwn = New1[Node](
		"{Who} always gets to remove its own entry.",
		"{who} 总有机会删掉自己的条目。")
	HasNoEnd = New3[Node, Seconds, Phrase](
		"all wait for {who}'s entry of {from}, which has no end[; {why}]",
		"都在等 {who} 在 {from}的条目，它没有期限[；{why}]")
	ComesOut = New1[Node](
		"{Who} comes out of its critical section.",
		"{who} 会离开临界区。")
	StaysInside = New3[Node, Seconds, OptionalTimes](
		"all wait for {who}, which is in since {since}[; its lease was renewed {n}]",
		"都在等 {who}，它从 {since}起就在里面[；租约续了 {n}]")
	ExtendsOnlyItsOwn = New1[Node](
		"The entry that {who} extends is its own.",
		"{who} 延长的条目是它自己的。")
	KeptByOther = New5[Node, Seconds, Node, Command, Seconds](
		"all wait for {owner}'s entry of {from}; {who}'s {command} extends it, last at {time}",
		"都在等 {owner} 在 {from}的条目；{who} 的 {command} 在延长它，最近一次在 {time}")
	StopsRenewing = New1[Node](
		"{Who} renews its entry only while it holds the lock.",
		"{who} 只在持有锁时续期。")
	KeptByItself = New5[Node, Seconds, Times, Seconds, Phrase](
		"all wait for {who}'s entry of {from}; {who} renews it {n}, last at {time}[; {why}]",
		"都在等 {who} 在 {from}的条目；{who} 续期 {n}，最近一次在 {time}[；{why}]")
	CrashedAt       = New2[Node, Seconds]("{who} crashed at {time}", "{who} 在 {time}崩溃")
	AttemptFailedAt = New2[Node, Seconds]("{who} believes since {time} that its attempt failed", "{who} 从 {time}起以为尝试失败了")
	ReleaseFailedAt = New2[Node, Seconds]("{who}'s release failed at {time}", "{who} 的释放在 {time}失败")
	GaveUpAt        = New2[Node, Seconds]("{who} gave up at {time}", "{who} 在 {time}放弃")
	ToldOfLossAt    = New2[Node, Seconds]("{who} was told at {time} that it had lost the lock", "{who} 在 {time}被告知丢了锁")
	LeftAt          = New2[Node, Seconds]("{who} had done with it at {time}", "{who} 在 {time}已经用完")
	DiedWaiting     = New2[Node, Seconds]("{who} crashed at {time} while it waited", "{who} 在 {time}等锁时崩溃")
	RemovalsOutlive = New0("What has been removed on the primary stays removed.", "主节点上删掉的，不会再回来。")
	CameBack        = New5[Node, Verbatim, Seconds, Verbatim, Seconds](
		"all wait for {who}'s entry, removed on {old} at {time}; {new} had a copy when promoted at {since}",
		"都在等 {who} 的条目：{old} 在 {time}删掉了它，{new} 在 {since}被提升时还有副本")
	StoreComesBack = New0("A store that goes down comes back.", "倒下的存储会回来。")
	StoreDownSince = New2[Node, Seconds]("{who} is down since {time}", "{who}从 {time}起就不在")
	FreeCanBeHad   = New0("While no entry is in the way, a client gets the lock.", "没有条目挡路时，客户端能拿到锁。")
	GivenBack      = New3[Node, Times, Phrase](
		"the store gives {who} an entry {n}, and {who} gives it back[: {why}]",
		"存储给了{who}条目 {n}，{who}又还了回去[：{why}]")
	UponTheReply = New2[Command, Reason](
		"{command}: {reply}",
		"{command}：{reply}")
	AttemptsFail = New3[Node, Times, Reason](
		"{who} asks {n}; its attempts fail: {reason}",
		"{who}问了 {n}；尝试都失败：{reason}")
	AsksInVain = New4[Node, Times, Command, Reason](
		"{who} asks {n}; the reply to its last {command}: {reply}",
		"{who}问了 {n}；最后一次 {command} 的回复：{reply}")
	HearsItIsFree = New1[Node](
		"{Who} hears when the lock becomes free.",
		"锁可用时，{who}会得知。")
	AskedLast = New4[Node, Seconds, Command, Reason](
		"no entry is in the way; {who} asks for the last time at {time}: {command} (reply: {reply})",
		"没有条目挡路；{who}最后一次在 {time}问：{command}（回复：{reply}）")
	NeverAsks = New1[Node](
		"no entry is in the way, and {who} sends nothing",
		"没有条目挡路，而{who}什么都没发")
)
