package say

// What the page of a matrix says with numbers and names in it.
var (
	MatrixLead = New4[Grouped, Grouped, Grouped, Phrase](
		"{locks} lock {locks|design|designs} under {kinds} {kinds|kind|kinds} of fault: what became of each, measured in {runs} {runs|run|runs}.[ {more}]",
		"{locks} 种锁，经受 {kinds} 种故障：各自的结果如何，由 {runs} 次运行测得。[{more}]")
	MoreTestedNothing = New1[Grouped]("{n} more {n|run was|runs were} inconclusive and {n|is|are} left out.", "另有 {n} 次没有结论，不计在内。")
	RunsAndPage       = New3[Number, Verbatim, Verbatim]("{n} runs in {time} s   page {page}", "{n} 次运行，用时 {time} 秒，页面 {page}")
	WalkedOfCell      = New2[Grouped, Grouped](
		"{n} {n|schedule|schedules} of these kinds in the walk; in {vain} of them the fault changed nothing.",
		"这些种类在遍历中共 {n} 个安排；其中 {vain} 个的故障没有改变什么。")
	WalkedWithoutEnd = New1[Grouped]("{n} {n|schedule|schedules} did not finish: what {n|it does|they do} is unknown.", "{n} 个安排没有演完：结果未知。")
	FoundBesides     = New1[Verbatim]("Also found: {letters}.", "此外还有：{letters}。")
	DamagedBy        = New1[Verbatim]("The resource was damaged: {by}.", "资源被损坏：{by}。")
	KindDuring       = New2[Verbatim, Phrase]("{kind} {during}", "{kind}（{during}）")
	ScriptsExported  = New2[Number, Verbatim]("{n} {n|script|scripts} in {folder}", "{n} 个脚本，在 {folder}")
	LetterOf         = New3[Verbatim, Verbatim, Verbatim]("{letter}, {lock} under {fault}", "{letter}，{lock} 经受 {fault}")
	BrokenOrStuckOf  = New1[Number]("broken or stuck, of {n}", "{n} 把中被破坏或卡死的")
	SomeLocksOf      = New2[Number, Number]("{bad} of {n}", "{n} 把中 {bad} 把")
	WhyNoLetter      = New1[Verbatim]("Why there is no letter: {why}.", "为什么没有字母：{why}。")
	CellTitle        = New5[Verbatim, Verbatim, Verbatim, Verbatim, Verbatim]("{code}, {fault}: {note}[ ({outcome})][; {unexpected}]", "{code}，{fault}：{note}[（{outcome}）][；{unexpected}]")
	NotExpectedIn    = New1[List]("not expected with {have}", "{have} 不必预料")
	LeftOutOfAnswers = New1[Verbatim]("This fault is {unexpected}: what breaks here does not count there in \"Which lock should I use?\"", "这种故障{unexpected}：“该用哪把锁？”在那里不算它。")
	DamagedByMore    = New0(
		"No single fault of these kinds damaged it in the walk: this run has more servers, more faults at once, or other timings.",
		"遍历里这些种类的单个故障没有一个损坏资源：这次运行有更多服务器、同时更多故障，或别的时间。")
	InOneWord      = New1[Verbatim]("{name}", "{name}")
	CountedChecked = New0(
		"Counted with a resource that checks tokens: two who believe it are no harm where the check kept the data safe.",
		"按资源检查令牌来数：检查保住了数据的地方，两个都以为持有不算受害。")
	BothOfRuns   = New3[Number, Number, Number]("{broken} broken, {stuck} stuck of {n}", "{n} 次中破坏 {broken} 次，卡死 {stuck} 次")
	BrokenOfRuns = New2[Number, Number]("{broken} broken of {n}", "{n} 次中破坏 {broken} 次")
	StuckOfRuns  = New2[Number, Number]("{stuck} stuck of {n}", "{n} 次中卡死 {stuck} 次")
	NoneOfRuns   = New1[Number]("none of {n} broken", "{n} 次都没有破坏")
	CellCounts   = New5[Grouped, Number, Number, Phrase, Phrase](
		"{n} {n|run|runs}: {broken} broken, {stuck} stuck. {rate}[ {untested}]",
		"{n} 次运行：破坏 {broken} 次，卡死 {stuck} 次。{rate}[{untested}]")
	VariationsBroke = New3[Percent, Percent, Percent](
		"Of the random variations, {rate} broke or got stuck (95 % interval {low} to {high}).",
		"随机变化中 {rate} 被破坏或卡死（95 % 区间 {low} 到 {high}）。")
	ScriptsBrokeOnly = New1[Percent](
		"Only scripts as they stand broke, and none of the random variations; at most {high} of such variations would (95 % confidence).",
		"随机变化都没有破坏，只有原样的脚本破坏了；这样的变化最多 {high} 会破坏（95 % 置信度）。")
	NoVariationBroke = New1[Percent](
		"None of the random variations broke: with 95 % confidence, at most {high} of such runs would.",
		"随机变化都没有破坏：以 95 % 的置信度，这样的运行最多 {high} 会破坏。")
	SomeTested = New2[Number, Grouped](
		"{tested} of {n} {n|run|runs} tested something. The others are inconclusive and left out: the fault never fired, or no clients competed for the lock.",
		"{n} 次运行中 {tested} 次检验到了什么：其余的没有结论，不计入：故障没有触发，或没有客户端争锁。")
	ShownScript = New4[Flag, Flag, Verbatim, Phrase](
		"[varied?A random variation of the script][plain?The script] {script}.[ {note}]",
		"[varied?脚本的一个随机变化：][plain?脚本：]{script}。[{note}]")
	OneDamageOnly = New1[Verbatim](
		"No single run showed both kinds of damage; this one shows {letter}.",
		"没有一次运行同时显示两种破坏；这一次显示 {letter}。")
	// Notes of cells.
	ScriptSays       = New2[Both, Phrase]("{script}: {what}", "{script}：{what}")
	NoScriptTested   = New1[Phrase]("no script tested anything: {why}", "没有脚本检验到什么：{why}")
	FoundByVariation = New2[Verbatim, Both]("found by variation {n} only: {script}", "只在随机变化 {n} 里发现：{script}")
	SafeSoFar        = New3[Number, Number, Percent](
		"{scripts} scripts and {variations} variations; at most {high} of such runs break, with 95 % confidence",
		"{scripts} 个脚本，{variations} 个随机变化；这样的运行最多 {high} 会破坏，置信度 95 %")
	SafeInWalk   = New2[Phrase, Grouped]("{safe}; none of {n} {n|schedule|schedules} of the walk", "{safe}；遍历的 {n} 个安排也都没有")
	FoundByWalk  = New2[Verbatim, Both]("found by the walk, in the world {world}: {story}", "由遍历找到，在世界 {world}：{story}")
	WalkHasNoEnd = New2[Grouped, Grouped](
		"{n} of {all} schedules of the walk have no end: what they do is unknown",
		"遍历的 {all} 个安排中有 {n} 个没有尽头：没有人知道它们会怎样")
	NobodyGetsIt = New1[Verbatim]("no client gets this lock even without a fault: see {column}", "没有故障也没有人拿得到这把锁：见 {column}")
	NoSuchStep   = New0("the lock has no such step", "这把锁没有这样的步骤")

	// Why a cell has not been compared, or a milder script was taken.
	LettersNotAsked = New1[Alternatives]("left out: only cells were asked for in which the simulator shows {letters}", "没有演：只要模拟器显示 {letters} 的格")
	HarsherRefused  = New2[Verbatim, Phrase]("a script with {letter} was left out: {why}", "略去了一个得 {letter} 的脚本：{why}")
	HarsherByChance = New2[Verbatim, Both](
		"a script with {letter} was left out, for only some of its runs end like that: {script}",
		"略去了一个得 {letter} 的脚本，因为它只有一部分运行这样：{script}")
	RunUntested = New3[Phrase, Verbatim, Phrase](
		"the {world} run with seed {seed} put nothing to the test: {why}",
		"种子 {seed} 的{world}运行没有检验到什么：{why}")
	RunCutShort = New2[Verbatim, Verbatim](
		"the real run with seed {seed} was not played to its end: {why}",
		"种子 {seed} 的真实运行没有演到最后：{why}")

	StepsLeftOut = New1[Grouped]("{n} {n|step|steps} left out", "略去 {n} 步")

	TokensKeepData = New1[Remarks](
		"Behind a resource that checks tokens no measured run of any column damaged the data with these, though two can believe that they hold them: {locks}.",
		"有资源检查令牌时，各列测过的运行都没有损坏数据的（虽然可能有两个都以为持有）：{locks}。")
	MeansFenced = New0(
		"two believed it; a resource that checks tokens keeps its data safe. The evidence shows the same run without that check and with it",
		"两个都以为持有；检查令牌的资源保住了数据。证据里有同一次运行：不检查的和检查的")
	WordRare  = New0("not expected", "不必预料")
	MeansRare = New0(
		"smaller: harm by a fault that is not expected with anything that the lock can be kept in, so \"Which lock should I use?\" does not count it",
		"较小的格：锁能用的任何存储都不必预料这种故障，“该用哪把锁？”不算它")
	WordFenced = New0("safe where tokens are checked", "检查令牌就安全")
	NoneWhole  = New1[Number](
		"None of the {n} locks gets through every column: each breaks or gets stuck somewhere.",
		"{n} 把锁没有一把通过所有的列：每一把都在某处被破坏或卡死。")
	FewWhole = New3[Number, Number, Remarks](
		"Only {n} {n|lock|locks} of {all} {n|gets|get} through every column: {which}.",
		"{all} 把锁中只有 {n} 把通过所有的列：{which}。")
	SomeWhole       = New2[Number, Number]("{n} of {all} locks get through every column.", "{all} 把锁中有 {n} 把通过所有的列。")
	BadWithoutFault = New1[Number]("Broken or stuck even without any fault: {n} {n|lock|locks}.", "没有任何故障也被破坏或卡死的：{n} 把锁。")
	HarmsMost       = New4[Verbatim, Verbatim, Number, Number](
		"Most harmful: {fault} ({code}), with {n} of {all} locks broken or stuck.",
		"危害最大的：{fault}（{code}），{all} 把锁中 {n} 把被破坏或卡死。")
	HarmsLeast     = New3[Verbatim, Verbatim, Number]("Least harmful: {fault} ({code}), with {n}.", "危害最小的：{fault}（{code}），{n} 把。")
	ThenVariations = New1[Grouped](
		"Then it plays {n} random {n|variation|variations} of these scripts, with other timings of the work, the faults and the network. A checker judges each history. The letter is the worst that was seen.",
		"然后演这些脚本的 {n} 个随机变化，换用别的时间：工作、故障和网络各不相同。检查器评判每段历史。字母是所见到的最坏结果。")
	MeasuredWith = New4[Verbatim, Grouped, Phrase, Phrase](
		"Backend {backend}; {n} {n|run|runs} in all[, {tested}][; {lease}].",
		"后端 {backend}；共 {n} 次运行[，{tested}][；{lease}]。")
	OfWhichTested = New1[Grouped]("{n} of them tested something", "其中 {n} 次检验到了什么")
	LeaseInEach   = New1[Verbatim]("a lease of {lease} in each", "租约都是 {lease}")
)
