package say

// playTexts are those of the playground and of the site around it.
var playTexts = [][2]string{
	// The page of the playground.
	{"Playground", "试验场"}, {"Skip to the timeline", "跳到时间轴"}, {"Pages", "页面"}, {"Controls", "控件"}, {"Faults, and what to share", "故障与分享"}, {"Share", "分享"},
	{"Drag the pause. Watch two clients get in.", "拖动停顿，看两个客户端同时进去。"},
	{"Take the end of the pause and pull it past the lease. Everything here is played by the simulator, in this page, while you drag.", "抓住停顿的末端，把它拉过租约。你拖动的时候，这一切都由本页里的模拟器当场演出。"},
	{"This page plays a simulator, so it needs scripts. The gallery and the reference do not.", "本页要运行模拟器，所以需要脚本。图例和参考不需要。"},
	{"Timelines: what clients believe, what the store has, and the faults", "时间轴：客户端以为的、存储里的，以及故障"},
	{"The simulator is loading …", "正在载入模拟器……"}, {"Another one", "换一个"}, {"The resource checks", "资源检查"},
	{"work", "工作"}, {"latency", "延迟"}, {"replication lag", "复制延迟"}, {"clock step", "时钟跳变"},
	{"nothing: every write is taken", "不检查：每次写入都接受"},
	{"a write whose token is lower than that of an earlier write is refused", "令牌比先前写入低的写入要拒绝"},
	{"reads raise the mark too, which closes the gap between a stale read and an accepted write", "读取也抬高记号，堵住过期读取与被接受的写入之间的空当"},
	{"Faults", "故障"}, {"Drag one into a lane, or onto a message of the diagram. A click asks where.", "拖一个到泳道里，或拖到图中的消息上。点击则会询问放在哪里。"},
	{"crash", "崩溃"}, {"cut off", "断网"}, {"clock steps", "时钟拨动"}, {"failover", "故障转移"}, {"lose the request", "丢失请求"}, {"lose the reply", "丢失回复"},
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
	{"A browser runs it from a server only: simulate serve, or any static host.", "浏览器只从服务器运行它：simulate serve，或任何静态主机。"},
	{"Nothing was hit: drop it into a lane of the timeline, or onto an arrow of the diagram.", "没有放中：请放到时间轴的泳道里，或图中的箭头上。"},
	{"✓ The verdict has turned.", "✓ 结论变了。"}, {"Go on:", "继续："}, {"two inside", "两个在里面"},

	// The other pages of the site.
	{"Tour", "导览"}, {"Matrix", "矩阵"}, {"Which lock?", "选哪把锁？"}, {"Gallery", "图例集"}, {"Reference", "参考"}, {"Skip to the page", "跳到正文"},
	{"How does your distributed lock break?", "你的分布式锁会怎样坏掉？"},
	{"lockstep plays concurrent clients through pauses, crashes, lost replies and failovers, and a checker shows, step by step and with evidence, what the lock allowed to happen.", "lockstep 让并发的客户端经历停顿、崩溃、丢失的回复和故障转移，再由检查器一步一步、拿出证据，指出锁放过了什么。"},
	{"Drag a pause, and watch", "拖一个停顿，看看会怎样"}, {"A pause that outlives the lease", "比租约更长的停顿"},
	{"The simulator in the page: move the faults, turn the seed, put locks side by side, send the link.", "页面里的模拟器：移动故障，转动种子，几把锁并排，把链接发给别人。"},
	{"Lessons from SETNX to fencing: a story, a guess, a run, and one change.", "从 SETNX 到防护的课程：一个故事、一个猜测、一次运行、一处改动。"},
	{"Every lock under every kind of fault; each letter was measured, and has the run that earned it.", "每把锁面对每一种故障；每个字母都是测出来的，并附上测出它的那次运行。"},
	{"Tick what can happen to you, and read what survives it.", "勾选你会遇到的，看看什么能经受住。"}, {"What does it take?", "要多少才会坏？"},
	{"The minimal sets of faults that break each lock, each with its shortest story.", "弄坏每把锁的最小故障集合，各附最短的故事。"},
	{"Locks, faults, moments, properties and commands, one page each.", "锁、故障、时刻、性质和命令，各占一页。"}, {"Lessons in the playground", "试验场里的课程"},
	{"The tour", "导览"}, {"What the run shows", "运行的结果"}, {"One switch", "只改一处"}, {"Change it yourself, in the playground", "到试验场里自己改一改"},
}
