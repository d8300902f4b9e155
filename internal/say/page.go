package say

// What the page of a run says with numbers and names in it.

// The head, the verdicts and the set-up.
var (
	TimesFaster  = New1[Verbatim]("{n} times faster", "{n} 倍速")
	TimesSlower  = New1[Verbatim]("{n} times slower", "放慢到 {n} 分之一")
	RunsTook     = New3[Number, Rounded, Flag]("{n} {n|run|runs}, {time}[simulated? of simulated time]", "{n} 次运行，[simulated?模拟时间]共 {time}")
	SomeBroke    = New2[Number, Number]("{broken} of {n} locks broke at least one property.", "{n} 把锁中有 {broken} 把至少破坏了一条性质。")
	AllBroke     = New1[Number]("Each of the {n} locks broke at least one property.", "{n} 把锁每一把都至少破坏了一条性质。")
	BrokenTimes  = New1[Number]("broken {n}×", "破坏 {n} 次")
	BrokeSome    = New1[Number]("broke {n} {n|property|properties}", "破坏了 {n} 条性质")
	KeptFenced   = New0("kept (fenced)", "守住（有防护）")
	SeeStep      = New1[Number]("See step {n}", "看第 {n} 步")
	OfLock       = New2[Verbatim, Phrase]("{lock}: {what}", "{lock}：{what}")
	RoundsEach   = New2[Number, Planned]("{n} per client, waiting up to {wait} for the lock", "每个客户端 {n} 轮，最多等锁 {wait}")
	PlannedRange = New2[Planned, Planned]("{least} to {most}", "{least} 到 {most}")
	PlannedTime  = New1[Planned]("{time}", "{time}")
	NetworkIs    = New3[Phrase, Planned, Optional](
		"{latency} each way, response timeout {timeout}[, {ppm} in a million commands lose their request or their reply]",
		"单程 {latency}，回复超时 {timeout}[，百万条命令中 {ppm} 条丢失请求或回复]")
	ClockOf     = New1[Verbatim]("clock of {node}", "{node} 的时钟")
	ClockIs     = New2[Planned, Number]("off by {offset}, drifts by {ppm} ppm", "偏差 {offset}，漂移百万分之 {ppm}")
	FaultNumber = New1[Number]("fault {n}", "故障 {n}")
	More        = New1[Number]("{n} more", "另外 {n} 个")
	ServersOf   = New1[List]("servers of {locks}", "{locks} 的服务器")
	RedisNodes  = New1[Number]("{n} independent Redis primaries", "{n} 台互相独立的 Redis 主节点")
	ClusterOf   = New4[Verbatim, Number, Planned, List](
		"{store} cluster of {n}, which elects a new leader in {time}[, {settings}]",
		"{n} 台组成的 {store} 集群，{time}选出新的领导者[，{settings}]")
	SettingIs  = New2[Verbatim, Planned]("{name} {time}", "{name} {time}")
	OneServer  = New1[Verbatim]("one {store} server", "一台 {store} 服务器")
	PrimaryAnd = New3[Verbatim, Number, Planned](
		"one {store} primary and {n} {n|replica|replicas}, {lag} behind",
		"一台 {store} 主节点和 {n} 个副本，落后 {lag}")
	ShardsOf = New3[Number, Number, Planned](
		"a Redis Cluster of {shards} shards, each a primary and {n} {n|replica|replicas}, {lag} behind",
		"{shards} 个分片的 Redis Cluster，每个分片一台主节点和 {n} 个副本，落后 {lag}")
	NodesAreDown     = New1[Planned]("nodes are down after {time} of silence", "节点静默 {time}后视为下线")
	FailoverTakes    = New1[Planned]("a failover takes {time}", "故障转移需要 {time}")
	SentinelsPromote = New3[Number, Planned, Planned](
		"{n} sentinels promote one after {silence} of silence and an election of {election}",
		"{n} 个哨兵在静默 {silence}、选举 {election}之后提升一个")
	WritesNeed = New1[Number]("writes need {n} replicas in contact", "写入需要 {n} 个副本在线")
)

// The story.
var (
	ShowingSteps = New4[Number, Number, Number, Number](
		"Showing {n} of {all} steps: {earlier} earlier and {later} later ones are left out.",
		"显示 {all} 步中的 {n} 步：前面略去 {earlier} 步，后面略去 {later} 步。")
	StepOf        = New4[Verbatim, Number, Seconds, Flag]("{lock}, step {n} at {time}[bad?, a property breaks]", "{lock}，第 {n} 步，{time}[bad?，性质被破坏]")
	FoldedClients = New2[Number, List](
		"Folded: {n} {n|client|clients} that {n|plays|play} no part in these steps ({names}).",
		"折叠了 {n} 个与这些步骤无关的客户端（{names}）。")
	SoItGoesOn    = New4[Phrase, Number, Number, Seconds]("{what} These {steps} steps {n} more times until {time}.", "{what}直到 {time}，这 {steps} 步又重复 {n} 次。")
	SoDoOthers    = New3[Phrase, Number, Seconds]("{what} The same {n} more times until {time}.", "{what}直到 {time}，同样的事又有 {n} 次。")
	StepNumber    = New1[Number]("step {n}", "第 {n} 步")
	AssumptionWas = New1[Phrase]("The assumption was: {assumption}", "当时的假设是：{assumption}")
	BreaksAtStep  = New2[Number, Seconds](
		"Hatched: what a client believes; solid: what the store has. The first property breaks at step {n}, at {time}.",
		"斜线：客户端以为的；实心：存储里的。第一条性质在第 {n} 步被破坏，时间 {time}。")
	UpToInside = New2[Number, Seconds](
		"Up to {n} clients inside at once, more than one for {time} in total (filled). Grey: a fault at work. The lane below marks what broke.",
		"最多 {n} 个客户端同时在里面，超过一个的时间共 {time}（填色）。灰色：故障在起作用。下面一栏标出被破坏的。")
	ShowAllEvents  = New1[Number]("Show all {n} events", "显示全部 {n} 个事件")
	ShowSomeEvents = New2[Number, Number](
		"Show {n} of {all} events, those around what broke first",
		"显示 {all} 个事件中的 {n} 个，在第一处破坏前后")
)

// The figures.
var (
	SpaceTime = New3[Verbatim, Number, Flag](
		"Space-time diagram of {lock}: {n} steps, time runs down[truly?, in true time]",
		"{lock} 的时空图：{n} 步，时间向下[truly?，按真实时间]")
	EventsFrom = New3[Verbatim, Number, Number](
		"All events of {lock} from {first} to {last}, time runs down",
		"{lock} 的所有事件，第 {first} 到 {last} 个，时间向下")
	WholeRun       = New1[Seconds]("The whole run in true time, {time}", "整个运行，按真实时间，{time}")
	LocksBelow     = New2[Number, Seconds]("{n} locks in true time, below each other, {time}", "{n} 把锁，按真实时间，上下排列，{time}")
	TalkTo         = New2[List, List]("{clients} talk to {stores} and to the resource", "{clients} 访问 {stores} 和资源")
	InsideOver     = New2[Seconds, Number]("Clients inside at once, over {time}: at most {n}", "{time}内同时在里面的客户端：最多 {n} 个")
	TimePasses     = New2[Rounded, Clauses]("{time} pass[: {what}]", "{time}过去[：{what}]")
	IsFrozen       = New1[Name]("{who} is frozen", "{who} 冻结")
	AreFrozen      = New1[Names]("{who} are frozen", "{who} 冻结")
	LeaseRunsOut   = New2[Name, Names]("{who}'s lease runs out[ on {servers}]", "{who} 的租约[在 {servers} 上]到期")
	SessionRunsOut = New2[Name, Names]("{who}'s session ends[ on {servers}]", "{who} 的会话[在 {servers} 上]结束")
	ExecutedUnseen = New2[Verbatim, Verbatim](
		"{command}: {reply}; when the store executed it is unknown",
		"{command}：{reply}；存储何时执行，未知")
	LateMessage = New1[Verbatim]("{command}, late", "{command}，迟到")
	RoundOf     = New3[Verbatim, Number, Verbatim]("{command} to {n}: {answers}", "{command} 发给 {n} 台：{answers}")
	LostMessage = New1[Phrase]("[{command} ]lost", "[{command} ]丢失")
	ReadVersion = New1[Number]("read v{n}", "读 v{n}")
	Standing    = New2[Phrase, Flag]("{belief}[frozen?, frozen]", "{belief}[frozen?，冻结]")
	OneLease    = New1[Planned]("1 lease = {time}", "1 个租约 = {time}")
	SomeLeases  = New2[Verbatim, Planned]("{n} leases = {time}", "{n} 个租约 = {time}")
	AxisSeconds = New1[Verbatim]("{n} s", "{n} 秒")
)

// The locks side by side.
var (
	FirstOfLocks   = New2[Number, Number](" The first {n} of {all} locks are shown.", "只画出 {all} 把锁中的前 {n} 把。")
	InsteadOf      = New2[Phrase, Phrase]("{here} instead of {there}", "{here}，原来是 {there}")
	NoLockFixes    = New1[Verbatim]("None of these locks survives this: each breaks something that {lock} broke.", "这些锁都过不了这一关：{lock} 破坏的性质，没有一把全部守住。")
	LocksThatFix   = New1[Verbatim]("Under the same faults these keep what {lock} broke, or leave the data safe, at a price:", "在同样的故障下，这些锁守住了 {lock} 破坏的性质，或者没有损坏数据，代价是：")
	InFact         = New2[Phrase, Phrase]("{assumed} In fact: {formula}", "{assumed}实际：{formula}")
	EndsAfterStep  = New1[Number]("its story ends after step {n}", "它的经过到第 {n} 步为止")
	StepTells      = New3[Optional, Seconds, Phrase]("[step {n}: ]{time} {sentence}", "[第 {n} 步：]{time}，{sentence}")
	AtBest         = New2[Verbatim, Optional]("{n}[ (the cheapest {least})]", "{n}[（最少 {least}）]")
	WaitsAre       = New3[Seconds, Seconds, Phrase]("{median}, {most}[; {end}]", "{median}、{most}[；{end}]")
	GaveUpTimes    = New1[Times]("gave up {times}", "放弃 {times}")
	ComparesTokens = New1[Phrase]("compares tokens ({where})", "比较令牌（{where}）")
)

// The measurements.
var (
	NothingToShow = New1[Phrase]("Nothing to show: {why}.", "没有可画的：{why}。")
	NotDrawnFor   = New2[List, Phrase]("Not drawn for {locks}: {why}.", "没有画 {locks}：{why}。")
	TokensSeen    = New3[Number, Number, Number](
		"Tokens at the resource: {taken} writes taken, {refused} refused, {stale} of those taken were stale",
		"资源看到的令牌：接受 {taken} 次写入，拒绝 {refused} 次，接受的里面 {stale} 次过期")
	StaleTokens = New3[Number, Number, Number](
		"{taken} {taken|write|writes} taken (dots), {refused} refused (crosses). Ringed: {stale} taken although a higher token had been seen.",
		"接受 {taken} 次写入（点），拒绝 {refused} 次（叉）。加圈：{stale} 次，见过更高的令牌仍然接受。")
	RisingTokens = New2[Number, Number](
		"{taken} {taken|write|writes} taken (dots), {refused} refused (crosses). The tokens of the writes that were taken never go down.",
		"接受 {taken} 次写入（点），拒绝 {refused} 次（叉）。被接受的写入，令牌从不变小。")
	WaitsEnded = New3[Number, Number, Number](
		"Waits for the lock: {got} got it, {late} gave up, {errors} errors",
		"等锁：{got} 次拿到，{late} 次放弃，{errors} 次出错")
	WaitsShown = New3[Number, Number, Number](
		"{got} {got|attempt|attempts} got the lock (dots), {late} gave up (circles), {errors} {errors|error|errors} on the way (crosses).",
		"{got} 次尝试拿到锁（点），{late} 次放弃（圈），{errors} 次途中出错（叉）。")
	ClocksOff = New1[Number]("Offsets of {n} {n|clock|clocks} that {n|does|do} not show true time", "{n} 个不准的时钟的偏差")
	ClocksFar = New3[Number, Measured, Flag](
		"{n} {n|clock|clocks} did not show true time; the farthest was off by {far}.[lease? Dashed: one lease. A store's clock that jumps that far ends every lease at once.]",
		"{n} 个时钟不是真实时间；最远的差 {far}。[lease?虚线：一个租约。存储的时钟跳这么远，所有租约立刻结束。]")
	HoldsBeyond = New2[Number, Number](
		"How long the lock was held: {n} holds, {beyond} longer than the lease",
		"锁被持有多久：{n} 次持有，{beyond} 次比租约长")
	HoldsLonger = New3[Number, Number, Measured](
		"{beyond} {beyond|hold|holds} of {n} lasted longer than the lease of {lease} (dashed).",
		"{n} 次持有中有 {beyond} 次比 {lease}的租约长（虚线）。")
	HoldsWithoutLease = New1[Number]("{n} {n|hold|holds}; the lock has no lease.", "{n} 次持有；这种锁没有租约。")
	AcquiredEach      = New1[Number]("Acquisitions and longest wait of {n} clients", "{n} 个客户端拿锁的次数和最长等待")
	FairTo            = New4[Number, Measured, Verbatim, Phrase](
		"{n} {n|acquisition|acquisitions} each; the longest wait, {wait}, was {who}'s.[ {note}]",
		"各拿到 {n} 次；等得最久的是 {who}，{wait}。[{note}]")
	UnfairTo = New5[Number, Number, Measured, Verbatim, Phrase](
		"Between {least} and {most} acquisitions per client; the longest wait, {wait}, was {who}'s.[ {note}]",
		"每个客户端拿到 {least} 到 {most} 次；等得最久的是 {who}，{wait}。[{note}]")
	FirstOfClients = New2[Number, Number]("The first {n} of {all} clients are shown.", "只显示 {all} 个客户端中的前 {n} 个。")
)

// The evidence.
var (
	Schema        = New1[Number]("schema {n}", "格式 {n}")
	JudgedBy      = New2[Number, List]("{n} {n|property|properties}: {which}", "{n} 条性质：{which}")
	No            = New1[Phrase]("no: {why}", "否：{why}")
	SomeUnfired   = New1[Number]("{n} never fired", "{n} 个没有触发")
	SomeInVain    = New1[Number]("{n} had none", "{n} 个没有影响")
	FiredAt       = New2[Times, List]("{times} at {when}", "{times}，在 {when}")
	WithoutEffect = New1[List]("without effect at {when}", "没有影响，在 {when}")
	RowsForEvents = New3[Verbatim, Number, Number]("{lock}: {rows} rows for {events} events", "{lock}：{events} 个事件，{rows} 行")
	TableLeftOut  = New2[Verbatim, Number](
		"{lock}: the table of its {n} events is left out to keep this page small; all of them are in history.jsonl.",
		"{lock}：为了让本页不太大，它的 {n} 个事件的表略去了；全部都在 history.jsonl 里。")
	OnlyEvents = New3[Number, Number, Number](
		"Showing only events {first} to {last} of {all}, around what broke first; all of them are in history.jsonl.",
		"只显示 {all} 个事件中的第 {first} 到 {last} 个，在第一处破坏前后；全部都在 history.jsonl 里。")
	RowsLeftOut = New1[Number](
		"{n} later rows are left out to keep this page small; all events are in history.jsonl.",
		"为了让本页不太大，后面的 {n} 行略去了；全部事件都在 history.jsonl 里。")
	SeedIsSplit = New1[Verbatim](
		"The seed {seed} is split by name, so another lock leaves the other random streams unchanged:",
		"种子 {seed} 按名字拆开，换一把锁不会改变其余部分的随机：")
	StreamsOfClient = New1[Name](
		"luck of {who} (its tokens), habits of {who} (its work), network of {who}",
		"{who} 的运气（令牌）、习惯（工作）和网络")
	EntryOf    = New1[Name]("entry of {who}", "{who} 的条目")
	WithPeer   = New1[Name]("with {who}", "与 {who}")
	VersionIs  = New1[Number]("version {n}", "版本 {n}")
	ForTime    = New1[Seconds]("for {time}", "为时 {time}")
	TokenIs    = New1[Number]("token {n}", "令牌 {n}")
	TimesUntil = New3[Verbatim, Number, Seconds]("{command}, {n} times until {time}", "{command}，{n} 次，直到 {time}")
)
