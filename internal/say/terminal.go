package say

// What a terminal says of a run besides its story.
var (
	SeedAndWorld   = New3[Verbatim, Verbatim, Phrase]("seed {seed} . {world} . {time}", "种子 {seed} . {world} . {time}")
	SimulatedIn    = New2[Phrase, Phrase]("{length} simulated[ in {took}]", "模拟了 {length}[，用时 {took}]")
	RunIn          = New2[Phrase, Phrase]("{length} run[ in {took}]", "运行了 {length}[，用时 {took}]")
	Microseconds   = New1[Number]("{n} us", "{n} 微秒")
	StepByStepOf   = New1[Verbatim]("{lock}, step by step", "{lock}，一步一步")
	EarlierLeftOut = New1[Number]("... {n} earlier {n|step|steps} left out ...", "... 前面略去 {n} 步 ...")
	LaterLeftOut   = New1[Number]("... {n} later {n|step|steps} left out ...", "... 后面略去 {n} 步 ...")
	CrossBroken    = New1[Number]("x broken {n}x", "x 破坏 {n} 次")
	CrossTimes     = New1[Number]("x {n}x", "x {n} 次")
	OutcomeSince   = New3[Verbatim, Phrase, Phrase]("[{lock} ]{outcome}: {why}", "[{lock} ]{outcome}：{why}")
	SomeAsExpected = New2[Number, Number]("{n} of {all} as expected", "{all} 个中有 {n} 个符合预期")
	WaitsLong      = New3[Verbatim, Measured, Measured](
		"{lock} makes clients wait for longer than a lease (p99 wait {wait}, lease {lease}): this shows who waits, and for what",
		"{lock} 让客户端等得比租约还久（p99 等待 {wait}，租约 {lease}）：这条命令显示谁在等、等什么")
)
