package say

// What a search says of what it has found: the texts of a file that stands alone.
var (
	CounterexampleOf = New3[Verbatim, Verbatim, Verbatim](
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
)

// What a walk of the fault space says of a story.
var (
	InTheWorld       = New2[Verbatim, Phrase]("In the world {world}: {what}", "在世界 {world} 里：{what}")
	OneAfterTheOther = New1[Sequence]("{faults}", "{faults}")
	NoFault          = New0("no fault", "没有故障")
)
