package say

// Text is a text of a page or of a terminal that has no parts, by its English: templates of pages
// ask for it with {{say "Verdict"}}. One that the table does not have is a name, and the same in
// every language; a test finds those that were forgotten.
func Text(english string) Phrase {
	return Both{English: english, Chinese: texts[english]}.Phrase()
}

// Texts are those texts in a language.
func Texts(l Language, english ...string) []string {
	out := make([]string, len(english))
	for i, text := range english {
		out[i] = Text(text).In(l)
	}
	return out
}

// Phrase is the text by itself.
func (b Both) Phrase() Phrase { return quoted.With(b) }

// quoted is a text by itself.
var quoted = New1[Both]("{text}", "{text}")

var textLists = [][][2]string{reportTexts, pageTexts, matrixTexts, exploreTexts, playTexts, terminalTexts}

var texts = func() map[string]string {
	all := map[string]string{}
	for _, list := range textLists {
		for _, t := range list {
			all[t[0]] = t[1]
		}
	}
	return all
}()

// reportTexts are those of the page of a run.
var reportTexts = [][2]string{
	// Headings, and what leads from one part to another.
	{"Skip to the verdict", "跳到结论"}, {"Sections", "各节"}, {"Verdict", "结论"}, {"Verdicts of all locks", "各锁的结论"}, {"Predict first", "先猜一猜"},
	{"The set-up", "布置"}, {"What each lock promises", "各锁的承诺"}, {"Promises of the locks", "各锁的承诺"}, {"Which design fixes it", "哪种设计能避免"},
	{"Measurements", "测量"}, {"Evidence", "证据"}, {"Words", "词语"}, {"The lesson", "要点"}, {"Smallest version", "最小版本"},
	{"This is the smallest version of a longer story: everything that could be left out or shortened was.", "这是一个更长故事的最小版本：能去掉、能缩短的，都去掉、缩短了。"},
	{"Why", "为什么"}, {"Clients inside at once", "同时在里面的客户端"}, {"Change one thing", "只改一处"}, {"keeps what broke", "守住了被破坏的"},
	{"The faults", "故障"}, {"Fault log", "故障记录"}, {"The events", "事件"}, {"What the seed decides", "种子决定的"}, {"Checked before anything was judged", "评判之前先检查的"},
	{"Checks of the histories", "对历史的检查"}, {"Assumptions, and what the world of this run did", "假设，以及这次运行里实际发生的"}, {"Assumptions", "假设"},
	{"What this run does not show", "这次运行没有说明的"}, {"Versions and files", "版本和文件"}, {"Play it again:", "再演一遍："}, {"Clocks", "时钟"},
	{"Distribution of the waits", "等待时间的分布"}, {"Fairness", "公平性"}, {"Hold time and lease", "持有时间与租约"}, {"Tokens at the resource", "资源看到的令牌"},
	{"Wait for the lock", "等锁的时间"}, {"Who believes what", "各自的认知"}, {"What the shapes mean", "图例"}, {"The same in true time", "按真实时间画同一张图"},
	{"Its numbers", "数据"}, {"Numbers of the figure", "图的数据"}, {"All locks in true time", "所有锁，按真实时间"}, {"The locks side by side", "各锁并排比较"},
	{"Nothing relevant happened.", "没有发生值得一提的事。"}, {"simulated", "模拟"}, {"real servers", "真实服务器"},

	// The stepper and its keys.
	{"the time cursor", "时间光标"}, {"Play", "播放"}, {"Pause", "暂停"}, {"Time", "时间"}, {"Speed", "速度"}, {"Zoom in", "放大"}, {"Zoom out", "缩小"}, {"Space", "空格"},
	{"play, pause", "播放、暂停"}, {"zoom into time, and out", "放大、缩小时间"}, {"hide the cursor", "隐藏光标"}, {"Let me guess first", "让我先猜"}, {"Show what happened", "看看发生了什么"}, {"What do you expect?", "你预料会怎样？"},
	{"Choose an answer to unfold it. The switch above shows what happened.", "选一个答案，它会展开。关掉上面的开关，就能看到发生了什么。"},
	{"Back", "后退"}, {"Next", "前进"}, {"Jump to what breaks", "跳到出错处"}, {"Keys", "按键"}, {"Close", "关闭"},
	{"next step", "下一步"}, {"step back", "上一步"}, {"first step, last step", "第一步、最后一步"}, {"to the next violation", "到下一处破坏"},
	{"true time, or time stretched to give every step room", "真实时间，或拉开时间、让每一步都有位置"}, {"this help", "本帮助"},
	{"believes", "认为"}, {"Step {n} of {of}, {at}:", "第 {n} 步，共 {of} 步，{at}："}, {"the store has", "存储里是"}, {"highest token", "最高的令牌"},
	{"not shown", "未显示"}, {"Copy", "复制"}, {"Copied", "已复制"}, {"Copy the command", "复制命令"}, {"mine", "我的"}, {"not mine", "不是我的"},
	{"waits", "在等"}, {"dead", "死了"}, {"none", "无"}, {"all", "全部"},

	// Predictions.
	{"What happens next?", "接下来会怎样？"}, {"Which assumption failed?", "哪个假设不成立？"}, {"Which design helps?", "哪种设计有用？"}, {"Right.", "对。"}, {"Wrong.", "错。"},
	{"See its story", "看它的经过"},

	// Tables.
	{"lock", "锁"}, {"store", "存储"}, {"guarantees", "保证"}, {"expectation", "预期"}, {"as expected", "符合预期"},
	{"nothing was expected", "没有预期"}, {"clients", "客户端"}, {"network", "网络"},
	{"servers", "服务器"}, {"rounds", "轮次"}, {"rest between rounds", "轮次之间的休息"}, {"work inside", "临界区内的工作"}, {"lease", "租约"}, {"fence", "防护"},
	{"at the resource", "资源那里"}, {"breaks when", "何时被破坏"}, {"assumption that failed", "不成立的假设"},
	{"first difference", "第一处不同"}, {"commands per acquisition", "每次拿锁的命令数"}, {"wait for the lock", "等锁的时间"}, {"by design", "按设计"},
	{"from the first lock's story", "与第一把锁的经过相比"}, {"median, 99th percentile", "中位数、第 99 百分位"},
	{"of all clients, retries and renewals included", "所有客户端，含重试和续期"}, {"what it must be able to do", "它必须做得到的"}, {"none: the same steps", "没有：步骤相同"},
	{"the history does not prove one", "历史证明不了是哪一个"}, {"what the others are compared with", "其余都与它比较"}, {"no client acquired it", "没有客户端拿到"},
	{"nothing: there is no token to check", "不需要：没有可检查的令牌"}, {"could compare tokens, but does not here", "可以比较令牌，但这里没有"},
	{"reads and writes", "读和写"}, {"writes", "写"},
	{"value", "值"}, {"number", "数目"}, {"acquisitions", "拿锁次数"}, {"longest wait", "最长等待"}, {"longest", "最长"}, {"median", "中位数"}, {"holds", "持有"},
	{"wait", "等待"}, {"attempts that got it", "拿到锁的尝试"}, {"farthest", "最远"}, {"first offset", "起初的偏差"}, {"last offset", "最后的偏差"}, {"got the lock", "拿到锁"},
	{"gave up", "放弃"}, {"errors", "错误"}, {"longer than the lease", "比租约长"}, {"lowest token", "最低的令牌"}, {"taken", "接受"}, {"refused", "拒绝"},
	{"of these stale", "其中过期"}, {"time", "时间"}, {"where", "哪里"}, {"what", "什么"}, {"details", "细节"}, {"step", "步骤"}, {"yes", "是"}, {"kept", "守住"},
	{"unknown", "未知"}, {"broken", "破坏"}, {"not judged", "没有评判"},
	{"A command and its reply share one row; so does a command that is sent again and again.", "一条命令和它的回复是一行；反复发出的同一条命令也是一行。"},

	// Checks, premises and limits.
	{"All faults were over before progress was judged.", "评判 progress 之前，所有故障都已结束。"}, {"Every event comes after its cause.", "每个事件都在它的原因之后。"},
	{"Every planned fault happened.", "计划的故障都发生了。"}, {"Every fault that happened had an effect.", "发生的故障都有影响。"}, {"The history has its end.", "历史有结尾。"},
	{"Some client had to wait for another.", "有客户端必须等别的客户端。"}, {"The run was played to its end.", "运行演到了最后。"},
	{"True time never goes back.", "真实时间从不倒退。"}, {"The resource took every write: it compared no tokens.", "资源接受了每次写入：它不比较令牌。"},
	{"One seed is one order of events. What was kept here may break with another seed: play many with --times 1000.", "一个种子就是一种事件顺序。这里守住的，换一个种子可能就破坏了：用 --times 1000 多演几遍。"},
	{"The servers are models; the lock is real code in virtual time. A pause stopped its connections and its calls, but its timers went on firing, and it shared one clock with everybody.", "服务器是模型；锁是真实的代码，跑在虚拟时间里。停顿挡住了它的连接和对它的调用，但它的定时器照样触发，时钟也与大家共用。"},
	{"The servers are models, compared with real ones by random commands. A model is still not the server: --backend process plays on real ones where they are installed.", "服务器是模型。它们用随机命令与真实的服务器比对过，但模型不是服务器；装有真实服务器时，--backend process 会在上面演。"},
	{"the network of the servers", "服务器之间的网络"},
	{"The measurements are left out to keep this page small; simulate report draws them with --format svg.", "为了让本页不太大，测量略去了；simulate report --format svg 可以画出它们。"},
	{"When a real server executed a command cannot be seen. Grants are derived from what the clients saw, and only where that leaves no doubt. A real run cannot be repeated bit for bit.", "谁也看不到真实服务器何时执行命令。授予是从客户端看到的推出来的，而且只在没有疑问的地方。真实的运行不能逐位重复。"},

	// Versions and files.
	{"form of the history", "历史的格式"}, {"form of the result", "结果的格式"}, {"hash of the history", "历史的哈希"}, {"judged by", "评判依据"},
	{"program, Go and system", "程序、Go 和系统"},
	{"in env.json of the run directory: a report has the same bytes wherever it is made", "在运行目录的 env.json 里：报告在哪里生成，字节都一样"},
	{"every event, one per line: the only thing that was judged", "每个事件一行：评判只看它"}, {"the verdicts for programs", "给程序用的结论"},
	{"the scenario with every default spelled out", "写明所有默认值的场景"},
	{"what the servers logged, with a note where a long log was cut; none of it was judged", "服务器的日志，太长而截断的地方有注明；评判不看它"},

	// Captions.
	{"Clients ask the store for the lock, and use the resource that it guards.", "客户端向存储要锁，并使用锁所保护的资源。"},
	{"Hatched: what a client believes; solid: what the store has. Nothing broke in this run.", "斜线：客户端以为的；实心：存储里的。这次运行没有破坏什么。"},

	{"Never more than one client inside: the line stays at or below 1.", "里面从不超过一个客户端：线始终不超过 1。"},
	{"Grey behind a plot: a fault at work. simulate report writes a file for each figure with --format svg.", "图后的灰色：故障在起作用。simulate report --format svg 把每张图写成一个文件。"},
	{"The farther left a line rises, the shorter the waits. Where it is flat, no client waited that long.", "线越靠左上升，等待越短。线平的地方，没有人等那么久。"},
	{"Each dot is a write that the resource took, each cross one that it refused. A resource that checks tokens must never let them go down.", "每个点是资源接受的一次写入，每个叉是被拒绝的一次。靠令牌防护的资源，不能让令牌变小。"},
	{"How far each node's wall clock was from true time.", "每个节点的墙上时钟与真实时间差多少。"},
	{"How long clients held the lock. Beyond the vertical line, a lease that was not renewed has ended.", "客户端持有锁多久。竖线之后，没有人续期的租约就结束了。"},
	{"One mark per attempt, at the time when it ended. Its shape says how.", "每次尝试一个标记，画在结束的时刻。形状说明结果。"},
	{"For each length of wait, the share of successful attempts that had the lock by then.", "拿到锁的尝试中，有多大比例在这段等待之内已经拿到。"},
	{"How often each client got the lock, and its longest wait.", "谁拿到锁多少次，每个客户端最多等多久。"},

	{"Same seed; copy and run.", "种子不变；复制即可运行。"},
	{"Same seed, same clients, same faults, same delays on the network: only the lock differs.", "种子、客户端、故障、网络的随机都相同：只换了锁。"},
	{"One time axis for all. The flag marks the first step that differs from the first lock's story.", "同一条时间轴。小旗标出与第一把锁的经过第一处不同的步骤。"},

	// In the figures.
	{"leader", "领导者"}, {"restarts", "重启"}, {"a copy, on a server that does not answer", "副本，在不应答任何人的服务器上"},

	{"a fault at work: cut off, slow, or as labelled", "故障在起作用：隔断、变慢，或如所注"},
	{"frozen", "冻结"}, {"clock", "时钟"}, {"events", "事件"}, {"told below", "下面细说"}, {"client", "客户端"},
	{"resource", "资源"}, {"sentinel", "哨兵"}, {"probe", "探针"}, {"primary", "主节点"}, {"replica", "副本"}, {"a property breaks", "性质被破坏"},
	{"accepted write, with the version", "被接受的写入，带版本"}, {"command on a real server: when it was executed is unknown", "真实服务器上的命令：执行时刻未知"},
	{"lost, or dead", "丢失，或死亡"}, {"message; dashed: late", "消息；虚线：迟到"}, {"refused write", "被拒绝的写入"},
	{"the client believes that it holds the lock", "客户端以为自己持有锁"}, {"the entry ends", "条目结束"}, {"the store has its entry", "存储里有它的条目"},
	{"clients inside", "里面的客户端"}, {"longest wait in seconds", "最长等待（秒）"}, {"offset in seconds", "偏差（秒）"}, {"share of attempts", "尝试的比例"}, {"token", "令牌"},
	{"wait in seconds", "等待（秒）"}, {"true time in seconds", "真实时间（秒）"}, {"held for, in seconds", "持有（秒）"},
	{"wait for the lock (logarithmic)", "等锁的时间（对数）"}, {"Distribution of the waits for the lock", "等锁时间的分布"},
	{"others", "其他"}, {"reply", "回复"},

	// What stands beside the verdicts and in the set-up.
	{"NOT as expected", "不符合预期"}, {"inconclusive", "没有定论"}, {"fenced", "有防护"}, {"seed", "种子"}, {"ten times faster", "十倍速"}, {"backend", "后端"}, {"not played", "没有演"}, {"faults", "故障"},
	{"not known: the lock is not one of ours", "未知：不是这里的锁"}, {"A run without a name", "没有名字的运行"},

	// Why an old run stays in the store.
	{"the newest run", "是最新的运行"}, {"shown by a page of the store", "有存储里的网页要用"}, {"played on real servers", "在真实服务器上演的"},
	{"not as expected", "不符合预期"}, {"not as this program has left it", "已不是本程序留下的样子"}, {"size", "大小"}, {"the history names none", "历史没有说"},
	{"every write is on disk before its reply", "每次写入先落盘再回复"}, {"every write is in a file before its reply, on disk once per second", "每次写入先写进文件再回复，每秒落盘一次"},
	{"never fired", "没有触发"}, {"not planned", "没有计划"}, {"and so on for every client", "其余客户端也是这样"},
	{"the events are not in order", "事件的先后不对"}, {"an event precedes its cause", "有事件早于它的原因"}, {"no clients competed for the lock", "没有人争锁"},
	{"it was cut short", "它被中断了"}, {"it was cut off", "它被截断了"}, {"there is no quiet period", "没有安静期"},

	// On the terminal.
	{"assumed", "假设"}, {"in fact", "实际"}, {"report", "报告"}, {"again", "重放"}, {"hint", "提示"}, {"x broken  v kept  ? unknown", "x 破坏  v 守住  ? 未知"},
	{"a fault never fired: this shows what happened instead of the moment it waited for", "有故障没有触发：这条命令显示，它等待的时刻没有出现时发生了什么"},
	{"a verdict is unknown: another seed may put it to the test", "有结论未知：换一个种子也许能检验到"},
	{"real servers repeat no run; the simulator plays the same story and repeats it byte for byte", "真实服务器无法重演；模拟器演同一个故事，每次逐字节相同"},

	{"changed", "变化"}, {"worst", "最坏"}, {"story", "故事"}, {"also", "另有"}, {"walked", "遍历"}, {"page", "页面"}, {"table", "表格"}, {"wrote", "写好"}, {"missed", "不符合"},
	{"property", "性质"}, {"verdict", "结论"}, {"first violation, or why it is unknown", "第一处破坏，或为何未知"}, {"identical", "相同"}, {"DIFFERENT headers", "头部不同"},
	{"history", "历史"}, {"hash", "哈希"}, {"stored", "存档"}, {"played", "重演"},
	{"kind", "种类"}, {"peer", "对方"}, {"owner", "主人"}, {"text", "文本"}, {"cause", "原因"}, {"the number of events", "事件的数目"}, {"the hash alone", "只有哈希"},

	{"certain", "确定"}, {"possible", "可能"}, {"two holders", "两个持有者"},

	// Names of regions that are read out, behind the name of a lock.
	{"the whole run in true time", "整个运行，按真实时间"}, {"space-time diagram", "时空图"}, {"space-time diagram in true time", "时空图，按真实时间"},
	{"diagram of all events", "所有事件的图"}, {"what happened, step by step", "一步一步，发生了什么"}, {"table of events", "事件表"},

	// Why a figure is not drawn.
	{"all clocks showed true time", "所有时钟都是真实时间"}, {"no client held the lock", "没有人持有过锁"}, {"the lock hands out no token", "这种锁不发令牌"},
	{"no client wrote to the resource", "没有人写过资源"}, {"no client got the lock", "没有人拿到锁"}, {"no client waited for the lock", "没有人等过锁"},
	{"there were not two clients to compare", "没有两个可比的客户端"}, {"node", "节点"}, {"99th percentile", "第 99 百分位"},
	{":", "："},

	// Words that the page explains and the glossary does not have.
	{"true time", "真实时间"}, {"The one clock that no process of a run can read; all times here are its times.", "运行里谁也读不到的那个时钟；这里的时间都以它为准。"},
	{"The run put the property to the test, and it held.", "这次运行考验了这条性质，它守住了。"},
	{"The property did not hold at some instant, and the report shows where.", "在某一刻性质不成立，报告指出在哪里。"},
	{"The run did not put the property to the test. That never counts as kept.", "这次运行没有考验这条性质。这从不算守住。"},
	{"Space-time diagram", "时空图"}, {"Columns are processes, time runs down, slanted lines are messages.", "每列是一个进程，时间向下，斜线是消息。"},
	{"round trip", "往返"}, {"A command to the store and its reply back.", "命令去往存储，回复返回。"},
}
