package faultkind

import "lockstep/internal/say"

func both(english, chinese string) say.Both { return say.Both{English: english, Chinese: chinese} }

// all are in the order in which they are told.
var all = []Kind{
	{
		"pause", "pause", Client, "GP/acquire GP/hold GD/release",
		both("A client's process stands still for longer than a lease.", "客户端进程停顿，比租约长。"),
		both("a pause past the lease", "停顿超过租约"), both("a client stands still for longer than the lease", "客户端停顿得比租约久"), both("a pause", "停顿"),
	},
	{
		"pause-short", "pause", Client, "",
		both("A client's process stands still for less than a lease.", "客户端进程停顿，比租约短。"),
		both("a short pause", "短暂停顿"), both("a client stands still, even for less than the lease", "客户端停顿，哪怕比租约短"), say.Both{},
	},
	{
		"crash", "crash", Client, "CC/acquire CC/release CH/hold",
		both("A client's process dies; its host closes its connections.", "客户端进程死亡，主机关闭它的连接。"),
		both("a client crash", "客户端崩溃"), both("a client crashes", "客户端崩溃"), say.Both{},
	},
	{
		"host", "lose-host", Client, "HL",
		both("A client's host is gone, and its connections stay open.", "客户端所在的主机没了，没有人关闭连接。"),
		both("a lost host", "主机失联"), both("the machine of a client is gone", "客户端的机器没了"), say.Both{},
	},
	{
		"slow", "slow", Client, "SL",
		both("The work takes longer than a lease; the rest of the process runs.", "工作比租约久，进程的其余部分照常运行。"),
		both("slow work", "工作太慢"), both("the work takes longer than the lease", "工作做得比租约久"), say.Both{},
	},
	{
		"hung", "hang", Client, "HW",
		both("The work never ends; the rest of the process runs.", "工作永不结束，进程的其余部分照常运行。"),
		both("hung work", "工作卡住"), both("the work never ends", "工作永远做不完"), say.Both{},
	},
	{
		"late-request", "delay", Message, "",
		both("A request arrives later than a lease (not one of a release).", "请求迟到，比租约久（释放的请求除外）。"),
		both("a request later than the lease", "请求迟到超过租约"), both("a request arrives later than the lease lasts", "请求比租约还迟到"), both("a late request", "请求迟到"),
	},
	{
		"late-request-short", "delay", Message, "",
		both("A request arrives late, but within a lease (not one of a release).", "请求迟到，但在租约之内（释放的请求除外）。"),
		both("a slightly late request", "请求稍迟"), both("a request arrives late", "请求迟到"), say.Both{},
	},
	{
		"late-reply", "delay", Message, "DR/acquire",
		both("A reply arrives later than a lease.", "回复迟到，比租约久。"),
		both("a reply later than the lease", "回复迟到超过租约"), both("a reply arrives later than the lease lasts", "回复比租约还迟到"), both("a late reply", "回复迟到"),
	},
	{
		"late-reply-short", "delay", Message, "DR/acquire",
		both("A reply arrives late, but within a lease.", "回复迟到，但在租约之内。"),
		both("a slightly late reply", "回复稍迟"), both("a reply arrives late", "回复迟到"), say.Both{},
	},
	{
		"late-release", "delay", Message, "LD",
		both("A request of a release arrives later than a lease.", "释放的请求迟到，比租约久。"),
		both("a release later than the lease", "释放迟到超过租约"), both("a release arrives later than the lease lasts", "释放比租约还迟到"), both("a late release", "释放迟到"),
	},
	{
		"late-release-short", "delay", Message, "LD",
		both("A request of a release arrives late, but within a lease.", "释放的请求迟到，但在租约之内。"),
		both("a slightly late release", "释放稍迟"), both("a release arrives late", "释放迟到"), say.Both{},
	},
	{
		"lost-request", "drop", Message, "",
		both("A request never arrives.", "请求丢失，从未到达。"),
		both("a lost request", "请求丢失"), both("a request is lost", "请求丢失"), say.Both{},
	},
	{
		"lost-reply", "drop", Message, "LA/acquire LR/release",
		both("A request is executed, but its reply never arrives.", "请求执行了，回复丢失。"),
		both("a lost reply", "回复丢失"), both("a reply is lost", "回复丢失"), say.Both{},
	},
	{
		"cut", "partition", Network, "PT",
		both("A client is cut off from one server or all for longer than a lease.", "客户端与一台或全部服务器断开，比租约久。"),
		both("a client cut off past the lease", "客户端断网超过租约"), both("a client is cut off for longer than the lease", "客户端断网比租约久"), both("a client cut off", "客户端断网"),
	},
	{
		"cut-short", "partition", Network, "PT",
		both("A client is cut off from one server or all for less than a lease.", "客户端与一台或全部服务器断开，比租约短。"),
		both("a client cut off briefly", "客户端短暂断网"), both("a client is cut off, even briefly", "客户端断网，哪怕很短"), say.Both{},
	},
	{
		"split", "partition", Network, "SB",
		both("The servers are split for longer than a lease, clients on both sides.", "服务器之间分区，比租约久，两边都有客户端。"),
		both("a long split between servers", "服务器之间长时间分区"), both("the servers lose each other for longer than the lease", "服务器之间失联比租约久"), both("a split between servers", "服务器之间分区"),
	},
	{
		"split-short", "partition", Network, "SB",
		both("The servers are split, and heal while the holder works.", "服务器之间分区，在持有者工作时恢复。"),
		both("a brief split between servers", "服务器之间短暂分区"), both("the servers lose each other, even briefly", "服务器之间失联，哪怕很短"), say.Both{},
	},
	{
		"restart", "restart", Servers, "RS",
		both("A server restarts with what its persistence kept.", "服务器重启，只剩持久化留下的。"),
		both("a server restart", "服务器重启"), both("a server restarts", "服务器重启"), say.Both{},
	},
	{
		"server-pause", "pause", Servers, "PS",
		both("A server's process stands still for longer than a lease.", "服务器进程停顿，比租约长。"),
		both("a server paused past the lease", "服务器停顿超过租约"), both("a server stands still for longer than the lease", "服务器停顿得比租约久"), both("a server pause", "服务器停顿"),
	},
	{
		"server-pause-short", "pause", Servers, "PS",
		both("A server's process stands still for less than a lease.", "服务器进程停顿，比租约短。"),
		both("a short server pause", "服务器短暂停顿"), both("a server stands still, even briefly", "服务器停顿，哪怕很短"), say.Both{},
	},
	{
		"fail-over", "fail-over", Servers, "FO",
		both("The primary or leader dies, and another server takes its place.", "主节点或领导者死亡，另一台接替。"),
		both("a failover", "故障转移"), both("a server dies and another one takes over", "一台服务器死掉，另一台接替"), say.Both{},
	},
	{
		"promote", "promote", Servers, "SB",
		both("A replica is promoted while the old primary lives on.", "旧主节点还活着，副本就被提升。"),
		both("a replica promoted while the old primary lives", "旧主节点还活着就提升副本"), both("a replica takes over while the old primary lives on", "旧主节点还活着，副本就接替"), say.Both{},
	},
	{
		"client-clock", "jump-clock", Clock, "CK",
		both("A client's wall clock is stepped by more than a lease.", "客户端的墙上时钟跳变，超过一个租约。"),
		both("a jumping client clock", "客户端时钟跳变"), both("the clock of a client jumps", "客户端的时钟跳变"), say.Both{},
	},
	{
		"server-clock", "jump-clock", Clock, "SJ",
		both("A server's wall clock is stepped by more than a lease.", "服务器的墙上时钟跳变，超过一个租约。"),
		both("a jumping server clock", "服务器时钟跳变"), both("the clock of a server jumps", "服务器的时钟跳变"), say.Both{},
	},
	{
		"clock-rate", "drift-clock", Clock, "CR",
		both("A clock runs fast or slow, by 2 % or 15 %.", "时钟走快或走慢 2 % 或 15 %。"),
		both("a clock that runs fast or slow", "时钟走速偏差"), both("a clock runs fast or slow", "时钟走快或走慢"), say.Both{},
	},
	{
		"evict", "evict", Servers, "SX",
		both("The store drops the lock's entry early, or ends the holder's session.", "存储提前丢掉锁的条目，或结束持有者的会话。"),
		both("an entry dropped early", "条目提前消失"), both("the store drops the lock early", "存储提前丢掉锁"), say.Both{},
	},
	{
		"lag", "lag", Servers, "",
		both("Replication falls behind.", "复制落后。"),
		both("replication lag", "复制滞后"), both("the replicas fall behind", "副本落后"), say.Both{},
	},
}
