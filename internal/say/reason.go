package say

// Why a property is unknown.
var (
	NobodyAcquired = New0("no client acquired the lock", "没有人拿到锁")
	NoRemoval      = New0("no client's command removed an entry", "没有客户端的命令删除过条目")
	WhoseEntry     = New4[Both, Verbatim, Seconds, Optional](
		"it is not known whose entry {command}, sent by {who} at {time}, removed[; the same goes for {more} more]",
		"没有人说得出 {who} 在 {time}发送的 {command} 删除了谁的条目[，另有 {more} 条也一样]")
	NoWriteReached = New0("no write reached the resource", "没有写入到达资源")
	WhetherNewest  = New2[Verbatim, Seconds](
		"it is not known whether {who} was the newest holder when it wrote at {time}",
		"没有人说得出 {who} 在 {time}写入时是不是最新的持有者")
	NoWriteAccepted = New0("the resource accepted no write", "资源没有接受写入")
	WhichRead       = New0("the history does not say which read a write was computed from", "历史没有说明写入是从哪次读取算出来的")
	NoQuietPeriod   = New0("the history has no quiet period", "历史里没有安静期")
	NoProbe         = New0("no probe tried the lock in the quiet period", "安静期里没有探针来试这把锁")
	LeaseUnknown    = New0("the history does not say how long the lease was", "历史没有说明租约多长")
	ProbeTooShort   = New1[Few]("the probe had less than {n} leases to acquire the lock", "探针拿锁的时间不到{n}个租约")
	NoSuchProperty  = New0("no checker judges this property", "没有检查这条性质的检查器")
)

// What a run was meant to test and did not.
var (
	WasCutShort       = New1[Verbatim]("the run was cut short[: {why}]", "运行被中断[：{why}]")
	EndIsMissing      = New1[Number]("the end of the history is missing: it stops after {n} events", "历史缺少结尾：到第 {n} 个事件为止")
	DidWithoutServers = New2[Verbatim, Seconds](
		"{who} took or gave back the lock at {time} without its servers: it had sent them nothing, or changed no entry",
		"{who} 在 {time}没有通过服务器就拿到或还回了锁：它没有向服务器发送任何东西，或没有改动条目")
	NeverLetIn        = New1[Verbatim]("{who} wanted the lock and never got it", "{who} 想要锁，却始终没有拿到")
	NeverFired        = New2[Number, Both]("fault {number} never fired[: {fault}]", "故障 {number} 没有触发[：{fault}]")
	HadNoEffect       = New2[Number, Both]("fault {number} had no effect[: {fault}]", "故障 {number} 没有任何影响[：{fault}]")
	NoContentionAfter = New2[Number, Both]("no clients competed for the lock after fault {number}[: {fault}]", "故障 {number} 之后没有人争锁[：{fault}]")
	NoDrawnHadEffect  = New0("none of the drawn faults had an effect", "抽到的故障都没有任何影响")
	NothingCameOf     = New2[Number, Both]("nothing that anybody could notice came of fault {number} of the list: {fault}", "列表里的故障 {number} 没有造成任何人能察觉的影响：{fault}")
	NoSeedNoticed     = New2[Number, Remarks]("with all {n} seeds, {reasons}", "{n} 个种子都是如此：{reasons}")
	NothingDrawn      = New0("this seed drew no fault", "这个种子没有抽到任何故障")
	NoDrawnContended  = New0("no clients competed for the lock after any of the drawn faults", "抽到的故障之后都没有人争锁")
	NobodyHadToWait   = New0("no client ever had to wait for another", "没有客户端需要等别的客户端")
	HeldWithoutEntry  = New4[Verbatim, Seconds, Seconds, Optional](
		"{who} held the lock from {from} until {to}, perhaps without an entry in the store, and no other client asked for it[; and {more} times more]",
		"{who} 从 {from}到 {to}持有锁，存储里的条目可能已经不在了，却没有人请求锁[；另有 {more} 次]")
	NeverChangedHands = New1[Verbatim]("only {who} ever got the lock", "除了 {who} 没有人拿到过锁")
	WasLeftOut        = New3[Verbatim, Seconds, Seconds](
		"{who} waited in vain from {from} until {to}, and the lock was free",
		"从 {from}到 {to}锁是空闲的，{who} 却没有等到")
	HeldAtOneInstant = New3[Verbatim, Verbatim, Seconds](
		"{who} and {other} both held the lock at {at} and touched the resource in that instant, so it is not known which was first: let work or messages take time",
		"{who} 和 {other} 在 {at}都持有锁，并在这一瞬间碰了资源，谁先谁后无从判断：让工作或消息花些时间")
	NothingPutToTest = New0("nothing was put to the test", "什么都没有经受检验")
	SeveralReasons   = New1[Remarks]("{reasons}", "{reasons}")
	UnknownBecause   = New2[Property, Phrase]("{property} is unknown: {reason}", "{property} 未知：{reason}")
	UnknownIsNotKept = New3[Verbatim, Property, Phrase](
		"{lock}: {property} is unknown, which is not the same as kept: {reason}.",
		"{lock}：{property} 未知，这不算守住：{reason}。")
)

// How the entry of a lock of one's own was followed.
var (
	LockEntry       = New1[Phrase]("entries: {how}", "条目：{how}")
	EntryFollowed   = New1[Verbatim]("followed[, by the key {key}]", "已跟踪[，按键 {key}]")
	EntryUnfollowed = New1[Verbatim](
		"not followed: no single key is the lock's[; its acquisitions wrote {keys}]; whose entry a release removes is unknown",
		"没有跟踪：没有哪一个键是这把锁的[；取锁时写入了 {keys}]；释放时删掉了谁的条目，未知")
	EntryUnread = New0(
		"not followed: what a program sends to this store is not read; whose entry a release removes is unknown",
		"没有跟踪：程序发往这种存储的内容没有读取；释放时删掉了谁的条目，未知")
)

// What runs of a lock of one's own have tried.
var (
	TriedThese = New4[Number, Verbatim, Phrase, Optional](
		"tried: {n} {n|story|stories}[, with {faults}]; {settings}[; {untested} {untested|run|runs} inconclusive]",
		"试过：{n} 个故事[，故障 {faults}]；{settings}[；{untested} 次运行没有结论]")
	TriedWith = New3[Phrase, Phrase, Phrase](
		"a lease of {lease}, work of {work}, a reply awaited for {timeout}",
		"租约 {lease}，工作 {work}，等待回复 {timeout}")
	TriedNothing = New1[Number]("tried: nothing, for none of {n} {n|run|runs} was a test", "试过：没有，{n} 次运行都不是检验")
	NotTried     = New1[Verbatim](
		"not tried: {faults}, two faults at once, other moments, leases, work and timeouts than these",
		"没有试过：{faults}，两个故障同时发生，以及其他的时刻、租约、工作和超时")
	FromTo = New2[Planned, Planned]("{from} to {to}", "{from}至 {to}")
)

// What came of an expectation.
var (
	WasExpected = New3[Property, Verdict, Verdict](
		"{property} was {got}, expected {expected}",
		"{property} 的结果是{got}，预期是{expected}")
	ExpectedToKeepAll = New0(
		"the scenario says nothing about this lock, so it is expected to keep every property",
		"场景没有提到这把锁，所以预期它遵守每条性质")
)
