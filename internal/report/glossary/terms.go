package glossary

// terms has one entry per word. Meanings are one sentence, and use only words
// that are plain or that stand above.
var terms = []Term{
	{
		"client",
		Entry{"client", []string{"clients"}, "A process that wants the lock, does its work with it, and gives it back."},
		Entry{"客户端", nil, "想要这把锁的进程：拿到锁，做完工作，再把锁还回去。"},
	},
	{
		"resource",
		Entry{"resource", nil, "What the lock guards: a counter, a file, a row of a database."},
		Entry{"资源", nil, "锁所保护的东西：一个计数器、一个文件、数据库里的一行。"},
	},
	{
		"lock",
		Entry{"lock", []string{"locks"}, "An agreement that only one client at a time uses the resource."},
		Entry{"锁", nil, "一种约定：同一时刻只有一个客户端使用资源。"},
	},
	{
		"store",
		Entry{"store", []string{"stores"}, "The server, or servers, that remember who has the lock: here Redis, later etcd and ZooKeeper."},
		Entry{"存储", nil, "记住锁归谁的服务器：这里是 Redis，后面还有 etcd 和 ZooKeeper。"},
	},
	{
		"setnx",
		Entry{"SETNX", []string{"NX"}, "A Redis command that creates a key only when it does not exist yet; SET with NX does the same."},
		Entry{"SETNX", []string{"NX"}, "Redis 命令：键不存在时才创建它；带 NX 的 SET 作用相同。"},
	},
	{
		"critical-section",
		Entry{"critical section", []string{"enters", "enter", "inside"}, "The part of a client's work that needs the lock; a client that enters it is inside."},
		Entry{"临界区", []string{"在里面"}, "客户端的工作中需要锁的那一段；同一时刻只应有一个客户端在里面。"},
	},
	{
		"entry",
		Entry{"entry", []string{"entries"}, "What the store has written down for the holder: in Redis, the key of the lock."},
		Entry{"条目", nil, "存储为持有者记下的内容：在 Redis 里就是锁的键。"},
	},
	{
		"grant",
		Entry{"grant", []string{"grants", "granted"}, "The store's yes to a client: it writes an entry for it."},
		Entry{"授予", []string{"获得锁"}, "存储答应客户端：为它写下一个条目。"},
	},
	{
		"belief",
		Entry{"belief", []string{"beliefs", "believe", "believes"}, "What a client thinks: it believes it holds the lock until it releases or is told of the loss."},
		Entry{"认为", nil, "客户端自己的看法：在释放锁或得知锁已丢失之前，它都认为锁是自己的。"},
	},
	{
		"release",
		Entry{"release", []string{"releases", "unlock"}, "The step that gives the lock back, so that the next client can have it."},
		Entry{"释放", nil, "把锁还回去的一步，之后下一个客户端才能拿到它。"},
	},
	{
		"property",
		Entry{"property", []string{"properties"}, "A promise that a lock makes; the checker says whether a run has kept it or broken it."},
		Entry{"性质", nil, "锁作出的一条承诺；检查器判断一次运行是守住了它，还是破坏了它。"},
	},
	{
		"mutual-exclusion",
		Entry{"mutual-exclusion", []string{"mutual exclusion"}, "The property that no two clients believe at the same time that they hold the lock."},
		Entry{"mutual-exclusion", []string{"互斥"}, "互斥：任何时刻都没有两个客户端同时认为自己持有锁。"},
	},
	{
		"owner-only-release",
		Entry{"owner-only-release", nil, "The property that a release removes only the entry of the client that releases."},
		Entry{"owner-only-release", nil, "只释放自己的锁：释放时删掉的只能是自己的条目。"},
	},
	{
		"no-stale-write",
		Entry{"no-stale-write", []string{"stale write", "stale writes"}, "The property that the resource takes no write from a client after another client has got the lock."},
		Entry{"no-stale-write", []string{"过期写"}, "没有过期写：别的客户端已经拿到锁之后，资源不再接受前一个客户端的写入。"},
	},
	{
		"no-lost-update",
		Entry{"no-lost-update", []string{"lost update", "lost updates"}, "The property that no write replaces another one that its client has not seen."},
		Entry{"no-lost-update", []string{"丢失更新"}, "没有丢失更新：任何写入都不会覆盖写入者没看到过的另一次写入。"},
	},
	{
		"progress",
		Entry{"progress", []string{"stuck"}, "The property that the lock becomes free again once all faults are over; else it is stuck."},
		Entry{"progress", []string{"卡死"}, "能够前进：故障都结束之后，锁会重新可用；否则就是卡死。"},
	},
	{
		"probe",
		Entry{"probe", nil, "A fresh client that tries the lock at the end of a run, to see whether it is stuck."},
		Entry{"探针", nil, "运行结束时派出的新客户端，试着拿锁，看它是否卡死。"},
	},
	{
		"holder",
		Entry{"holder", []string{"holders"}, "The client that believes it holds the lock."},
		Entry{"持有者", nil, "认为自己持有锁的客户端。"},
	},
	{
		"fault",
		Entry{"fault", []string{"faults"}, "What the simulator does to the clients, the servers or the network: it freezes, kills or cuts them."},
		Entry{"故障", nil, "模拟器对客户端、服务器或网络做的事：冻结、杀死或切断它们。"},
	},
	{
		"crash",
		Entry{"crash", []string{"crashes"}, "The end of a process at any point: from then on, no line of its code runs."},
		Entry{"崩溃", nil, "进程在任意一处突然终止，之后它的代码一行也不再执行。"},
	},
	{
		"expiry",
		Entry{"expiry", []string{"expire", "expires", "EXPIRE"}, "The time after which Redis removes a key by itself; the command EXPIRE sets it."},
		Entry{"过期时间", []string{"EXPIRE", "过期"}, "到了这个时间，Redis 会自己删掉键；EXPIRE 命令用来设置它。"},
	},
	{
		"lease",
		Entry{"lease", []string{"leases"}, "The time for which the store remembers a holder without hearing from it."},
		Entry{"租约", nil, "存储在没有收到持有者消息时，还会替它记住多久。"},
	},
	{
		"freeze",
		Entry{"freeze", []string{"freezes", "frozen", "pause", "pauses", "paused"}, "A whole process stands still for some time, and then goes on where it was."},
		Entry{"冻结", []string{"停顿"}, "整个进程停住一段时间，然后从原处继续。"},
	},
	{
		"garbage-collection",
		Entry{"garbage collection", nil, "The cleaning of memory by a language runtime; it may stop the whole process meanwhile."},
		Entry{"垃圾回收", nil, "语言运行时清理内存；期间可能让整个进程停住。"},
	},
	{
		"random-token",
		Entry{"random token", []string{"random tokens"}, "A random value that a client writes into its key, so that it recognizes the key as its own."},
		Entry{"随机标识", nil, "客户端写进键里的随机值，凭它认出这个键是自己的。"},
	},
	{
		"lua-script",
		Entry{"Lua script", []string{"script", "scripts", "Lua"}, "A small program that Redis runs in one step: no other command runs in between."},
		Entry{"Lua 脚本", []string{"脚本", "Lua"}, "由 Redis 一步执行完的小程序：中间不会插入别的命令。"},
	},
	{
		"watchdog",
		Entry{"watchdog", []string{"watchdogs"}, "A background task of the holder that renews its lease while the work goes on."},
		Entry{"看门狗", nil, "持有者的后台任务：工作还在进行时，不断为租约续期。"},
	},
	{
		"renew",
		Entry{"renew", []string{"renews", "renewal", "renewals", "renewed"}, "To start the time of a lease again, so that it ends later."},
		Entry{"续期", nil, "重新设定租约的时间，让它晚些结束。"},
	},
	{
		"primary",
		Entry{"primary", []string{"primaries"}, "The server of a group that answers the clients and takes their writes."},
		Entry{"主节点", nil, "一组服务器中应答客户端、接受写入的那一台。"},
	},
	{
		"replica",
		Entry{"replica", []string{"replicas", "replicated"}, "A server that copies what the primary does, a little later."},
		Entry{"副本", []string{"复制出去"}, "稍后一点照抄主节点所做一切的服务器。"},
	},
	{
		"replication-lag",
		Entry{"replication lag", nil, "How much later than the primary a replica knows of a write."},
		Entry{"复制延迟", nil, "副本得知一次写入，比主节点晚多久。"},
	},
	{
		"promote",
		Entry{"promote", []string{"promotes", "promoted"}, "To make a replica the new primary."},
		Entry{"提升", nil, "让一个副本成为新的主节点。"},
	},
	{
		"failover",
		Entry{"failover", nil, "The change to a new primary after the old one is gone."},
		Entry{"故障转移", nil, "旧的主节点没了之后，换上新的主节点。"},
	},
	{
		"wait",
		Entry{"WAIT", nil, "A Redis command that answers when a given number of replicas have what this connection has written."},
		Entry{"WAIT", nil, "Redis 命令：等到指定数量的副本都有了本连接写入的内容才应答。"},
	},
	{
		"majority",
		Entry{"majority", []string{"majorities"}, "More than half of a group: three of five, two of three."},
		Entry{"多数", nil, "超过一半：五个里的三个，三个里的两个。"},
	},
	{
		"redlock",
		Entry{"Redlock", nil, "A lock on several independent Redis servers: a client holds it when a majority has said OK in time."},
		Entry{"Redlock", nil, "建在几台互不相干的 Redis 上的锁：多数及时答应了，客户端才算持有。"},
	},
	{
		"node",
		Entry{"node", []string{"nodes"}, "One server of several."},
		Entry{"节点", nil, "几台服务器中的一台。"},
	},
	{
		"partition",
		Entry{"partition", nil, "A break of the network: servers and clients on its two sides cannot reach each other."},
		Entry{"网络分区", []string{"分区"}, "网络断开：两边的服务器和客户端互相够不着。"},
	},
	{
		"sentinel",
		Entry{"sentinel", []string{"sentinels"}, "A process that watches a primary, and with others promotes a replica when the primary seems gone."},
		Entry{"哨兵", nil, "盯着主节点的进程；主节点像是没了，几个哨兵就一起提升一个副本。"},
	},
	{
		"consensus",
		Entry{"consensus", nil, "A way for servers to agree on one order of changes, each change confirmed by a majority."},
		Entry{"共识", nil, "让几台服务器就同一个变更顺序达成一致的办法，每个变更都由多数确认。"},
	},
	{
		"etcd",
		Entry{"etcd", nil, "A small database on several servers that stays consistent by consensus."},
		Entry{"etcd", nil, "跑在几台服务器上的小型数据库，靠共识保持一致。"},
	},
	{
		"leader",
		Entry{"leader", nil, "The server that speaks for a majority of its group until another one is elected."},
		Entry{"领导者", nil, "代表多数说话的那台服务器，直到选出另一台。"},
	},
	{
		"zookeeper",
		Entry{"ZooKeeper", nil, "A store for coordination on several servers, with consensus like etcd, and with sessions."},
		Entry{"ZooKeeper", nil, "跑在几台服务器上的协调服务，像 etcd 一样靠共识，另有会话。"},
	},
	{
		"consul",
		Entry{"Consul", nil, "A store like etcd, with sessions and consensus."},
		Entry{"Consul", nil, "与 etcd 相似的存储，有会话，也靠共识。"},
	},
	{
		"session",
		Entry{"session", []string{"sessions"}, "The time for which a store considers a client alive; what belongs to the session ends with it."},
		Entry{"会话", nil, "存储认定客户端还活着的一段时间；属于会话的东西随它一起结束。"},
	},
	{
		"heartbeat",
		Entry{"heartbeat", []string{"heartbeats", "PING"}, "A small message that only says: I am alive."},
		Entry{"心跳", []string{"PING"}, "一条很小的消息，只说一件事：我还活着。"},
	},
	{
		"fencing-token",
		Entry{"fencing token", []string{"token", "tokens", "fencing tokens"}, "A number that grows with each grant of the lock, so that old and new can be told apart."},
		Entry{"防护令牌", []string{"令牌"}, "每次授予锁时都会变大的数字，用来分辨新旧。"},
	},
	{
		"fence",
		Entry{"fence", []string{"fencing"}, "The resource's refusal of a token that is smaller than one it has seen."},
		Entry{"防护", nil, "资源拒绝比它见过的更小的令牌。"},
	},
	{
		"seed",
		Entry{"seed", []string{"seeds"}, "A number that decides all that is random in a run; the same seed gives the same run."},
		Entry{"种子", nil, "决定一次运行中所有运气的数字；同一个种子得到同一次运行。"},
	},
	{
		"simulator",
		Entry{"simulator", nil, "A world inside this program in which time, network and servers are computed, and each run can be repeated."},
		Entry{"模拟器", nil, "程序里的一个世界：时间、网络和服务器都是算出来的，每次运行都能重放。"},
	},
}
