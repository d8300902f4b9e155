package say

// pageTexts are those of the other pages: comparisons, matrix, sweep, both worlds, and the index.
var pageTexts = [][2]string{
	// The map of a sweep.
	{"Skip to the maps", "跳到图"}, {"How to read a cell", "怎样读一格"}, {"never broken", "从未被破坏"}, {"not put to the test", "没有经受检验"},
	{"broken in some runs: the number is their share in percent; the more strokes, the more runs", "在一些运行中被破坏：数字是它们的百分比；斜线越多，这样的运行越多"},
	{"map of the safe region", "安全区域图"}, {"the safe region", "安全区域"}, {"The numbers, with their 95 % intervals (Wilson)", "数字，以及 95 % 区间（Wilson）"},
	{"What these maps do not show", "这些图没有说明的"}, {"share", "比例"}, {"95 % interval", "95 % 区间"}, {"untested", "未检验"}, {"first seed", "第一个种子"},
	{"A cell without a broken run is safe in the seeds that were played, and its true rate lies below the upper end of its interval with 95 % confidence. Between two settings nothing was measured.", "没有被破坏的运行的一格，在演过的种子里是安全的；以 95 % 的置信度，它的真实比例低于区间的上端。两个设置之间没有测量。"},

	// Searches and lists in the terminal.
	{"rate", "比例"}, {"found", "找到"}, {"smallest", "最小"}, {"file", "文件"}, {"original", "原来"}, {"idea", "思路"}, {"bug", "缺陷"}, {"library", "库"},
	{"what goes wrong", "错在哪里"}, {"what it does", "做什么"}, {"moment", "时刻"}, {"when it is", "什么时候"}, {"what it demands", "要求什么"}, {"title", "标题"}, {"locks", "锁"},

	// The comparison of runs.
	{"Skip to the verdicts", "跳到结论"}, {"Judged again, all by the same checkers", "全部由同样的检查器重新评判"}, {"Before you compare", "比较之前"}, {"Verdicts", "结论"},
	{"The plans", "计划"}, {"The stories", "经过"}, {"In true time", "按真实时间"}, {"Measures", "测量"}, {"The runs", "各次运行"}, {"run", "运行"}, {"scenario", "场景"},
	{"world", "世界"}, {"directory", "目录"}, {"run, lock", "运行，锁"}, {"real", "真实"},
	{"Where the plans differ", "各计划不同的地方"}, {"setting", "设置"}, {"not there", "没有"},
	{"Nothing: the same clients, the same faults, the same servers, the same durations.", "没有：客户端、故障、服务器、时长都相同。"},
	{"Where the runs diverge", "各次运行从哪里分开"},
	{"Each story is compared with that of the same lock in an earlier run, or else with the first one. Steps count as the same when the same happens to the same client; their times may differ.", "每段经过都与前面某次运行里同一把锁的经过比较，没有就与第一段比较。同样的事发生在同样的客户端上，就算相同的步骤；时间可以不同。"},
	{"compared with", "比较对象"}, {"here", "这里"}, {"there", "那里"}, {"the story is over", "经过已经结束"},
	{"One time axis for all. Hatched: a client believes; solid: the store has its entry; grey: a fault at work; marks below: a property breaks. The flag marks the step at which the runs diverge.", "同一条时间轴。斜线：客户端以为持有；实心：存储里有它的条目；灰色：故障在起作用；下面的标记：性质被破坏。小旗标出经过分开的那一步。"},
	{"Nothing happened in any of them.", "哪一次都没有发生什么。"}, {"Below each measure: how many times that of the first line that has it.", "每个数下面，是它为第一行该数的多少倍。"},
	{"Again", "重放"}, {"Compare them again:", "再比较一次："}, {"Verdicts of all runs", "各次运行的结论"}, {"Settings that differ", "不同的设置"},
	{"First differences of the stories", "经过的第一处不同"}, {"All runs in true time", "各次运行，按真实时间"}, {"Measures and ratios", "测量与倍数"},
	{"How long the lock was held", "锁被持有多久"}, {"What an acquisition costs", "拿一次锁的代价"},
	{"the same history, byte for byte", "历史逐字节相同"}, {"the same steps, at other times", "步骤相同，时间不同"},
	{"Each run is a single draw. To tell a difference from chance, play many seeds: simulate run FILE --times 1000.", "每次运行只是一次随机抽取。要区分差异和偶然，就多演一些种子：simulate run FILE --times 1000。"},
	{"acquired", "拿到锁"}, {"wait, median", "等待，中位数"}, {"wait, p99", "等待，p99"}, {"hold, median", "持有，中位数"}, {"hold, longest", "持有，最长"}, {"two inside for", "同时有两个持有者的时间"},
	{"Measures, and how many times those of the first line (commands: per acquisition)", "测量，以及为第一行的多少倍（命令：每次拿锁）"},
	{"median wait", "等待中位"}, {"longest hold", "最长持有"}, {"commands", "命令"}, {"run and lock", "运行和锁"}, {"per acquisition", "每次拿锁"},
	{"commands per acquisition, of all clients", "每次拿锁的命令数，所有客户端"}, {"Commands that an acquisition costs", "拿一次锁要多少命令"},
	{"held for (logarithmic)", "持有（对数）"}, {"share of holds", "持有的比例"}, {"Distribution of how long the lock was held", "持有时间的分布"},
	{"The farther right a line rises, the longer the lock was held.", "线越靠右上升，锁被持有得越久。"},
	{"Retries, renewals and releases count, too: the store has to bear them all.", "重试、续期和释放也算在内：存储都要承受。"},

	// The page of a log.
	{"log of production", "生产日志"}, {"Violations", "破坏之处"}, {"The locks, the worst first", "各锁，最坏的在前"}, {"contended for", "有人争"}, {"overlaps", "重叠"}, {"stale writes", "过期写入"},
	{"What this page does not show", "本页没有说明的"}, {"Judge it again:", "再评判一遍："}, {"clock error, either way", "时钟误差，前后各"}, {"released lines, after the release by up to", "释放的行最多晚写"}, {"not stated", "没有说明"},
	{"line", "行"}, {"last heard of", "最后的消息"}, {"held at most until", "最迟持有到"},
	{"A bar is solid as long as the log shows the client holding the lock, and open where the log is silent; the brackets show how far its clock may be off. The band behind the bars is the time that clients held the lock together. A cross is the late write, a triangle shows the newer holder.",
		"实心：日志说明客户端持有着锁；空心：没有它的消息；括号是时钟可能的误差。背后的色带是同时持有的时间。叉是迟到的写入，三角形是更新的持有者。"},
	{"the newer holder", "更新的持有者"},
	{"A log shows what clients wrote down, by their own clocks. It does not show a hold that was not written down, or a client that went on without a line.",
		"日志是客户端按各自的时钟记下的。没有人记下的持有、没有再留下一行的客户端，都不在其中。"},
	// Both worlds.
	{"Story by story", "逐个故事"}, {"its stories", "它的故事"},
	{"A story agrees when the lock breaks in the same way in both worlds. There are four ways: two clients think they hold it, the resource is damaged, a client's lock is released by another, no client can get it.", "锁在两个世界以同样的方式被破坏，这个故事就算一致：两个客户端都以为持有、资源损坏、锁被别的客户端释放、谁也拿不到。"},
	{"Skip to the cells", "跳到各格"}, {"The simulator beside real servers", "模拟器与真实服务器对照"}, {"Letter by letter", "逐个字母"}, {"Cells of both worlds", "两个世界的各格"},
	{"One letter where both worlds agree; simulated / real where they do not.", "两个世界一致时一个字母；不一致时，模拟 / 真实。"}, {"Where they differ", "不一致的地方"},
	{"One letter: the same in both worlds. Two: simulated / real, and how many of the seeds agree. S and L count as the same, since a busy machine makes a client wait.", "一个字母：两个世界相同。两个：模拟 / 真实，以及多少个种子一致。S 和 L 算相同，因为机器一忙就会有人要等。"},
	{"Either the model is wrong here, or the script does not bring about what it is meant to, or the machine was too busy for the scale.", "要么模型在这里是错的，要么脚本没有造出它想造的情形，要么机器太忙，跟不上这个时间比例。"},
	{"What put nothing to the test", "没有检验到什么的"}, {"These say nothing about the two worlds: a run on real servers was cut short, or the fault never came about.", "这些说明不了两个世界的异同：真实服务器上的运行被中断，或故障没有发生。"},
	{"How long things took", "各花了多久"}, {"Medians of each lock", "各锁的中位数"}, {"Medians for each lock", "各锁的中位数"}, {"What was not played, and why", "没有演的，以及原因"}, {"Reasons", "原因"},
	{"Cells", "各格"}, {"reason", "原因"}, {"held for", "持有"}, {"time to failover", "故障转移用时"}, {"seeds that agree", "一致的种子"}, {"what was played", "演的是什么"},
	{"agree", "一致"}, {"differ", "不同"}, {"put nothing to the test", "没有检验到什么"}, {"cannot be played on real servers", "真实服务器上演不了"}, {"agrees", "一致"}, {"differs", "不同"},
	{"share of waits", "等待的比例"}, {"Waits for the lock in both worlds", "两个世界的等锁时间"}, {"All locks and faults together. Where the lines part, real servers are slower or faster than their models.", "所有的锁和故障合在一起。线分开的地方，真实服务器比模型慢或快。"},
	{"How long the lock was held in both worlds", "两个世界里锁被持有多久"}, {"The work is the same in both worlds: the lines differ by what faults and releases add.", "两个世界的工作相同：线的差别来自故障和释放。"},
	{"time to failover (logarithmic)", "故障转移用时（对数）"}, {"share of failovers", "故障转移的比例"}, {"failovers", "故障转移"}, {"From the death of a primary to the next one", "从主节点死掉到下一个主节点"},
	{"From the death of a primary to the promotion of the next one.", "从主节点死掉到提升下一个主节点。"}, {"no primary was replaced", "没有主节点被替换"},

	// The index of a store.
	{"Skip to the runs", "跳到各次运行"}, {"Runs", "运行"}, {"Other pages of this store", "这个存档的其他页面"}, {"Table of runs", "运行的表"}, {"Text", "文字"}, {"Lock", "锁"}, {"Expectation", "预期"},
	{"scenario, seed, date", "场景、种子、日期"}, {"any", "任意"}, {"met", "符合"}, {"not met", "不符合"}, {"Clear", "清空"}, {"a property is broken", "有性质被破坏"}, {"all are kept", "全部守住"}, {"leaves the data safe", "数据不受损"}, {"What survives it:", "能过这一关的："}, {"what survives this", "能过这一关的"}, {"broken, and the data are safe", "被破坏，数据安全"}, {"stored, UTC", "存档时间，UTC"},
	{"locks and their verdicts", "各锁及其结论"}, {"all files", "全部文件"}, {"not known", "未知"}, {"No run matches.", "没有符合的运行。"}, {"all {n} shown", "显示全部 {n} 次"}, {"{n} of {all} shown", "显示 {all} 次中的 {n} 次"},
	{"Stored runs show up here. To begin with:", "存下的运行会出现在这里。不妨先来一次："}, {"Older runs are in the store, too; this lists them all:", "更早的运行也在存档里；这条命令列出全部："},
	{"Compare runs side by side:", "并排比较几次运行："}, {"Play one again:", "重演一次："},
	{"Locks under faults, measured", "各锁经受故障，实测"}, {"Runs side by side", "几次运行，并排比较"}, {"Settings varied", "改变设置"}, {"A run, judged and drawn again", "一次运行，重新评判和绘制"},
}
