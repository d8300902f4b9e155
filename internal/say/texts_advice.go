package say

// What the answer to the question which lock to use says.
var (
	UseLock = New6[Phrase, Phrase, Number, Both, Both, Phrase](
		"Use {lock}[, and {how}]. Of the {n} kinds of faults to expect with {have}, none {harms}, alone or two at once, as far as was searched.[ {price}]",
		"用{lock}[，并且{how}]。{have} 该预料的 {n} 类故障，在搜过的范围里，无论单个还是两个一起，都不会{harms}。[{price}]")
	NoLockKeeps = New5[Both, Both, Phrase, Phrase, Phrase](
		"No lock here on {have} {goal}. {lock} comes closest; it breaks {when}.[ {price}]",
		"{have} 上没有一把锁{goal}。最接近的是{lock}；它会坏：{when}。[{price}]")
	MayDo = New3[Phrase, Phrase, Phrase](
		"{lock} may do: nothing that was found breaks it, but {verdict}.[ {price}]",
		"{lock}也许可以：没有找到能破坏它的，但是{verdict}。[{price}]")
	NotAllSearched = New1[Phrase]("not everything was searched ({verdict})", "没有全部搜过（{verdict}）")
	LetItRefuse    = New0("let the resource refuse, in reads and writes, every token older than the newest it has seen", "让资源在读和写时都拒绝比见过的最新令牌更旧的令牌")
	WritesOnlyNot  = New0("a resource that checks writes only: between a read and a write an older client may write.", "只在写时检查的资源：在读和写之间，较旧的客户端还可能写入。")
	WhenThese      = New3[Both, Both, Optional](
		"when {one}[, or {two}][, and in {n} other {n|way|ways}]",
		"{one}时[，或{two}时][，另外还有 {n} 种情形]")
	WhenPairs    = New1[Number]("only when two faults come together ({n} such {n|pair|pairs})", "只在两个故障凑到一起时（{n} 对）")
	OnlyKinds    = New1[List]("{kinds}.", "{kinds}。")
	PriceIs      = New1[Remarks]("Its price: {price}.", "代价：{price}。")
	MeasuredOn   = New1[Number]("measured on {n} {n|server|servers}", "在 {n} 台服务器上测得")
	AlsoSurvives = New2[Phrase, Phrase]("{lock} survives, too.[ {price}]", "{lock}也经得住。[{price}]")
	FailsBy      = New3[Phrase, Phrase, Phrase]("{lock}. It breaks {when}.[ {price}]", "{lock}。它会坏：{when}。[{price}]")
	RefusedLater = New1[Phrase]("{when}. The resource refuses the older one, so the data stay safe.", "{when}。资源拒绝较旧的那个，所以数据是安全的。")
	GetsStuck    = New1[Phrase]("no client gets it any more {when}.", "{when}，之后谁也拿不到它。")
	NotExpected  = New1[Both]("Not expected with {have}, but it breaks after", "{have} 不必预料，但它会败给")
	MatrixAdds   = New1[Remarks](
		"{faults}. Its scripts may use more servers, or more faults at once, than the search does.",
		"{faults}。它的脚本可能比搜索用了更多服务器，或同时更多故障。")
	FaultOfMatrix = New3[Both, Verbatim, Both]("{fault} ({code})[: {script}]", "{fault}（{code}）[：{script}]")
	SearchedWas   = New5[Grouped, Number, Number, Optional, Optional](
		"{n} schedules: every fault alone, in {worlds} ways of using the lock; every two at once in {all} of these ways[, a random draw of them in {some}][, and none in {none}].",
		"{n} 种安排：每个故障单独一个，在 {worlds} 种用法里；每两个一起，在其中 {all} 种用法里[，另外 {some} 种只抽取一部分][，{none} 种没有搜]。")
	NotSearchedWas = New1[Number](
		"more than {n} faults at once, leases other than 10 s, and your own code. Any of these may break the lock.",
		"同时超过 {n} 个故障、10 秒以外的租约，以及你自己的代码。这些都可能破坏这把锁。")
	UncheckedBreaks = New3[Number, Number, Phrase](
		"the data can be damaged. Played again without a check, {bad} of {n} stories in which two hold it at once damage them: {when}. More was not measured.",
		"数据可能损坏。不检查地重演两个同时持有的 {n} 个故事，有 {bad} 个损坏数据：{when}。别的没有测过。")
	UncheckedHolds = New1[Number](
		"played again without a check, none of the {n} stories in which two hold it at once damages the data. More was not measured.",
		"不检查地重演两个同时持有的 {n} 个故事，没有一个损坏数据。别的没有测过。")
	UncheckedUnknown = New0("not measured.", "没有测过。")
	OutsideAPIs      = New0(
		"A payment provider, as an example, compares no tokens. Give each call an idempotency key made from the order, not from the client or the attempt: a second call then does nothing. Where every call has one, two at once are only duplicate work.",
		"例如支付服务商不比较令牌。给每次调用一个由订单（而不是客户端或第几次尝试）得出的幂等键：第二次调用就什么也不做。每次调用都有时，两个同时工作只是重复的工作。")
	LockOn          = New2[Phrase, Both]("{lock} on {have}", "{have} 上的{lock}")
	SurvivesInstead = New1[Remarks]("These survive what is to be expected with them: {locks}.", "这些经得住各自该预料的故障：{locks}。")
	TokensInstead   = New1[Remarks](
		"A resource that refuses older tokens keeps its data safe all the same: nothing searched damages them with {locks}. No lock prevents that two work at once: a client that stands still for longer than the lease does not know it.",
		"会拒绝旧令牌的资源照样能保住数据：用{locks}，搜过的故障都损坏不了数据。而两个同时工作，没有哪把锁能杜绝：停顿超过租约的客户端自己并不知道。")
	NoneHere     = New1[Both]("Not searched: no lock for {have} is in this result.", "没有搜过：这个结果里没有用于 {have} 的锁。")
	QuestionWas  = New2[Both, Phrase]("{have}; if two work at once: {harm}", "{have}；如果两个同时工作：{harm}")
	SoManyPairs  = New1[Number]("{n} {n|pair|pairs}", "{n} 对")
	NumberFromTo = New1[Number]("Type a number from 1 to {n}, or Ctrl-C to leave.", "请输入 1 到 {n} 之间的数字，或按 Ctrl-C 离开。")
	HeadAndText  = New2[Phrase, Phrase]("{head}:[ {text}]", "{head}：[{text}]")
)
