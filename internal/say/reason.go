package say

// Why a property is unknown.
var (
	NobodyAcquired = New0("nobody acquired the lock", "没有人拿到锁")
	NoRemoval      = New0("no client's command removed an entry", "没有客户端的命令删除过条目")
	WhoseEntry     = New4[Both, Verbatim, Seconds, Optional](
		"nobody can tell whose entry {command}, sent by {who} at {time}, removed[; the same goes for {more} more]",
		"没有人说得出 {who} 在 {time}发送的 {command} 删除了谁的条目[，另有 {more} 条也一样]")
	NoWriteReached = New0("no write reached the resource", "没有写入到达资源")
	WhetherNewest  = New2[Verbatim, Seconds](
		"nobody can tell whether {who} was the newest holder when it wrote at {time}",
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
	NeverFired        = New2[Number, Both]("fault {number} never fired[: {fault}]", "故障 {number} 没有触发[：{fault}]")
	HadNoEffect       = New2[Number, Both]("fault {number} had no effect[: {fault}]", "故障 {number} 没有任何影响[：{fault}]")
	NoContentionAfter = New2[Number, Both]("nobody contended for the lock after fault {number}[: {fault}]", "故障 {number} 之后没有人争锁[：{fault}]")
	NoDrawnHadEffect  = New0("none of the drawn faults had an effect", "抽到的故障都没有任何影响")
	NothingDrawn      = New0("this seed drew no fault", "这个种子没有抽到任何故障")
	NoDrawnContended  = New0("nobody contended for the lock after any of the drawn faults", "抽到的故障之后都没有人争锁")
	NobodyHadToWait   = New0("no client ever had to wait for another", "没有客户端需要等别的客户端")
	NothingPutToTest  = New0("nothing was put to the test", "什么都没有经受检验")
	SeveralReasons    = New1[Remarks]("{reasons}", "{reasons}")
	UnknownBecause    = New2[Verbatim, Phrase]("{property} is unknown: {reason}", "{property} 未知：{reason}")
	UnknownIsNotKept  = New3[Verbatim, Verbatim, Phrase](
		"{lock}: {property} is unknown, which is not the same as kept: {reason}.",
		"{lock}：{property} 未知，这不算守住：{reason}。")
)

// What came of an expectation.
var (
	WasExpected = New3[Verbatim, Verdict, Verdict](
		"{property} was {got}, expected {expected}",
		"{property} 的结果是{got}，预期是{expected}")
	ExpectedToKeepAll = New0(
		"the scenario says nothing about this lock, so it is expected to keep every property",
		"场景没有提到这把锁，所以预期它遵守每条性质")
)
