package say

// What a walk of the fault space says with numbers in it.
var (
	WalkedLocks = New3[Number, Number, Number](
		"{n} locks, {walked} schedules of faults, each of them played: which faults, and how many at once up to {k}, does it take to break a lock?",
		"{n} 把锁，{walked} 种故障安排，每一种都演过：要破坏一把锁，需要哪些故障、同时几个（最多 {k} 个）？")
	SchedulesWalked  = New1[Number]("{n} {n|schedule|schedules} played", "演过 {n} 种安排")
	SchedulesUnknown = New1[Number]("of {n} nobody knows what they do", "其中 {n} 种结果不明")
	NoneUpTo         = New1[Number]("none up to {k}", "{k} 个以内没有")
)

// exploreTexts are those of the page of a walk.
var exploreTexts = [][2]string{
	{"Which lock should I use?", "该用哪把锁？"}, {"What does it take to break it?", "怎样才会被破坏？"}, {"Skip to the table", "跳到表格"},
	{"What can happen to you?", "你那里会发生什么？"}, {"for you", "对你"}, {"survives", "经得住"}, {"breaks", "会坏"}, {"not walked", "没有走过"},
	{"Tick what you have to expect. A lock survives if none of the sets of faults that break it lies within your ticks.", "勾选你必须预料到的。如果破坏一把锁的故障组合没有一个全在你的勾选之内，它就经得住。"},
	{"{n} of {of} locks survive what you ticked.", "{of} 把锁中有 {n} 把经得住你勾选的。"},
	{"Each entry is a minimal set of kinds of faults: all of them together break the lock, and no part of them does. Follow one to the shortest story of it.", "每一项是一个最小的故障组合：合在一起会破坏这把锁，少一个就不会。点开看它最短的故事。"},
	{"The shortest stories", "最短的故事"}, {"What none means", "“没有”是什么意思"}, {"no fault at all", "没有任何故障"},
	{"None means none of all schedules of so many faults within this scope, each of which was played.", "“没有”指在这个范围内、这么多个故障的所有安排都演过，没有一个会破坏。"},
	{"two believe they hold it", "两个客户端都以为持有"}, {"the resource is damaged", "资源被损坏"}, {"somebody is robbed", "有人的锁被别人释放"}, {"everybody is stuck", "谁也拿不到"},
	{"What can happen to a client", "客户端会怎样"}, {"What can happen to a message", "消息会怎样"}, {"What can happen to the network", "网络会怎样"},
	{"What can happen to the servers", "服务器会怎样"}, {"What can happen to a clock", "时钟会怎样"},
}
