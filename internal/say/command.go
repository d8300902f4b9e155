package say

// What commands say of runs: those of many seeds, of a suite, of histories from anywhere.
var (
	SeedsFromTo   = New3[Verbatim, Verbatim, Verbatim]("{scenario}: seeds {first} to {last}", "{scenario}：种子 {first} 到 {last}")
	SomeOf        = New2[Number, Number]("{n} of {all}", "{all} 次中 {n} 次")
	NoneBroke     = New2[Number, Number]("0 of {n} runs broke it (95 %: less than 1 in {most})", "{n} 次有效的运行中 0 次破坏（95 %：低于 {most} 分之一）")
	BrokeAtRate   = New4[Property, Number, Number, Phrase]("{property} {n} of {all}: {rate}", "{property}：{all} 次中 {n} 次：{rate}")
	WithTheSpared = New2[Number, Remarks]("counting the {n} {n|run|runs} that drew no fault: {broke}", "连同没有抽到故障的 {n} 次：{broke}")
	InHours       = New2[Verbatim, Remarks]("in {hours} hours of the story: {broke}", "故事里共 {hours} 小时：{broke}")
	PerHour       = New4[Property, Verbatim, Verbatim, Verbatim]("{property} in {rate} runs an hour (95 %: {low} to {high})", "{property}：每小时 {rate} 次运行（95 %：{low} 到 {high}）")
	NoneInHours   = New2[Verbatim, Verbatim]("in {hours} hours of the story (95 %: less than {high} runs an hour)", "故事里共 {hours} 小时（95 %：每小时低于 {high} 次）")
	AtRate        = New3[Verbatim, Verbatim, Verbatim]("{rate} (95 %: {low} to {high})", "{rate}（95 %：{low} 到 {high}）")
	TestedNothing = New3[Number, Number, Remarks]("{n} of {all} were inconclusive: {why}", "{all} 次中有 {n} 次没有结论：{why}")
	ReasonTimes   = New2[Phrase, Number]("{reason} ({n})", "{reason}（{n} 次）")
	MoreReasons   = New1[Number]("and {n} more reasons", "还有另外 {n} 个原因")
	DirOfSeed     = New2[Verbatim, Verbatim]("{dir} (seed {seed})", "{dir}（种子 {seed}）")
	FirstWithSeed = New1[Verbatim]("first with seed {seed}", "第一次是种子 {seed}")
	SeedIs        = New1[Verbatim]("seed {seed}", "种子 {seed}")

	RunsAsExpected   = New2[Number, Number]("{n} of {all} runs as expected", "{all} 次运行中 {n} 次符合预期")
	RunsMissed       = New1[Number]("{n} missed", "{n} 次不符合")
	RunsInconclusive = New1[Number]("{n} inconclusive", "{n} 次没有定论")
	RunsUnasked      = New1[Number]("{n} with nothing expected", "{n} 次没有预期")
	RunsNotPlayed    = New1[Number]("{n} not played", "{n} 次没有演")
	RunOfSuite       = New3[Verbatim, Verbatim, Phrase]("{scenario} with {lock}: {why}", "场景 {scenario}，{lock}：{why}")
	NotPlayedWith    = New2[Verbatim, Number](
		"NOT PLAYED with --backend {backend}, {n} locks of scenarios:",
		"--backend {backend} 没有演的，场景里的 {n} 把锁：")
	NothingSaidOf = New1[List](
		"# No expectation for {locks}, so every property has to be kept. To expect nothing, write",
		"# 没有给 {locks} 写预期，所以每条性质都要守住。不作预期，就写")

	Listed        = New1[Series]("{things}", "{things}")
	HistoryOf     = New2[Verbatim, Number]("{file}, history {n}", "{file}，第 {n} 个历史")
	ClientsOf     = New1[Number]("{n} clients", "{n} 个客户端")
	EventsOver    = New2[Number, Seconds]("{n} events over {time}", "{time}内 {n} 个事件")
	UntilLastLine = New1[Seconds]("until {time}, the last line", "直到 {time}，最后一行")
	StepBreaks    = New3[Seconds, Phrase, Phrase]("{time}  {sentence} <- {note}", "{time}  {sentence} <- {note}")
	AtTime        = New1[Seconds]("at {time}", "在 {time}")

	DifferentFrom = New1[Number]("DIFFERENT from event {n} on", "从第 {n} 个事件起不同")
	DiffersIn     = New2[Verbatim, Clauses]("{lock} differs in {what}", "{lock} 不同之处：{what}")
	WroteIn       = New2[List, Verbatim]("{files} in {dir}", "{files}，在 {dir}")
	VerdictWas    = New4[Verbatim, Property, Verdict, Verdict]("{lock}, {property}: was {old}, is {new}", "{lock}，{property}：原来{old}，现在{new}")
	VersionWas    = New2[Number, Number]("version of the properties: was {old}, is {new}", "性质的版本：原来是 {old}，现在是 {new}")
)
