package say

// What doctor and claims say with names and numbers in it.
var (
	NoRealServers = New1[Verbatim](
		"real servers need Linux, and this is {system}: the simulator plays everything here, and a Linux container plays on real servers:",
		"真实服务器需要 Linux，这里是 {system}：模拟器在这里什么都能演，Linux 容器则能在真实服务器上演：")
	InSources = New1[Phrase]("{Why} in the folder of lockstep's sources,", "{why}在 lockstep 源代码的目录里，")
	// PlaysLocks is what the program of a store's server is needed to do.
	PlaysLocks  = New1[Verbatim]("play locks of {store} on real servers, and to compare the model with one", "在真实服务器上演 {store} 的锁，以及拿模型和真的比较")
	StartsImage = New1[Verbatim]("start {product} in a container", "在容器里启动 {product}")
	PullsImage  = New1[Verbatim]("docker pull {image}, or scripts/local-images", "docker pull {image}，或者 scripts/local-images")
	NeededTo    = New1[Phrase]("needed to {what}", "没有它就不能{what}")

	ClaimsWith    = New2[Number, List]("{n} {n|claim|claims}: {verdicts}", "{n} 条论断：{verdicts}")
	SoManyVerdict = New2[Number, Phrase]("{n} {verdict}", "{n} 条{verdict}")
	MeasuredIn    = New2[Phrase, Verbatim]("{what} in {seconds} s", "{what}，用时 {seconds} 秒")
)

// terminalTexts are those of claims, and of the programs that doctor looks for.
var terminalTexts = [][2]string{
	{"true", "成立"}, {"false", "不成立"}, {"depends", "看条件"}, {"source", "来源"},
	{"The simulator is ready: it needs nothing of what follows.", "模拟器已经可以用：下面这些它都不需要。"},
	{"and in it: make servers", "进去之后：make servers"},
	{"engines", "容器引擎"}, {"images", "镜像"}, {"tools", "工具"},
	{"missing", "没有"}, {"to do:", "要做的："}, {"nothing", "没有"}, {"all at once", "一次装好"},

	// What cannot be done without one.
	{"give real servers of Redis and MariaDB wrong clocks, and to play sentinels at a --scale below 1", "让真实的 Redis 和 MariaDB 服务器时钟出错，以及以小于 1 的 --scale 演哨兵"},
	{"play on real servers in containers (--backend docker), or to look at them by hand", "在容器里的真实服务器上演（--backend docker），或者亲手看看它们"},
	{"start a Linux container, in which locks can be played on real servers", "启动 Linux 容器，在里面就能在真实服务器上演锁"},
	{"build lockstep, and the live program that --backend process becomes", "构建 lockstep，以及 --backend process 变成的那个程序"},
	{"build lockstep, and to test locks of your own (simulate test)", "构建 lockstep，以及测试你自己的锁（simulate test）"},
	{"open reports in a real browser in tests (make test), and to draw the README's pictures again (make gallery)", "测试时在真实的浏览器里打开报告（make test），以及重画 README 的图（make gallery）"},
	{"open reports in a real browser in lockstep's own tests", "lockstep 自己的测试在真实的浏览器里打开报告"},

	// How one was found, and how to get one, where that is no command.
	{"see https://go.dev/dl", "见 https://go.dev/dl"},
	{"see https://go.dev/dl: Debian's is too old", "见 https://go.dev/dl：Debian 的太旧"},
	{"any Chromium, as chromium in the path", "任何一种 Chromium，在 path 里叫 chromium"},
	{"install Docker Desktop, or another engine with the command docker", "安装 Docker Desktop，或者别的带 docker 命令的引擎"},
	{"its daemon does not answer: sudo systemctl start docker", "它的守护进程没有回应：sudo systemctl start docker"},
	{"its daemon does not answer: start it", "它的守护进程没有回应：启动它"},
}
