package say

// What the answer to the question which lock to use says.
var (
	UseLock = New6[Verbatim, Phrase, Number, Both, Both, Phrase](
		"Use {lock}[, and {how}]: no searched fault of the {n} kinds to expect of {have}, alone or two at once, {harms}[; {price}].",
		"用 {lock}[，并且{how}]：{have} 上该预料的 {n} 类故障里，搜过的无论单个还是两个一起，都不会{harms}[；{price}]。")
	NoLockKeeps = New5[Both, Both, Verbatim, Phrase, Phrase](
		"No lock here on {have} {goal}: {lock} comes closest, and the search breaks it by {kinds}[; {price}].",
		"{have} 上没有一把锁{goal}：最接近的是 {lock}，搜索中败给{kinds}[；{price}]。")
	MayDo = New3[Verbatim, Phrase, Phrase](
		"{lock} may do: nothing that was found breaks it, but {verdict}[; {price}].",
		"{lock} 也许可以：没有找到能破坏它的，但是{verdict}[；{price}]。")
	NotAllSearched = New1[Phrase]("not everything was searched ({verdict})", "没有全部搜过（{verdict}）")
	LetItRefuse    = New0("let the resource refuse, in reads and writes, each token older than the newest it has seen", "让资源在读和写时都拒绝比见过的最新令牌更旧的令牌")
	WritesOnlyNot  = New0("a resource that checks writes only: between a read and a write an older client may write.", "只在写时检查的资源：在读和写之间，较旧的客户端还可能写入。")
	KindsAndPairs  = New2[List, Number]("{kinds} and {n} {n|pair|pairs} of other faults", "{kinds}，以及另外 {n} 对故障")
	OnlyPairs      = New1[Number]("{n} {n|pair|pairs} of faults", "{n} 对故障")
	OnlyKinds      = New1[List]("{kinds}", "{kinds}")
	PriceIs        = New1[Series]("it costs {price}", "代价是{price}")
	MeasuredOn     = New1[Number]("measured on {n} {n|server|servers}", "在 {n} 台服务器上测得")
	AlsoSurvives   = New2[Verbatim, Phrase]("{lock} survives, too[; {price}].", "{lock} 也经得住[；{price}]。")
	FailsBy        = New3[Verbatim, Phrase, Phrase]("{lock}: the search breaks it by {kinds}[; {price}].", "{lock}：搜索中败给{kinds}[；{price}]。")
	AfterThese     = New1[Phrase]("{kinds}.", "{kinds}。")
	RefusedLater   = New1[Phrase]("{kinds}. The resource refuses the older one, so the data are safe.", "{kinds}。资源拒绝较旧的那个，所以数据是安全的。")
	SearchedWas    = New3[Grouped, Number, List](
		"{n} schedules: each kind of fault alone, in {worlds} ways of using the lock; of two at once {pairs}.",
		"{n} 种安排：每类故障单独一个，在 {worlds} 种用法里；两个一起的，{pairs}。")
	NotSearchedWas = New1[Number](
		"more than {n} faults at once, leases other than 10 s, and your own code. What is not searched may break the lock.",
		"同时超过 {n} 个故障、10 秒以外的租约，以及你自己的代码。没有搜过的，也可能破坏这把锁。")
	NothingChecks = New0("Its tokens were checked in the search; where nothing checks them, two who hold it can damage the data, which is not searched.",
		"搜索时有资源检查它的令牌；没有人检查时，两个同时持有就可能损坏数据，这一点没有搜过。")
	LockOn          = New2[Verbatim, Both]("{lock} ({have})", "{lock}（{have}）")
	SurvivesInstead = New1[List]("These survive what is to be expected of them: {locks}.", "这些经得住各自该预料的故障：{locks}。")
	TokensInstead   = New1[List](
		"A resource that refuses older tokens keeps its data safe all the same: nothing searched damages them with {locks}. That two work at once no lock prevents: one who pauses past the lease does not know it.",
		"会拒绝旧令牌的资源照样能保住数据：用 {locks}，搜过的故障都损坏不了数据。而两个同时工作，没有哪把锁能杜绝：停顿超过租约的人自己并不知道。")
	NoneHere     = New1[Both]("Not searched: no lock for {have} is in this result.", "没有搜过：这个结果里没有用于 {have} 的锁。")
	IfTwoWork    = New2[Both, Both]("{have}; if two work at once: {harm}", "{have}；如果两个同时工作：{harm}")
	IfTwoDamage  = New3[Both, Both, Both]("{have}; if two work at once: {harm}; can it refuse an old token: {tokens}", "{have}；如果两个同时工作：{harm}；能否拒绝旧令牌：{tokens}")
	SoManyPairs  = New1[Number]("{n} {n|pair|pairs}", "{n} 对")
	NumberFromTo = New1[Number]("Type a number from 1 to {n}, or Ctrl-C to leave.", "请输入 1 到 {n} 之间的数字，或按 Ctrl-C 离开。")
	HeadAndText  = New2[Phrase, Phrase]("{head}:[ {text}]", "{head}：[{text}]")
)
