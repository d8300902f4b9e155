package say

// What a search says of what it has found: in the terminal, and in a file that stands alone.
var (
	CounterexampleOf = New3[Verbatim, Property, Verbatim](
		"{lock} breaks {property}, minimal counterexample of: {title}",
		"{lock} 破坏 {property}，最小反例，取自：{title}")
	AssumedWrongly = New3[Phrase, Phrase, Phrase](
		"{verdict} The assumption was: {assumed} {formula}.",
		"{verdict}不成立的假设：{assumed}{formula}。")
	FoundAndShrunk = New5[Verbatim, Verbatim, Flag, Phrase, Phrase](
		"simulate search found this in {file} with seed {seed} and shrunk it[part? part of the way]: {before} became {after}.",
		"由 simulate search 在 {file} 里用种子 {seed} 找到，再[part?部分]缩小：从 {before}，变为 {after}。")
	StorySize = New4[Number, Number, Number, Number](
		"{faults} {faults|fault|faults}, {clients} {clients|client|clients}, {rounds} {rounds|round|rounds} and {events} {events|event|events}",
		"{faults} 个故障、{clients} 个客户端、{rounds} 轮、{events} 个事件")

	NoSeedTests = New2[Verbatim, Number](
		"{lock} was not put to the test in any of {n} seeds: no clients competed for it, or the faults never fired",
		"{n} 个种子都没有考验 {lock}：没有人争锁，或者故障没有触发")
	KeepsInSeeds = New5[Verbatim, Names, Number, Number, Flag](
		"{lock} keeps {properties} in {n} of {all} seeds[rest?; the others were inconclusive]",
		"{lock} 在 {all} 个种子中的 {n} 个里守住 {properties}[rest?；其余的没有结论]")
	FewerThan = New1[Verbatim]("less than {rate} of runs break it (95 %)", "被破坏的运行少于 {rate}（95 %）")
	OneOf     = New4[Number, Verbatim, Verbatim, Verbatim]("1 of {n}: {rate} (95 %: {low} to {high})", "{n} 个中 1 个：{rate}（95 %：{low} 到 {high}）")

	BreaksWithSeed = New3[Verbatim, Property, Verbatim]("{lock} breaks {property} with seed {seed}", "{lock} 破坏 {property}，种子 {seed}")
	SeedsBefore    = New4[Phrase, Number, Number, Number](
		"{breaks}; of the {n} seeds before, {kept} keep it and {untested} were inconclusive", "{breaks}；之前的 {n} 个里，{kept} 个守住，{untested} 个没有结论")
	SeedBeforeKept  = New1[Phrase]("{breaks}; the seed before keeps it", "{breaks}；前一个种子守住")
	SeedsBeforeKept = New2[Phrase, Number]("{breaks}; the {n} seeds before keep it", "{breaks}；之前的 {n} 个种子都守住")
	AfterReplays    = New2[Phrase, Number]("{size}, after {n} {n|replay|replays}", "{size}，重演 {n} 次之后")
)

// What a walk of the fault space says of a story.
var (
	InTheWorld       = New2[Verbatim, Both]("In the world {world}: {what}", "在世界 {world} 里：{what}")
	OneAfterTheOther = New1[Sequence]("{faults}", "{faults}")
	NoFault          = New0("no fault", "没有故障")
)

// What is said of parts of a work that machines share.
var (
	PartOf        = New2[Verbatim, Verbatim]("{file}, shard {shard}; simulate dev merge joins it with the others", "{file}，分片 {shard}；simulate dev merge 把它和其余的合在一起")
	PartOfSeveral = New3[Verbatim, Number, Number]("{file}, {n} of {all} shards", "{file}，{all} 个分片中的 {n} 个")
)
