package faultkind

// all are in the order in which lists show them.
var all = []Kind{
	{
		Name: "pause", Verb: "pause", Hits: Client, columns: "GP/acquire GP/hold GD/release",
		Summary: "A client's process stands still for longer than a lease.",
		Called:  "a pause past the lease", Happens: "a client stands still for longer than the lease",
		OfAnyLength: "a pause",
	},
	{
		Name: "pause-short", Verb: "pause", Hits: Client,
		Summary: "A client's process stands still for less than a lease.",
		Called:  "a short pause", Happens: "a client stands still, even for less than the lease",
	},
	{
		Name: "crash", Verb: "crash", Hits: Client, columns: "CC/acquire CC/release CH/hold",
		Summary: "A client's process dies; its host closes its connections.",
		Called:  "a client crash", Happens: "a client crashes",
	},
	{
		Name: "host", Verb: "lose-host", Hits: Client, columns: "HL",
		Summary: "A client's host is gone, and its connections stay open.",
		Called:  "a lost host", Happens: "the machine of a client is gone",
	},
	{
		Name: "slow", Verb: "slow", Hits: Client, columns: "SL",
		Summary: "The work takes longer than a lease; the rest of the process runs.",
		Called:  "slow work", Happens: "the work takes longer than the lease",
	},
	{
		Name: "hung", Verb: "hang", Hits: Client, columns: "HW",
		Summary: "The work never ends; the rest of the process runs.",
		Called:  "hung work", Happens: "the work never ends",
	},
	{
		Name: "late-request", Verb: "delay", Hits: Message,
		Summary: "A request arrives later than a lease (not one of a release).",
		Called:  "a request later than the lease", Happens: "a request arrives later than the lease lasts",
		OfAnyLength: "a late request",
	},
	{
		Name: "late-request-short", Verb: "delay", Hits: Message,
		Summary: "A request arrives late, but within a lease (not one of a release).",
		Called:  "a slightly late request", Happens: "a request arrives late",
	},
	{
		Name: "late-reply", Verb: "delay", Hits: Message, columns: "DR/acquire",
		Summary: "A reply arrives later than a lease.",
		Called:  "a reply later than the lease", Happens: "a reply arrives later than the lease lasts",
		OfAnyLength: "a late reply",
	},
	{
		Name: "late-reply-short", Verb: "delay", Hits: Message, columns: "DR/acquire",
		Summary: "A reply arrives late, but within a lease.",
		Called:  "a slightly late reply", Happens: "a reply arrives late",
	},
	{
		Name: "late-release", Verb: "delay", Hits: Message, columns: "LD",
		Summary: "A request of a release arrives later than a lease.",
		Called:  "a release later than the lease", Happens: "a release arrives later than the lease lasts",
		OfAnyLength: "a late release",
	},
	{
		Name: "late-release-short", Verb: "delay", Hits: Message, columns: "LD",
		Summary: "A request of a release arrives late, but within a lease.",
		Called:  "a slightly late release", Happens: "a release arrives late",
	},
	{
		Name: "lost-request", Verb: "drop", Hits: Message,
		Summary: "A request never arrives.",
		Called:  "a lost request", Happens: "a request is lost",
	},
	{
		Name: "lost-reply", Verb: "drop", Hits: Message, columns: "LA/acquire LR/release",
		Summary: "A request is executed, but its reply never arrives.",
		Called:  "a lost reply", Happens: "a reply is lost",
	},
	{
		Name: "cut", Verb: "partition", Hits: Network, columns: "PT",
		Summary: "A client is cut off from one server or all for longer than a lease.",
		Called:  "a client cut off past the lease", Happens: "a client is cut off for longer than the lease",
		OfAnyLength: "a client cut off",
	},
	{
		Name: "cut-short", Verb: "partition", Hits: Network, columns: "PT",
		Summary: "A client is cut off from one server or all for less than a lease.",
		Called:  "a client cut off briefly", Happens: "a client is cut off, even briefly",
	},
	{
		Name: "split", Verb: "partition", Hits: Network, columns: "SB",
		Summary: "The servers are split for longer than a lease, clients on both sides.",
		Called:  "a long split between servers", Happens: "the servers lose each other for longer than the lease",
		OfAnyLength: "a split between servers",
	},
	{
		Name: "split-short", Verb: "partition", Hits: Network, columns: "SB",
		Summary: "The servers are split, and heal while the holder works.",
		Called:  "a brief split between servers", Happens: "the servers lose each other, even briefly",
	},
	{
		Name: "restart", Verb: "restart", Hits: Servers, columns: "RS",
		Summary: "A server restarts with what its persistence kept.",
		Called:  "a server restart", Happens: "a server restarts",
	},
	{
		Name: "server-pause", Verb: "pause", Hits: Servers, columns: "PS",
		Summary: "A server's process stands still for longer than a lease.",
		Called:  "a server paused past the lease", Happens: "a server stands still for longer than the lease",
		OfAnyLength: "a server pause",
	},
	{
		Name: "server-pause-short", Verb: "pause", Hits: Servers, columns: "PS",
		Summary: "A server's process stands still for less than a lease.",
		Called:  "a short server pause", Happens: "a server stands still, even briefly",
	},
	{
		Name: "fail-over", Verb: "fail-over", Hits: Servers, columns: "FO",
		Summary: "The primary or leader dies, and another server takes its place.",
		Called:  "a failover", Happens: "a server dies and another one takes over",
	},
	{
		Name: "promote", Verb: "promote", Hits: Servers, columns: "SB",
		Summary: "A replica is promoted while the old primary lives on.",
		Called:  "a replica promoted while the old primary lives", Happens: "a replica takes over while the old primary lives on",
	},
	{
		Name: "client-clock", Verb: "jump-clock", Hits: Clock, columns: "CK",
		Summary: "A client's wall clock is stepped by more than a lease.",
		Called:  "a jumping client clock", Happens: "the clock of a client jumps",
	},
	{
		Name: "server-clock", Verb: "jump-clock", Hits: Clock, columns: "SJ",
		Summary: "A server's wall clock is stepped by more than a lease.",
		Called:  "a jumping server clock", Happens: "the clock of a server jumps",
	},
	{
		Name: "clock-rate", Verb: "drift-clock", Hits: Clock, columns: "CR",
		Summary: "A clock runs fast or slow, by 2 % or 15 %.",
		Called:  "a clock that runs fast or slow", Happens: "a clock runs fast or slow",
	},
	{
		Name: "evict", Verb: "evict", Hits: Servers, columns: "SX",
		Summary: "The store drops the lock's entry early, or ends the holder's session.",
		Called:  "an entry dropped early", Happens: "the store drops the lock early",
	},
	{
		Name: "lag", Verb: "lag", Hits: Servers,
		Summary: "Replication falls behind.",
		Called:  "replication lag", Happens: "the replicas fall behind",
	},
}
