package say

// playTexts are those of the playground and of the site around it.
var playTexts = [][2]string{
	// The page of the playground.
	{"Playground", "试验场"}, {"Skip to the timeline", "跳到时间轴"}, {"Pages", "页面"}, {"Controls", "控件"}, {"Stories, lessons, and what to share", "故事、课程与分享"},
	{"Drag the pause. Watch two clients get in.", "拖动停顿，看两个客户端同时进去。"},
	{"Take the end of the pause and pull it past the lease. Everything here is played by the simulator, in this page, while you drag.", "抓住停顿的末端，把它拉过租约。你拖动的时候，这一切都由本页里的模拟器当场演出。"},
	{"This page plays a simulator, so it needs scripts. The gallery and the reference do not.", "本页要运行模拟器，所以需要脚本。图集和参考不需要。"},
	{"Timelines: what clients believe, what the store has, and the faults", "时间轴：客户端以为的、存储里的，以及故障"},
	{"The simulator is loading … A browser loads it only from a server, not from a file.", "正在载入模拟器……浏览器只从服务器取它，不从文件取。"}, {"Another one", "换一个"}, {"The resource checks", "资源检查"},
	{"work", "工作"}, {"latency", "延迟"}, {"replication lag", "复制延迟"}, {"clock step", "时钟跳变"},
	{"nothing: every write is taken", "不检查：每次写入都接受"},
	{"a write whose token is lower than that of an earlier write is refused", "令牌比先前写入低的写入要拒绝"},
	{"reads raise the mark too, which closes the gap between a stale read and an accepted write", "读取也抬高记号，堵住过期读取与被接受的写入之间的空当"},
	{"Faults", "故障"}, {"Drag one into a lane, or onto a message of the diagram. Or click one, and say where.", "拖一个到泳道里，或拖到图中的消息上。点击则会询问放在哪里。"},
	{"pause", "停顿"}, {"crash", "崩溃"}, {"cut off", "断网"}, {"clock steps", "时钟拨动"}, {"failover", "故障转移"}, {"lose request", "丢失请求"}, {"lose reply", "丢失回复"},
	{"late request", "请求迟到"}, {"late reply", "回复迟到"}, {"The faults of this story", "这个故事里的故障"},
	{"Copy the link", "复制链接"}, {"Copy as scenario file", "复制为场景文件"}, {"Open a scenario file", "打开场景文件"}, {"A story", "一个故事"}, {"A lesson", "一课"}, {"choose …", "请选择……"},
	{"Messages and steps", "消息与步骤"}, {"to the next control; faults in the timeline are controls", "到下一个控件；时间轴里的故障也是控件"},
	{"on a fault: earlier, later", "在故障上：提早、推迟"}, {"on a fault: shorter, longer", "在故障上：缩短、延长"}, {"on a fault: remove it", "在故障上：去掉它"},
	{"on the seed: the next, the one before", "在种子上：下一个、上一个"},
	{"Same file, same seed, same history: the program prints the same hash.", "同样的文件、同样的种子，就是同样的历史：程序会打印出同样的哈希。"},
	{"Remove this lock", "去掉这把锁"}, {"Whom?", "谁？"}, {"When? (seconds)", "什么时候？（秒）"}, {"Which message?", "哪条消息？"}, {"Add it", "加上"},
	{"✓ kept", "✓ 守住 "}, {"✗ broken", "✗ 破坏 "}, {"? unknown", "? 未知 "}, {"Compare with another lock", "再比较一把锁"},
	{"The link is copied.", "链接已复制。"}, {"The scenario file is copied: simulate run FILE plays it.", "场景文件已复制：用 simulate run FILE 就能演它。"},
	{"This file is larger than 1 MiB: a scenario is one short story.", "文件超过 1 MiB：一个场景只是一个短故事。"}, {"The simulator does not start.", "模拟器没有启动。"},
	{"A browser runs it only from a server: simulate serve, or any static host.", "浏览器只从服务器运行它：simulate serve，或任何静态主机。"},
	{"Nothing was hit: drop it into a lane of the timeline, or onto an arrow of the diagram.", "没有放中：请放到时间轴的泳道里，或图中的箭头上。"},
	{"✓ The verdict has turned.", "✓ 结论变了。"}, {"Go on:", "继续："}, {"two inside", "两个在里面"},

	// The other pages of the site, and what leads to them.
	{"Matrix", "矩阵"}, {"Which lock?", "选哪把锁？"}, {"Gallery", "图集"}, {"Reference", "参考"}, {"Skip to the page", "跳到正文"},
	{"How does your distributed lock break?", "你的分布式锁会怎样坏掉？"},
	{"A lock is lent for a time, its lease. Here A falls asleep while it holds the lock; the lease runs out, so B is let in; and A, awake again, writes as if the lock were still its own.", "锁是借出去的，期限叫租约。这里，A 拿着锁睡着了；租约到期，B 于是进去了；A 醒来照样写入，好像锁还是它的。"},
	{"Drag the end of A's pause to the left: where does the lock hold again?", "把 A 的停顿的末端往左拖：到哪里锁又守得住了？"},
	{"Why?", "为什么？"}, {"What are you here for?", "你来做什么？"}, {"Test your own lock", "测试你自己的锁"}, {"Look something up", "查资料"},
	{"What does it take?", "要多少才会坏？"},
	{"Every lock under every kind of fault; each letter was measured, and links to the run that earned it.", "每把锁面对每一种故障；每个字母都是测出来的，并附上测出它的那次运行。"},
	{"The minimal sets of faults that break each lock, each with its shortest story.", "弄坏每把锁的最小故障集合，各附最短的故事。"},
	{"Locks, faults, moments, properties and commands, one page each.", "锁、故障、时刻、性质和命令，各占一页。"},
}
