package say

// What a walk of the fault space says with numbers in it.
var (
	AndLibraries = New1[Number](
		"Behind them {n} Go {n|library|libraries} by their own code, as far as they were walked: with one fault, in the plain world. One that no such fault breaks is unknown.",
		"后面是 {n} 个 Go 库，用它们自己的代码，走过的范围是：plain 世界里的单个故障。没有被这样打破的算未知。")
	WalkedLocks = New4[Number, Grouped, Number, Number](
		"{n} locks and {walked} schedules of faults: every single fault for {singles} of the locks, every pair in plain and just-within for {pairs}.",
		"{n} 把锁，{walked} 种故障安排：{singles} 把锁走过所有单个故障，{pairs} 把在 plain 和 just-within 里走过所有成对的故障。")
	SchedulesWalked  = New1[Grouped]("{n} {n|schedule|schedules} walked", "走过 {n} 种安排")
	SchedulesUnknown = New1[Grouped]("{n} with an unknown outcome", "其中 {n} 种结果不明")
	StoriesOf        = New2[Number, Grouped]("{locks} locks, {n} schedules walked: each lock with its shortest stories", "{locks} 把锁，走过 {n} 种安排：每把锁和它最短的故事")
	BreaksBySeveral  = New1[Number]("{n} faults", "{n} 个故障才坏")
	TickOnThePage    = New1[Verbatim](
		"Tick what can happen to you on the page {path}, or name it here: --expect pause,fail-over",
		"在页面 {path} 上勾选你那里会发生的，或者在这里说：--expect pause,fail-over")
	WayIs        = New2[Phrase, Phrase]("{way}: {means}", "{way}：{means}")
	WaysAre      = New1[Remarks]("{ways}.", "{ways}。")
	LocksSurvive = New4[Number, Number, Phrase, Number](
		"{n} of {all} locks survive: {none}, and all pairs were searched in plain and just-within. {found} more with none found: there some pairs were drawn.",
		"{all} 把锁中有 {n} 把经得住：{none}，而且 plain 和 just-within 里的所有成对都搜过。另有 {found} 把没有找到：那里只抽了一些成对。")
	DrawnMeans = New0(
		"Drawn: some schedules of any two kinds, the first fault as likely as any other of its kind, then the second. \"1 in 11 at most\" is the share of such draws that breaks the lock, with 95 % confidence.",
		"抽取：任意两类故障的一些安排，先在同类中等机会地抽第一个故障，再抽第二个；“至多 11 分之一”是说这样抽到的有多少会破坏这把锁，置信度 95 %。")
	NoCandidates = New2[Number, Names](
		"No candidates: {n} {n|misprint|misprints} of the course (docs/course.md): {names}",
		"不能选：勘误课（docs/course.md）里的 {n} 把误印的锁：{names}")
	PairsAllIn   = New1[Names]("all pairs in {worlds}", "{worlds} 里的所有成对")
	PairsDrawnIn = New2[Number, Number]("some drawn in {n} {n|world|worlds} (1 in {most} at most)", "在 {n} 个世界里抽取（至多 {most} 分之一）")
	PairsNotIn   = New1[Names]("none searched in {worlds}", "{worlds} 里没有搜")

	PairsNotSearched = New0("pairs not searched", "没有搜成对")
	RestsOn          = New2[Phrase, List]("{verdict}: {pairs}", "{verdict}：{pairs}")
	BreaksBy         = New3[Verbatim, Phrase, Verbatim]("{lock}: {way} by {kinds}", "{lock}：{way}，因为 {kinds}")
	CostServers      = New1[Number]("{n} {n|server|servers}", "{n} 台服务器")
	CostRoundTrips   = New2[Number, Number]("{acquire} {acquire|round trip|round trips} to acquire, {release} to release", "获取 {acquire} 次往返，释放 {release} 次")
	CostDeadHolder   = New1[Planned]("a dead holder keeps it for {long}", "持有者死后还占用 {long}")
	WalkedByTries    = New2[Number, Number](
		"(statistical: no seed repeats a run, so a schedule was tried up to {tries} times until its fault had an effect; {n} had none)",
		"（统计性的：没有种子能重复一次运行，所以每种安排最多试 {tries} 次，直到故障起作用；{n} 种始终没有作用）")
	NoneUpTo = New1[Number]("none found (up to {k} {k|fault|faults})", "{k} 个故障以内未发现")

	WalkedOf = New4[Verbatim, Grouped, Number, Number](
		"{lock}   {n} {n|schedule|schedules} of up to {complete} of {faults} {faults|fault|faults}",
		"{lock}   走过 {n} 种安排，走完的故障数 {complete}（要走 {faults}）")
	UsedInNoneOfThese = New1[Verbatim]("{lock}   not walked: it is used in none of these worlds", "{lock}   没有走：这些世界都不适合它")
	NothingToWalk     = New0("unknown: none of these faults can come about", "未知：这些故障都不会在这里发生")
	NotWalkedToTheEnd = New0("unknown: not walked to the end", "未知：没有走完")
	NoneKnown         = New0("none found, some unknown, see below", "未发现，但有些结果未知，见下")
	InWorldSchedule   = New2[Verbatim, Both]("in {world}: {schedule}", "在 {world}：{schedule}")
	WithoutAnEnd      = New3[Grouped, Grouped, Grouped](
		"{n} {n|schedule has|schedules have} no end: a client sends {requests} requests in a row without a rest, or more than {events} events happen",
		"{n} 种安排的运行没有结尾：有客户端一口气连发 {requests} 个请求，或者事件超过 {events} 个")
)

// exploreTexts are those of the page of a walk.
var exploreTexts = [][2]string{
	{"What would do", "什么能行"}, {"Two can still hold it at once", "仍可能有两个同时持有"}, {"It can get stuck", "它可能卡死"}, {"If the resource checks nothing", "如果资源什么都不检查"}, {"If it is an outside API", "如果是别人的 API"}, {"The matrix found more", "矩阵还找到"},
	{"Runner-up", "第二选择"}, {"Expected", "预料的故障"}, {"Searched", "搜过的"}, {"Not searched", "没有搜的"}, {"Not searched either", "也没有搜的"},
	{"What do you have?", "你有什么？"}, {"What happens if two work at once?", "如果两个同时工作，会怎样？"}, {"What does the lock protect, and can that refuse an old token?", "锁保护的是什么，它能拒绝旧令牌吗？"}, {"It matters only if two at once do damage.", "只有两个同时会造成损坏时才有关系。"},
	{"Nearest", "最接近的"}, {"play it", "演一遍"}, {"Answer the questions above.", "请回答上面的问题。"}, {"All answers", "所有答案"}, {"you have", "你有"},
	{"In each field stands what survives; with a cross, what comes closest where nothing does.", "每格写着经得住的锁；带叉的是没有锁经得住时最接近的那把。"},
	{"Say exactly what can happen", "准确说出会发生什么"}, {"Begin with what is expected of:", "先勾上这些存储该预料的："}, {"not in this program", "本程序里没有"},
	{"Three questions, and one answer from all schedules of faults that were searched.", "三个问题，一个答案，来自所有搜过的故障安排。"},
	{"someone's lock is released by another", "锁被别人释放"}, {"What you would meet", "你会遇到的"},
	{"what it costs", "代价"}, {"no client gets it", "谁也拿不到它"}, {"a dead holder keeps it for ever", "持有者死后永远占用"}, {"a dead holder is noticed at once", "持有者死后马上被发现"},
	{"Costs are measured with a lease of 10 s: how many servers keep the lock, how many round trips a free lock takes one after the other, and for how long a dead holder keeps the others out.", "代价是在租约为 10 秒时测得的：保存锁的服务器、锁空闲时依次发生的往返次数，以及持有者死后别人还要等多久。"},
	{"always", "总会坏"}, {"none found", "未发现"}, {"pairs", "成对"}, {"not searched", "没有搜"}, {"breaks without a fault", "没有故障也会坏"}, {"believe", "两个都以为持有"}, {"damage", "资源损坏"}, {"robbed", "锁被别人释放"}, {"stuck", "卡死"}, {"doubt", "存疑"}, {"  (hung)", "（卡住）"},
	{"everybody waits while work hangs", "工作卡住时大家都等"},
	{"Hung work is listed separately: every design that renews keeps the lock for it, and that is no fault of the lock.", "卡住的工作单独列出：凡是续租的设计都会为它占着锁，这不是锁的过错。"},
	{"Which lock should I use?", "该用哪把锁？"}, {"What does it take to break it?", "怎样才会被破坏？"}, {"Skip to the table", "跳到表格"},
	{"What can happen to you?", "你那里会发生什么？"}, {"for you", "对你"}, {"survives", "经得住"}, {"breaks", "会坏"}, {"walked with one fault in the plain world only", "只在 plain 世界里用单个故障走过"},
	{"Tick what you have to expect. A lock survives if you ticked no set of faults that breaks it.", "勾选你必须预料到的。能破坏一把锁的故障组合，只要没有一组被你全部勾上，它就经得住。"},
	{"{n} of {of} locks survive what you ticked; {found} more with none found.", "{of} 把锁中有 {n} 把经得住你勾选的；另有 {found} 把没有找到。"},
	{"Which store can it be", "可以用哪种存储"}, {"The course: misprints", "勘误课：误印的锁"},
	{"What texts print with a mistake in it, copied as it is: to learn from, and no candidates.", "照原样抄下文章印错了的地方：用来学习，不供选用。"},
	{"A lock survives only if all pairs were searched in plain and in just-within; where some of these were drawn, none was found.", "只有 plain 和 just-within 里的所有成对都搜过，才说一把锁经得住；只抽了其中一些的，说没有找到。"},
	{"Each entry is a minimal set of kinds of faults: together they break the lock, and no smaller part of them does. Each links to its shortest story.", "每一项是一个最小的故障组合：合在一起会破坏这把锁，少一个就不会。点开看它最短的故事。"},
	{"The shortest stories", "最短的故事"}, {"What none means", "“没有”是什么意思"}, {"no fault at all", "没有任何故障"},
	{"None means: no schedule of that many faults within this scope breaks the lock.", "“没有”是说：这个范围内，这么多个故障的所有安排，没有一个破坏这把锁。"},
	{"two clients think they hold it", "两个客户端都以为持有"}, {"the resource is damaged", "资源被损坏"}, {"no client can get it", "谁也拿不到"},
	{"What can happen to a client", "客户端会怎样"}, {"What can happen to a message", "消息会怎样"}, {"What can happen to the network", "网络会怎样"},
	{"What must not happen", "什么不能发生"},
	{"With fencing tokens, it does no harm that two believe they hold the lock: untick that below.", "有了防护令牌，两个客户端都以为持有也无妨：在下面去掉那一项。"},
	{"What can happen to the servers", "服务器会怎样"}, {"What can happen to a clock", "时钟会怎样"},

	// Worlds and classes.
	{"2 clients, 1 round, work of half a lease, 3 s until a reply counts as lost", "2 个客户端，1 轮，工作半个租约，3 秒后视为没有回复"},
	{"2 rounds, so that what is late of the first meets the second", "2 轮，让第一轮迟到的遇上第二轮"},
	{"work of 9.5 s, the lease being 10 s; a client that waits asks twice a second", "工作 9.5 秒，租约 10 秒；等待的客户端每秒问两次"},
	{"work that outlasts each fault and what the store waits for (55 s; consul 60 s), for locks that last so long", "工作比每个故障和存储的等待都久（55 秒；consul 60 秒），只用于撑得住的锁"},
	{"15 s until a reply counts as lost, longer than the lease", "15 秒后才视为没有回复，比租约长"},
	{"a client tries for 2 s only, and comes back for a second round", "客户端只试 2 秒，之后再来第二轮"},
	{"a release whose outcome is unknown is repeated after 1 s; 2 rounds", "结果不明的释放 1 秒后重来；2 轮"},
	{"the holder takes the lock again, for locks that allow it", "持有者再次拿锁，只用于允许重入的锁"},
	{"3 clients, for queues and takeovers", "3 个客户端，为了队列和接管"},
	{"sentinels promote the replica, and no operator", "由哨兵提升副本，没有人工操作"},
	{"the database ends sessions that are silent for 30 s", "数据库结束静默 30 秒的会话"},
	{"5 nodes of Redlock instead of 3", "Redlock 用 5 个节点，而不是 3 个"},
	{"a client tries for 12 s, for locks that nobody gets without a fault", "客户端试 12 秒，只用于没有故障也没人拿得到的锁"},
	{"the lease is 10 s, a lost reply is noticed after 3 s; messages take 1 ms, nothing is drawn", "租约 10 秒，3 秒后发现回复丢失；消息用 1 毫秒，没有随机"},
	{"a primary has one replica (more where the design says so) that is 0.1 s behind; 3 nodes of redlock (5 in the world five-nodes), clusters of 3 members", "主节点有一个落后 0.1 秒的副本（设计要求时更多）；redlock 3 个节点（世界 five-nodes 里 5 个），集群 3 个成员"},
	{"moments: around each request and each step of the workload (waits, enters, works, writes, releases); a client is hit at its own, a server at those of all; rates of clocks change when a client waits or acquires", "时刻：每个请求前后，以及工作的每一步（等待、进入、工作、写入、释放）；客户端在自己的时刻被打击，服务器在所有客户端的时刻；时钟的快慢在客户端等待或拿到锁时改变"},
	{"one fault alone: -short 2 s and 5 s (servers 5 s, splits 3 s), else 12 s and 40 s (consul 45 s, longer than a session and its lock delay); a restart takes 0.5 s or 12 s", "单个故障：-short 为 2 秒和 5 秒（服务器 5 秒，分区 3 秒），其余 12 秒和 40 秒（consul 为 45 秒，比会话加上锁延迟还久）；重启 0.5 秒或 12 秒"},
	{"several faults: -short 5 s (splits 3 s), else 12 s (consul also 45 s); a restart takes 0.5 s; a client is cut off from one server for 12 s only (consul also 45 s)", "几个故障：-short 为 5 秒（分区 3 秒），其余 12 秒（consul 还有 45 秒）；重启 0.5 秒；客户端与一台服务器断开只有 12 秒的（consul 还有 45 秒）"},
	{"several faults: of the two followers of a cluster only the first is hit alone, and splits have its leader alone or with one client", "几个故障：集群的两个跟随者只单独打击第一个；分区时领导者独自一边，或与一个客户端一边"},
	{"slow work takes 8 s or 40 s longer; clocks step by 11 s to and fro, and run 2 % or 15 % fast or slow (several faults: 15 %)", "慢工作多用 8 秒或 40 秒；时钟前后跳变 11 秒，走快或走慢 2 % 或 15 %（几个故障时 15 %）"},
	{"several faults: the next one at any later moment, at that of the one before or at its end; in just-within, of what a client repeats, at one moment in 2 s and at those of the last second before its next step", "几个故障：下一个在之后的任何时刻、前一个的时刻或它结束时；just-within 里，客户端重复做的事每 2 秒取一个时刻，另加它下一步之前最后一秒里的时刻"},
	{"several faults: each lock says in which worlds all of their schedules were walked, in which some were drawn, and in which none", "几个故障：每把锁各自说明，哪些世界里走过它们的所有安排，哪些抽取了一些，哪些没有走"},
}
