package say

// What a comparison of the simulator with real servers says.
var (
	WorldsLead = New3[Phrase, Verbatim, Verbatim](
		"Each cell is the same plan with the same lock, played {times} in the simulator and on real servers ({backend}), with every duration multiplied by {scale}.",
		"每一格是同一个计划、同一把锁，在模拟器里和真实服务器（{backend}）上各演 {times}，所有时长乘以 {scale}。")
	TimesInAll    = New1[Times]("{times}", "{times}")
	TimesBetween  = New2[Number, Number]("between {least} and {most} times", "{least} 到 {most} 次")
	LetterMeans   = New2[Verbatim, Phrase]("{letter}: {means}.", "{letter}：{means}。")
	Under         = New2[Verbatim, Verbatim]("{lock} under {fault}", "{lock} 经受 {fault}")
	CellInWorlds  = New5[Phrase, Verbatim, Verbatim, Number, Number]("{cell}: simulated {letter}, real {other}, {n} of {all} agree", "{cell}：模拟 {letter}，真实 {other}，{all} 次中 {n} 次一致")
	CellNotPlayed = New2[Phrase, Phrase]("{cell}: not played, {why}", "{cell}：没有演，{why}")
	CellDiffers   = New3[Phrase, Phrase, Both]("{cell} {differs}: {script}", "{cell} {differs}：{script}")
	SeedsAgree    = New2[Number, Number]("{n} of {all} seeds agree", "{all} 个种子中 {n} 个一致")
	SeedsCameTo   = New4[Verbatim, Verbatim, Number, Verbatim](
		"simulated {letter}, real {other}: {n|seed|seeds} {seeds}",
		"模拟 {letter}，真实 {other}：{n} 个种子，{seeds}")
	RealRunOfSeed = New2[Verbatim, Verbatim]("the real run with seed {seed}: {command}", "种子 {seed} 的真实运行：{command}")
	WorldsSum     = New4[Number, Number, Number, Number](
		"{agree} {agree|cell agrees|cells agree}, {differ} differ, {untested} put nothing to the test, {left} not played",
		"{agree} 格一致，{differ} 格不同，{untested} 格没有检验到什么，{left} 格没有演")
	SumAndPage     = New3[Phrase, Number, Verbatim]("{sum} in {seconds} s   page {page}", "{sum}，用时 {seconds} 秒，页面 {page}")
	NoneOnBackend  = New1[Verbatim]("NOT PLAYED with --backend {backend}:", "--backend {backend} 没有演的：")
	NotAtThisScale = New0(
		"at this scale not even the simulator shows what the story tells: take a larger --scale",
		"按这个比例，连模拟器也演不出故事里说的：用更大的 --scale")
	Oversleeps = New0(
		"a client wakes when its patience is over, and its reply is there or it was about to send: which of them it sees first is a race",
		"客户端醒来时等待时限已过，同时回复已到或者正要发送：先看到哪一个是竞争")
	Cancels = New0(
		"a client has given up on a request that is executed later: etcd's client cancels it behind its back, and which of the two the server sees first is a race",
		"客户端已放弃的请求后来才执行：etcd 的客户端随后会取消它，服务器先看到哪一个是竞争")
	DecidedByJitter = New1[Span](
		"what comes at one instant has no order on real servers, and messages or clients are late by up to {by}: that changes how the story ends",
		"在真实服务器上，同一刻发生的事没有先后，消息或客户端也会迟到至多 {by}：故事的结局会因此改变")
	DecidedByDraws = New0(
		"the lock draws how long it waits, real clients draw otherwise, and that changes how the story ends",
		"锁要等多久是随机抽取的，真实的客户端抽到的不一样，故事的结局会因此改变")
	DecidedByGossip = New0(
		"that a node has failed, the others of a Redis Cluster tell each other within half a node timeout, and when they do changes how the story ends",
		"Redis Cluster 的节点在半个节点超时之内互相传开某个节点已失效，传到的早晚会改变故事的结局")
	DecidedByElection = New1[Span](
		"an election of real servers, or a client that looks for another one, takes up to {by} longer, however fast the story is told, and that changes how it ends: take a larger --scale",
		"不管故事演得多快，真实服务器的选举和换服务器的客户端都会多用至多 {by}，故事的结局会因此改变：用更大的 --scale")
	StoriesOfLock = New5[Verbatim, Number, Number, Number, Number](
		"{lock}: {agree} {agree|story agrees|stories agree}, {differ} differ, {untested} put nothing to the test, {left} not played",
		"{lock}：{agree} 个故事一致，{differ} 个不同，{untested} 个没有检验到什么，{left} 个没有演")
	SignsOfWorlds = New0(
		"V the same letter in both worlds   V/S simulated V, real S   V/? nothing tested   - not played",
		"V 两个世界字母相同   V/S 模拟 V，真实 S   V/? 没有检验到什么   - 没有演")
	SignsOfSeeds = New0(
		"V/S 18/20 of 20 seeds, 18 have the same letter in both worlds",
		"V/S 18/20 表示 20 个种子中 18 个在两个世界字母相同")
)
