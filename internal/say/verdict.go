package say

// What a lock did in a run, in one sentence.
var (
	NothingToJudge = New0("There is no history to judge.", "没有历史可以评判。")
	NotJudged      = New1[Verbatim]("{lock} was not judged.", "{lock} 没有评判。")
	DidDamage      = New4[Verbatim, Clauses, Optional, Phrase](
		"{lock} {damage}[; the fence refused {n} {n|write|writes}][: {impact}].",
		"{lock} {damage}[；防护拒绝了 {n} 次写入][：{impact}]。")
	BrokeNothing = New2[Verbatim, Phrase](
		"{lock} broke nothing, but {unknown}.",
		"{lock} 没有破坏什么，但是 {unknown}。")
	Kept = New3[Verbatim, Number, Optional](
		"{lock} kept every property over {n} {n|acquisition|acquisitions}[; the fence refused {writes} {writes|write|writes}].",
		"{lock} 守住了所有性质，共授予 {n} 次[；防护拒绝了 {writes} 次写入]。")
	IsUnknown = New2[Property, Phrase](
		"{property} is unknown[, since {reason}]",
		"{property} 未知[：{reason}]")
)

// What a broken property came to.
var (
	LetIn = New2[Few, Span](
		"let {n} clients in at once for {time}",
		"让{n}个客户端同时在里面，持续 {time}")
	LetInTimes = New3[Few, Number, Span](
		"let {n} clients in at once, {times} times ({time} in total)",
		"{times} 次让{n}个客户端同时在里面（共 {time}）")
	ReleasedForeign     = New1[Times]("released another client's lock {times}", "释放了别人的锁 {times}")
	AcceptedStaleWrites = New1[Number]("accepted {n} stale {n|write|writes}", "接受了 {n} 次过期写")
	LostUpdates         = New1[Number]("lost {n} {n|update|updates}", "丢失了 {n} 次更新")
	LeftStuck           = New0("left the lock stuck", "让锁卡死了")
	Broke               = New2[Property, Times]("broke {property} {times}", "破坏 {property} {times}")
)

// What a run did to the data, in a word or two, and where the lock broke.
var (
	ImpactKept    = New0("kept", "守住")
	ImpactSafe    = New0("data safe", "数据安全")
	ImpactDamaged = New0("data damaged", "数据受损")
	ImpactOf      = New2[Phrase, List]("{impact}: {locks}", "{impact}：{locks}")
	ImpactUnknown = New0("whether the data are safe is unknown", "数据是否安全未知")
)

// The letters that outcomes have: a word for each, and what it means.
var (
	WordSafe     = New0("safe", "安全")
	MeansSafe    = New0("safe: no two holders, and the others get the lock after a normal wait", "安全：没有两个持有者，别人在正常的等待内拿到锁")
	WordDelayed  = New0("delayed", "延迟")
	MeansDelayed = New0("safe, but a client waits for a lease or an election, or gets an error", "安全，但有人要等租约或选举，或得到错误")
	WordStuck    = New0("stuck", "卡死")
	MeansStuck   = New0("stuck: no client gets the lock for ten leases after the fault is over", "卡死：故障结束后十个租约内没有人拿到锁")
	WordFreed    = New0("foreign entry freed", "误删别人的条目")
	MeansFreed   = New0("a release removes the entry of another client", "释放删掉了别的客户端的条目")
	WordTwo      = New0("two holders", "两个持有者")
	MeansTwo     = New0("two clients hold the lock at once", "两个客户端同时持有锁")
	WordBoth     = New0("both", "两者都有")
	MeansBoth    = New0("both: two holders, and a foreign entry freed", "两者都有：两个持有者，又误删了别人的条目")
	WordUnknown  = New0("unknown", "未知")
	MeansUnknown = New0("unknown: no fault fired, no clients competed, or a run did not finish", "未知：故障没有触发，没有人争锁，或有的运行没有演完")
	WordNoStep   = New0("not applicable", "不适用")
	MeansNoStep  = New0("the lock has no step that the fault could hit", "这把锁没有这种故障能击中的步骤")
)

// The marks beside the letters of a matrix: a word for each, and what it means.
var (
	WordDamaged  = New0("resource damaged", "资源损坏")
	MeansDamaged = New0(
		"the resource was damaged, behind a fence where the lock hands out tokens: an update was lost, or a stale write came after a newer holder had read",
		"资源被损坏（锁发令牌时，资源会检查令牌）：丢了一次更新，或在更新的持有者读过之后又来了一次过期写入")
	WordWalked  = New0("found by the walk", "由遍历找到")
	MeansWalked = New0(
		"the walk of the fault space found the letter; no script or variation came to anything as bad",
		"字母由故障空间的遍历找到；没有脚本或变化到过这么坏的结果")
)
