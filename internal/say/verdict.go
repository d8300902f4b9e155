package say

// What a lock did in a run, in one sentence.
var (
	NothingToJudge = New0("There is no history to judge.", "没有历史可以评判。")
	NotJudged      = New1[Verbatim]("{lock} was not judged.", "{lock} 没有评判。")
	DidDamage      = New3[Verbatim, Clauses, Optional](
		"{lock} {damage}[; the fence refused {n} {n|write|writes}].",
		"{lock} {damage}[；防护拒绝了 {n} 次写入]。")
	BrokeNothing = New2[Verbatim, Phrase](
		"{lock} broke nothing, but {unknown}.",
		"{lock} 没有破坏什么，但是 {unknown}。")
	Kept = New3[Verbatim, Number, Optional](
		"{lock} kept every property over {n} {n|acquisition|acquisitions}[; the fence refused {writes} {writes|write|writes}].",
		"{lock} 守住了所有性质，共授予 {n} 次[；防护拒绝了 {writes} 次写入]。")
	IsUnknown = New2[Verbatim, Phrase](
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
	Broke               = New2[Verbatim, Times]("broke {property} {times}", "破坏 {property} {times}")
)
