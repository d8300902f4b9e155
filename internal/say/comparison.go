package say

// What a comparison of runs says.
var (
	SideBySide      = New1[Number]("{n} runs side by side", "{n} 次运行，并排比较")
	RunAndLock      = New2[Number, Verbatim]("run {n}, {lock}", "运行 {n}，{lock}")
	InRun           = New2[Number, Phrase]("run {n}: {value}", "运行 {n}：{value}")
	PlayRunAgain    = New1[Number]("Play run {n} again", "再演一遍运行 {n}")
	ShownFirst      = New2[Number, Number]("The first {n} of {all} locks are shown.", "只显示 {all} 把锁中的前 {n} 把。")
	DrawnFirst      = New2[Number, Number]("The first {n} of {all} locks are drawn.", "只画出 {all} 把锁中的前 {n} 把。")
	NothingToDraw   = New1[Phrase]("Nothing to draw: {why}.", "没有可画的图：{why}。")
	FirstDifference = New2[Phrase, Optional]("The first difference: {what}.[ {n} more below.]", "第一处不同：{what}。[下面还有 {n} 处。]")
	SettingDiffers  = New4[Verbatim, Phrase, Phrase, Number](
		"{setting} is {first} in run 1, and {other} in run {n}",
		"{setting} 在运行 1 里是 {first}，在运行 {n} 里是 {other}")
	BetweenStories = New3[Verbatim, Verbatim, Phrase]("{one} and {other}: {what}", "{one} 与 {other}：{what}")
	HistoryHash    = New2[Phrase, Verbatim]("{run} . history {hash}", "{run} . 历史 {hash}")
	MoreOnPage     = New1[Number]("and {n} more, on the page", "另有 {n} 条，见页面")

	RunHas        = New1[Names]("Run {runs} has", "运行 {runs} ")
	RunsHave      = New1[Names]("Runs {runs} have", "运行 {runs} ")
	OtherScenario = New1[Phrase](
		"{runs} a different scenario from run 1: more than one thing differs, so verdicts side by side prove little.",
		"{runs}的场景与运行 1 不同：不同之处不止一件，并排的结论说明不了多少。")
	ScenarioDiffers = New1[Phrase]("The scenario is not the same in all runs: {what}.", "各次运行的场景不完全相同：{what}。")
	OtherClients    = New2[Phrase, List](
		"{runs} other clients than run 1 ({clients}): how often they meet at the lock depends on how many there are.",
		"{runs}的客户端与运行 1（{clients}）不同：客户端的数目不同，争锁的次数也不同。")
	OtherWorld = New2[Phrase, Verbatim](
		"{runs} a different world from run 1 ({world}): real servers are never the same twice, and their network is not the simulated one. Compare verdicts, not milliseconds.",
		"{runs}的世界与运行 1（{world}）不同：真实服务器没有两次完全一样，它们的网络也不是模拟的网络。比较结论，不要比较毫秒。")
	OtherScale = New1[Phrase](
		"{runs} a different time scale from run 1: that alone makes waits and holds longer or shorter.",
		"{runs}的时间比例与运行 1 不同：单凭这一点，等待和持有就会更长或更短。")
	RunOnceMore      = New2[Number, Number]("Run {n} repeats run {same}, byte for byte.", "运行 {n} 重复了运行 {same}，逐字节相同。")
	BecauseOf        = New2[Verbatim, Phrase]("{what} ({why})", "{what}（{why}）")
	SidesCutShort    = New1[Remarks]("Cut short: {which}. What had not broken by then might have broken later.", "被中断：{which}。到那时还没破坏的，之后仍可能破坏。")
	SidesUntested    = New1[Remarks]("Not put to the test: {which}.", "没有经受检验：{which}。")
	AllAcquiredFew   = New1[Number]("No lock was acquired {n} times, so the 99th percentile here is the longest wait.", "没有一把锁被拿到 {n} 次：这里的第 99 百分位就是最长的等待。")
	SidesAcquiredFew = New2[Number, Remarks](
		"Fewer than {n} acquisitions: {which}. The 99th percentile there is the longest wait.",
		"拿锁少于 {n} 次：{which}。那里的第 99 百分位就是最长的等待。")
)
