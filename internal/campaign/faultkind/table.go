package faultkind

// all are in the order of lists.
var all = []Kind{
	{
		"pause", "pause", Client, "GP/acquire GP/hold GD/release",
		"A client's process stands still for longer than a lease.",
		"a pause past the lease", "a client stands still for longer than the lease", "a pause",
	},
	{
		"pause-short", "pause", Client, "",
		"A client's process stands still for less than a lease.",
		"a short pause", "a client stands still, even for less than the lease", "",
	},
	{
		"crash", "crash", Client, "CC/acquire CC/release CH/hold",
		"A client's process dies; its host closes its connections.",
		"a client crash", "a client crashes", "",
	},
	{
		"host", "lose-host", Client, "HL",
		"A client's host is gone, and its connections stay open.",
		"a lost host", "the machine of a client is gone", "",
	},
	{
		"slow", "slow", Client, "SL",
		"The work takes longer than a lease; the rest of the process runs.",
		"slow work", "the work takes longer than the lease", "",
	},
	{
		"hung", "hang", Client, "HW",
		"The work never ends; the rest of the process runs.",
		"hung work", "the work never ends", "",
	},
	{
		"late-request", "delay", Message, "",
		"A request arrives later than a lease (not one of a release).",
		"a request later than the lease", "a request arrives later than the lease lasts", "a late request",
	},
	{
		"late-request-short", "delay", Message, "",
		"A request arrives late, but within a lease (not one of a release).",
		"a slightly late request", "a request arrives late", "",
	},
	{
		"late-reply", "delay", Message, "DR/acquire",
		"A reply arrives later than a lease.",
		"a reply later than the lease", "a reply arrives later than the lease lasts", "a late reply",
	},
	{
		"late-reply-short", "delay", Message, "DR/acquire",
		"A reply arrives late, but within a lease.",
		"a slightly late reply", "a reply arrives late", "",
	},
	{
		"late-release", "delay", Message, "LD",
		"A request of a release arrives later than a lease.",
		"a release later than the lease", "a release arrives later than the lease lasts", "a late release",
	},
	{
		"late-release-short", "delay", Message, "LD",
		"A request of a release arrives late, but within a lease.",
		"a slightly late release", "a release arrives late", "",
	},
	{
		"lost-request", "drop", Message, "",
		"A request never arrives.",
		"a lost request", "a request is lost", "",
	},
	{
		"lost-reply", "drop", Message, "LA/acquire LR/release",
		"A request is executed, but its reply never arrives.",
		"a lost reply", "a reply is lost", "",
	},
	{
		"cut", "partition", Network, "PT",
		"A client is cut off from one server or all for longer than a lease.",
		"a client cut off past the lease", "a client is cut off for longer than the lease", "a client cut off",
	},
	{
		"cut-short", "partition", Network, "PT",
		"A client is cut off from one server or all for less than a lease.",
		"a client cut off briefly", "a client is cut off, even briefly", "",
	},
	{
		"split", "partition", Network, "SB",
		"The servers are split for longer than a lease, clients on both sides.",
		"a long split between servers", "the servers lose each other for longer than the lease", "a split between servers",
	},
	{
		"split-short", "partition", Network, "SB",
		"The servers are split, and heal while the holder works.",
		"a brief split between servers", "the servers lose each other, even briefly", "",
	},
	{
		"restart", "restart", Servers, "RS",
		"A server restarts with what its persistence kept.",
		"a server restart", "a server restarts", "",
	},
	{
		"server-pause", "pause", Servers, "PS",
		"A server's process stands still for longer than a lease.",
		"a server paused past the lease", "a server stands still for longer than the lease", "a server pause",
	},
	{
		"server-pause-short", "pause", Servers, "PS",
		"A server's process stands still for less than a lease.",
		"a short server pause", "a server stands still, even briefly", "",
	},
	{
		"fail-over", "fail-over", Servers, "FO",
		"The primary or leader dies, and another server takes its place.",
		"a failover", "a server dies and another one takes over", "",
	},
	{
		"promote", "promote", Servers, "SB",
		"A replica is promoted while the old primary lives on.",
		"a replica promoted while the old primary lives", "a replica takes over while the old primary lives on", "",
	},
	{
		"client-clock", "jump-clock", Clock, "CK",
		"A client's wall clock is stepped by more than a lease.",
		"a jumping client clock", "the clock of a client jumps", "",
	},
	{
		"server-clock", "jump-clock", Clock, "SJ",
		"A server's wall clock is stepped by more than a lease.",
		"a jumping server clock", "the clock of a server jumps", "",
	},
	{
		"clock-rate", "drift-clock", Clock, "CR",
		"A clock runs fast or slow, by 2 % or 15 %.",
		"a clock that runs fast or slow", "a clock runs fast or slow", "",
	},
	{
		"evict", "evict", Servers, "SX",
		"The store drops the lock's entry early, or ends the holder's session.",
		"an entry dropped early", "the store drops the lock early", "",
	},
	{
		"lag", "lag", Servers, "",
		"Replication falls behind.",
		"replication lag", "the replicas fall behind", "",
	},
}
