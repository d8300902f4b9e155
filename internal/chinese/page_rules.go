package chinese

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
	{"{lock}: {k} rows for {k2} events", "{lock}：{k2} 个事件，{k} 行"},
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

	{"Copy the command {x}", "复制命令 {x}"},

	// What is all parts comes last.
	{"{t} {sentence}", "{t} {sentence}"},
})

// What a design demands of its servers.
var demandRules = compile([]pair{
	{"every write is on disk before its reply", "每次写入先落盘再回复"},
	{"writes need {k} replica[s] in contact", "写入需要 {k} 个副本[]在线"},
})
