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

	NeverPausesLonger = New1[Node](
		"{Who} never pauses for longer than the rest of its lease.",
		"{who} 的停顿从不超过租约剩下的时间。")
	PauseOverLease = New3[Seconds, Seconds, Seconds](
		"pause {pause} > lease {lease} - {spent} spent",
		"停顿 {pause} > 租约 {lease} - 已用 {spent}")

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

	AlwaysRemovesItsOwn = New1[Node](
		"{Who} always gets to remove its own entry.",
		"{who} 总有机会删掉自己的条目。")
	OwnerLost = New1[Seconds](
		"time to live: none; owner lost at {time}",
		"存活时间：无；主人在 {time}失联")

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
