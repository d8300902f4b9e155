package chinese

import "strings"

// pageRules are the texts of a page that have parts and that package explain does
// not say.
var pageRules = compile([]pair{
	// Head.
	{"seed {k} · backend {x} · {t} of true time", "种子 {k} · 后端 {x} · 真实时间 {t}"},
	{"· seed {k} · {any}[ ·]", "· 种子 {k} · {any}[ ·]"},
	{"broken {k}×", "破坏 {k} 次"},
	{"{k} of {k2} locks broke at least one property.", "{k2} 把锁中有 {k} 把至少破坏了一条性质。"},
	{"Each of the {k} locks broke at least one property.", "{k} 把锁每一把都至少破坏了一条性质。"},
	{"{d}", "{d}"},
	{"{belief} · {belief2}", "{belief} · {belief2}"},

	// Predictions.
	{"{lock}, at {t}: {sentence} What goes wrong next?", "{lock}，{t}：{sentence}接下来会出什么问题？"},
	{"{lock}: what goes wrong?", "{lock}：会出什么问题？"},
	{"{lock} relied on something that was not so. On what?", "{lock} 依赖的某件事并不成立。是什么？"},
	{"The same faults, the same seed, another lock. Which of these keeps {prop}?", "故障相同，种子相同，换一把锁。哪一把守得住 {prop}？"},
	{"{who} and {who2} are inside at the same time.", "{who} 和 {who2} 同时在里面。"},
	{"A release by {who} takes away the lock of {who2}.", "{who} 的释放拿走了 {who2} 的锁。"},
	{"{who} writes although {who2} got the lock after it, and the resource takes the write.", "{who2} 在 {who} 之后拿到锁，{who} 仍然写入，资源接受了。"},
	{"{who} overwrites what {who2} wrote, without having seen it.", "{who} 没看到 {who2} 写的就把它覆盖了。"},
	{"No, this held: {any}.", "错，这一条成立：{any}。"},
	{"No: {prop} is broken here as well.", "错：{prop} 在这里也被破坏。"},
	{"No: {prop} is broken, as with {lock}.", "错：{prop} 被破坏，和 {lock} 一样。"},
	{"No: {prop} is broken.", "错：{prop} 被破坏。"},
	{"No: {prop} is kept in this run.", "错：{prop} 在这次运行里守住了。"},
	{"Not yet: {prop} breaks at {t} only.", "还没有：{prop} 到 {t}才被破坏。"},
	{"Yes: {prop} is kept.", "对：{prop} 守住了。"},
	{"Yes, at {t}: {told}", "对，在 {t}：{told}"},
	{"Yes: {any}.", "对：{any}。"},
	{"See step {k}", "看第 {k} 步"},

	// Facts of the set-up.
	{"{k} per client, waiting up to {d} for the lock", "每个客户端 {k} 轮，最多等锁 {d}"},
	{"{d} to {d2} each way, response timeout {d3}[, {k} of a million commands lose one half]", "单程 {d} 到 {d2}，回复超时 {d3}[，百万条命令中 {k} 条丢失一半]"},
	{"{d} each way, response timeout {d2}[, {k} of a million commands lose one half]", "单程 {d}，回复超时 {d2}[，百万条命令中 {k} 条丢失一半]"},
	{"{d} to {d2}", "{d} 到 {d2}"},
	{"{x}, at best {k}", "{x}，最少 {k}"},
	{"{d}, {d2}; gave up once", "{d}、{d2}；放弃 1 次"},
	{"{d}, {d2}; gave up {k} times", "{d}、{d2}；放弃 {k} 次"},
	{"{d}, {d2}", "{d}、{d2}"},
	{"{k} times at {any}", "{k} 次，在 {any}"},
	{"no: {k} had none", "否：{k} 个没有影响"},
	{"without effect at {any}", "没有影响，在 {any}"},
	{"fault {k} has changed nothing", "故障 {k} 什么也没有改变"},
	{"once at {t}", "1 次，在 {t}"},
	{"servers of {any}", "{any} 的服务器"},
	{"clock of {who}", "{who} 的时钟"},
	{"fault {k}", "故障 {k}"},
	{"off by {d}, drifts by {x} ppm", "偏差 {d}，漂移百万分之 {x}"},
	{"one {store} server[; {demand}]", "一台 {store} 服务器[；{demand}]"},
	{"one {store} primary and {k} replica[s], {d} behind; a failover takes {d2}[; {demand}]", "一台 {store} 主节点和 {k} 个副本[]，落后 {d}；故障转移需要 {d2}[；{demand}]"},
	{"a Redis Cluster of {k} shards, each a primary and {k2} replica[s], {d} behind; nodes are down after {d2} of silence", "一个 {k} 个分片的 Redis Cluster，每个分片一台主节点和 {k2} 个副本[]，落后 {d}；节点静默 {d2}后视为下线"},
	{"one {store} primary and {k} replica[s], {d} behind; {k2} sentinels promote one after {d2} of silence and an election of {d3}", "一台 {store} 主节点和 {k} 个副本[]，落后 {d}；{k2} 个哨兵在静默 {d2}和选举 {d3}之后提升一个"},
	{"{k} {store} primaries that know nothing of each other[; {demand}]", "{k} 台互不相识的 {store} 主节点[；{demand}]"},
	{"a {store} cluster of {k}, which elects a new leader in {d}", "{k} 台 {store} 组成的集群，{d}选出新的领导者"},
	{"an {store} cluster of {k}, which elects a new leader in {d}", "{k} 台 {store} 组成的集群，{d}选出新的领导者"},
	{"a {store} ensemble of {k}, which elects a new leader in {d}, tick {d2}", "{k} 台 {store} 组成的集群，{d}选出新的领导者，tick {d2}"},
	{"{names} talk to {names2} and to the resource", "{names} 访问 {names2} 和资源"},
	{"{k} more", "另外 {k} 个"},
	{"{k}. {fault}", "{k}. {fault}"},

	// Tables of evidence.
	{"{k} properties: {any}", "{k} 条性质：{any}"},
	{"{k} deaths", "{k} 次死亡"},
	{"{k} entries forgotten, {k2} crashes, {k3} promotions", "忘记 {k} 个条目，崩溃 {k2} 次，提升 {k3} 次"},
	{"{k} lost, {k2} response timeouts, {k3} faults that hold messages back", "丢失 {k} 条，回复超时 {k2} 次，压住消息的故障 {k3} 个"},
	{"{k} foreign removals", "删除别人的条目 {k} 次"},
	{"largest offset {d}", "最大偏差 {d}"},
	{"longest hold {d}, lease {d2}", "最长持有 {d}，租约 {d2}"},
	{"longest standstill {d}, lease {d2}", "最长停顿 {d}，租约 {d2}"},
	{"{lock}: {k} rows for {k2} events", "{lock}：{k2} 个事件，{k} 行"},
	{"No lock was tested against the opposite of this: {premises}.", "下面这些，没有一把锁经受过它的反面：{premises}。"},
	{"{lock}: {prop} is unknown, which is no kind of kept: {why}.", "{lock}：{prop} 未知，这不算守住：{why}。"},
	{"{prop} is unknown: {why}", "{prop} 未知：{why}"},
	{"luck of {who} (its tokens), habits of {who2} (its work), network of {who3}", "{who} 的运气（令牌）、{who2} 的习惯（工作）、{who3} 的网络"},
	{"The seed {k} is split by name, so that another lock does not change the luck of the rest:", "种子 {k} 按名字拆开，换一把锁不会改变其余部分的随机："},
	{"schema {k}", "格式 {k}"},
	{"Showing {k} of {k2} steps: {k3} earlier and {k4} later ones are left out.", "显示 {k2} 步中的 {k} 步：前面略去 {k3} 步，后面略去 {k4} 步。"},
	{"Showing only events {k} to {k2} of {k3}, around what broke first; all of them are in history.jsonl.", "只显示 {k3} 个事件中的第 {k} 到 {k2} 个，在第一处破坏前后；全部都在 history.jsonl 里。"},
	{"{k} later rows are left out to keep this page small; all events are in history.jsonl.", "为了让本页不太大，后面的 {k} 行略去了；全部事件都在 history.jsonl 里。"},
	{"{lock}: the table of its {k} events is left out to keep this page small; all of them are in history.jsonl.", "{lock}：为了让本页不太大，它的 {k} 个事件的表略去了；全部都在 history.jsonl 里。"},

	// The story.
	{"The assumption was: {assumption}", "当时的假设是：{assumption}"},
	{"simulate search found this in {any} with seed {k} and shrunk it: {k2} fault[s], {k3} client[s], {k4} round[s] and {k5} event[s] became {k6} fault[s], {k7} client[s], {k8} round[s] and {k9} event[s].",
		"simulate search 在 {any} 里用种子 {k} 发现了它，并把它缩小：{k2} 个故障[]、{k3} 个客户端[]、{k4} 轮[]、{k5} 个事件[]，变成 {k6} 个故障[]、{k7} 个客户端[]、{k8} 轮[]、{k9} 个事件[]。"},
	{"{assumption} In fact: {assumption2}", "{assumption}其实：{assumption2}"},
	{"step {k}: {t} {sentence}", "第 {k} 步：{t} {sentence}"},
	{"{lock}, step {k} at {t}[, a property breaks]", "{lock}，第 {k} 步，{t}[，性质被破坏]"},
	{"{lock}: what happened, step by step", "{lock}：一步一步，发生了什么"},
	{"{lock}: the whole run in true time", "{lock}：整个运行，按真实时间"},
	{"{lock}: space-time diagram[ in true time]", "{lock}：时空图[，按真实时间]"},
	{"{lock}: diagram of all events", "{lock}：所有事件的图"},
	{"{lock}: table of events", "{lock}：事件表"},
	{"Space-time diagram of {lock}: {k} steps, time runs down[, in true time]", "{lock} 的时空图：{k} 步，时间向下[，按真实时间]"},
	{"All events of {lock} from {k} to {k2}, time runs down", "{lock} 的所有事件，第 {k} 到 {k2} 个，时间向下"},
	{"The whole run in true time, {t}", "整个运行，按真实时间，{t}"},
	{"{k} locks in true time, below each other, {t}", "{k} 把锁，按真实时间，上下排列，{t}"},
	{"... {t}, nothing relevant ...", "... {t}，没有要紧的事 ..."},
	{"Show all {k} events", "显示全部 {k} 个事件"},
	{"Show {k} of {k2} events, those around what broke first", "显示 {k2} 个事件中的 {k} 个，在第一处破坏前后"},
	{"Hatched: what a client believes; solid: what the store has. The first property breaks at step {k}, at {t}.", "斜线：客户端以为的；实心：存储里的。第一条性质在第 {k} 步被破坏，时间 {t}。"},
	{"Up to {k} clients inside at once, more than one for {d} in all (filled). Grey: a fault at work. The lane below marks what broke.", "最多 {k} 个客户端同时在里面，超过一个的时间共 {d}（填色）。灰色：故障在起作用。下面一栏标出被破坏的。"},
	{"Clients inside at once, over {t}: at most {k}", "{t}内同时在里面的客户端：最多 {k} 个"},
	{"One axis of time for all. The flag is the first step that differs from the first lock's story. Shown are the first {k} of {k2} locks.", "同一条时间轴。小旗是与第一把锁的经过第一处不同的步骤。只画出 {k2} 把锁中的前 {k} 把。"},

	// Measurements.
	{"{k} acquisition[s] each; the longest wait was {d}, of {who}.", "各拿到 {k} 次[]；最长的等待是 {d}，{who}。"},
	{"Between {k} and {k2} acquisitions per client; the longest wait was {d}, of {who}.", "每个客户端拿到 {k} 到 {k2} 次；最长的等待是 {d}，{who}。"},
	{"{k} attempt[s] got the lock (dots), {k2} gave up (circles), {k3} error[s] on the way (crosses).", "{k} 次尝试[]拿到锁（点），{k2} 次放弃（圈），{k3} 次途中出错[]（叉）。"},
	{"{k} clock[s] did not show true time; the farthest was off by {d}.", "{k} 个时钟[]不是真实时间；最远的差 {d}。"},
	{"{k} clock[s] did not show true time; the farthest was off by {d}. Dashed: one lease. A store's clock that jumps as far ends every lease at once.", "{k} 个时钟[]不是真实时间；最远的差 {d}。虚线：一个租约。存储的时钟跳这么远，所有租约立刻结束。"},
	{"{k} hold[s] of {k2} lasted longer than the lease of {d} (dashed).", "{k2} 次持有中有 {k} 次[]比 {d}的租约长（虚线）。"},
	{"{k} writes taken (dots), {k2} refused (crosses). Ringed: {k3} taken although a higher token had been seen.", "接受 {k} 次写入（点），拒绝 {k2} 次（叉）。加圈：{k3} 次，见过更高的令牌仍然接受。"},
	{"{k} write[s] taken (dots), {k2} refused (crosses). The tokens of the writes that were taken never go down.", "接受 {k} 次写入[]（点），拒绝 {k2} 次（叉）。被接受的写入，令牌从不变小。"},
	{"Acquisitions and longest wait of {k} clients", "{k} 个客户端拿锁的次数和最长等待"},
	{"How long the lock was held: {k} holds, {k2} longer than the lease", "锁被持有多久：{k} 次持有，{k2} 次比租约长"},
	{"Offsets of {k} clock[s] that [is][are] not true", "{k} 个[]不准的时钟的偏差[][]"},
	{"Tokens at the resource: {k} writes taken, {k2} refused, {k3} of those taken were stale", "资源看到的令牌：接受 {k} 次写入，拒绝 {k2} 次，接受的里面 {k3} 次过期"},
	{"Waits for the lock: {k} got it, {k2} gave up, {k3} errors", "等锁：{k} 次拿到，{k2} 次放弃，{k3} 次出错"},
	{"Not drawn for {any}: the lock hands out no token.", "没有画 {any}：这种锁不发令牌。"},
	{"Not drawn for {any}: nobody held the lock.", "没有画 {any}：没有人持有过锁。"},
	{"Not drawn for {any}: nobody wrote to the resource.", "没有画 {any}：没有人写过资源。"},
	{"Not drawn for {any}: nobody got the lock.", "没有画 {any}：没有人拿到锁。"},
	{"Not drawn for {any}: all clocks showed true time.", "没有画 {any}：所有时钟都是真实时间。"},
	{"{k}th percentile", "第 {k} 百分位"},
	{"{cmd} lost", "{cmd} 丢失"},
	{"{x}, late", "{x}，迟到"},
	{"read v{k}", "读 v{k}"},
	{"its story ends after step {k}", "它的经过到第 {k} 步为止"},

	// What to change.
	{"A longer lease: {d} instead of {d2}.", "更长的租约：{d}，而不是 {d2}。"},
	{"A shorter fault: {d} instead of {d2}.", "更短的故障：{d}，而不是 {d2}。"},
	{"Another lock. {lock} broke nothing with the same seed and faults.", "换一把锁。同样的种子和故障，{lock} 没有破坏什么。"},
	{"Another lock. {lock} broke one property only.", "换一把锁。{lock} 只破坏了一条性质。"},
	{"Another lock. {lock} broke {k} properties only.", "换一把锁。{lock} 只破坏了 {k} 条性质。"},
	{"Copy the command {x}", "复制命令 {x}"},

	// What is all parts comes last.
	{"{t} {sentence}", "{t} {sentence}"},
})

// What came of the expectations; they also come in lists.
var outcomeRules = compile([]pair{
	{"{prop} was {any}, expected {any2}", "{prop} 的结果是{any}，预期是{any2}"},
	{"fault {k} never fired: {fault}", "故障 {k} 没有触发：{fault}"},
	{"fault {k} had no effect: {fault}", "故障 {k} 没有任何影响：{fault}"},
	{"fault {k} was followed by no contention: {fault}", "故障 {k} 之后没有竞争：{fault}"},
	{"none of the faults that were drawn had an effect", "抽到的故障都没有任何影响"},
	{"none of the faults that were drawn was followed by contention", "抽到的故障之后都没有竞争"},
	{"the run was cut short: more than {k} events: lower clients, repeat or wait", "运行被中断：超过 {k} 个事件：请减少 clients、repeat 或 wait"},
	{"the run was cut short: {k} events are left of the {k2} that all locks of a run may have: play fewer locks at once", "运行被中断：一次运行的所有锁共可有 {k2} 个事件，只剩 {k} 个：请一次少运行几把锁"},
	{"the run was cut short: texts of more than {k} MiB: lower clients, repeat or wait", "运行被中断：文本超过 {k} MiB：请减少 clients、repeat 或 wait"},
	{"the run was cut short: more than {k} steps of the simulator: lower clients, repeat or wait", "运行被中断：模拟器超过 {k} 步：请减少 clients、repeat 或 wait"},
	{"the run was cut short: interrupted, and these are the first {k} of {k2} events", "运行被中断：人为停止，这是 {k2} 个事件中的前 {k} 个"},
	{"the run was cut short", "运行被中断"},
	{"the end of the history is missing: it stops after {k} events", "历史缺少结尾：到第 {k} 个事件为止"},
	{"the scenario says nothing of this lock, so it is expected to keep every property", "场景没有提到这把锁，所以预期它遵守每条性质"},
})

// outcomes translates what a run missed of what was expected of it.
func outcomes(text string) (string, bool) { return listOf(outcomeRules, text) }

// why translates why a property is unknown.
func why(text string) (string, bool) {
	if got, ok := say(whyRules, text); ok {
		return got, true
	}
	return outcomes(text) // what was not tested
}

func listOf(rules func() []rule, text string) (string, bool) {
	list := strings.Split(text, "; ")
	for i := range list {
		got, ok := say(rules, list[i])
		if !ok {
			return text, false
		}
		list[i] = got
	}
	return strings.Join(list, "；"), true
}

// Why a property is unknown.
var whyRules = compile([]pair{
	{"nobody acquired the lock", "没有人拿到锁"},
	{"the resource accepted no write", "资源没有接受写入"},
	{"no write reached the resource", "没有写入到达资源"},
	{"no client's command removed an entry", "没有客户端的命令删除过条目"},
	{"nobody can tell whether {who} was the newest holder when it wrote at {t}", "没有人说得出 {who} 在 {t} 写入时是不是最新的持有者"},
	{"nobody can tell whose entry {x} of {who}'s, sent at {t}, has removed, nor {k} more", "没有人说得出 {who} 在 {t} 发送的 {x} 删除了谁的条目，另有 {k} 条也一样"},
	{"nobody can tell whose entry {x} of {who}'s, sent at {t}, has removed", "没有人说得出 {who} 在 {t} 发送的 {x} 删除了谁的条目"},
	{"no client ever had to wait for another", "没有客户端需要等别的客户端"},
	{"the history does not say which read a write was computed from", "历史没有说明写入是从哪次读取算出来的"},
	{"the probe had less than ten leases to acquire the lock", "探针拿锁的时间不到十个租约"},
	{"the history has no quiet period", "历史里没有安静期"},
	{"no probe tried the lock in the quiet period", "安静期里没有探针来试这把锁"},
	{"the history does not say how long the lease was", "历史没有说明租约多长"},
})

// What a design demands of its servers.
var demandRules = compile([]pair{
	{"every write is on disk before its reply", "每次写入先落盘再回复"},
	{"writes need {k} replica[s] in contact", "写入需要 {k} 个副本[]在线"},
})

// premisesOf translates a list of premises.
func premisesOf(text string) (string, bool) {
	list, complete := strings.Split(text, "; "), true
	for i, p := range list {
		chinese, ok := premises[p]
		if !ok {
			complete = false
			continue
		}
		list[i] = chinese
	}
	return strings.Join(list, "；"), complete
}

// told translates a step and, behind it, what breaks there: "A writes. Two inside."
func told(text string) (string, bool) {
	if got, ok := Sentence(text); ok {
		return got, true
	}
	at := strings.LastIndex(text, ". ")
	if at < 0 || at+2 == len(text) {
		return text, false
	}
	sentence, ok := Sentence(text[:at+1])
	note := text[at+2:]
	note, known := Note("<- " + strings.ToLower(note[:1]) + strings.TrimSuffix(note[1:], "."))
	return sentence + strings.TrimPrefix(note, "<- ") + "。", ok && known
}
