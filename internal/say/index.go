package say

// What the index of a store says.
var (
	NothingPlayedYet = New0("Nothing has been played yet", "还没有演过什么")
	NewestRuns       = New2[Number, Number]("The newest {n} of {all} runs, newest first", "{all} 次运行中最新的 {n} 次，新的在前")
	AllRuns          = New1[Number]("{n} {n|run|runs}, newest first", "{n} 次运行，新的在前")
	VerdictOf        = New2[Verdict, Verbatim]("{verdict}: {which}", "{verdict}：{which}")
	CannotBeRead     = New1[Verbatim]("cannot be read: {why}", "读不了：{why}")
)
