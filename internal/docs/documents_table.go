package docs

// documents are the five texts, heading by heading.
var documents = []document{
	{
		short: "S0", file: "000_9f7ee79c86e9a462.txt", title: "基于redis的分布式锁", english: "Distributed locks on Redis",
		parts: []part{
			{
				7, "单机下的分布式锁", "On one machine",
				"literal-nobody-looks crash-before-del setnx-without-expire one-command-leaves-no-gap slow-task-blind-del get-then-del-gap late-release-of-the-hold-before watchdog-saves-slow-task pause-freezes-the-watchdog zombie-watchdog hung-worker",
				"The text goes from SETNX to Redisson in five steps, and each is a lock. The value that it proposes, uuid and threadId, is one for all acquisitions of a thread: set-nx-lua-thread.",
			},
			{
				113, "集群下的分布式锁", "On a cluster",
				"failover-forgets-the-lock redlock-survives-a-dead-node redlock-looks-at-the-clock redlock-on-the-wall-clock redlock-without-a-margin redlock-and-amnesia redlock-and-a-jumping-clock",
				"The node timeout of 5 to 50 ms is a two-hundredth of the lease here, 50 ms for 10 s, since scaled runs scale it.",
			},
		},
	},
	{
		short: "S1", file: "001_3ab3a636653db715.txt", title: "Redis分布式锁的实现方式", english: "Ways to implement distributed locks on Redis",
		parts: []part{
			{1, "Redis分布式锁的实现方式", "Ways to implement distributed locks on Redis: a summary", "pause-past-lease watchdog-saves-slow-task", "The pause of its second point is the first lesson of all."},
			{17, "1. Redisson的看门狗和Netty的时间轮", "Redisson's watchdog and Netty's timer wheel", "pause-past-lease answers-that-stay-away slow-task-blind-del", "Its list of what to know names what the next headings are about; what it says of interviews is nothing that a lock does."},
			{51, "1.1 Redisson 分布式锁用法", "How Redisson's lock is used", "re-entrancy", "The example is a picture that the text has lost. The calls are lock and unlock, which redisson-3.12.3 sends as that version did."},
			{63, "1.2 RLock对应的value和px过期时间去哪了", "Where the value and the expiry of an RLock have gone", "", "A question that 1.5 and the heading after 1.6 answer. The command that it starts from is that of set-nx-lua."},
			{83, "1.3 Redis分布式锁的加锁和释放锁的细节", "Acquiring and releasing in detail", "get-then-del-gap delete-without-an-owner", ""},
			{109, "1.4 为什么 lua 脚本可以解决原子性问题", "Why a Lua script is atomic", "lua-closes-the-gap compare-in-one-command crash-before-del", "That other commands wait while a script runs cannot be seen in the simulator, where a script takes no time; real servers play the same scripts."},
			{125, "1.5 value去哪了？", "Where the value has gone", "constant-token", "The TTL of 25 s is read from a screenshot; what it reads when the watchdog comes is claim 7. Of the five connection managers that draw the UUID none is played: a client of ours draws one."},
			{207, "1.6 redis的Key的filed字段为何存hash类型", "Why the key is a hash", "re-entrancy", ""},
			{213, "过期时间去哪了？", "Where the expiry has gone", "redisson-redlock-crash-before-the-lease the-last-renewal", "The default of 30 s is measured by claim 6; elsewhere the lease is the story's."},
			{241, "第一部分：加锁", "First part: acquire", "lost-acquire-reply-re-enters", ""},
			{261, "第二部分：重入", "Second part: re-enter", "re-entrancy lost-release-reply-while-held-twice", ""},
			{285, "第三部分：返回", "Third part: the reply", "", "The hset of older versions is in claim 52: it makes no difference, so it has no row of its own."},
			{307, "看门狗咋工作的？", "How the watchdog works", "watchdog-saves-slow-task the-last-renewal pause-freezes-the-watchdog hung-worker", "The tasks for its readers, a TTL of 20 s and of 40 s, are claim 7. The two leases of 30 and 60 s are played; setting the default in a configuration file is not."},
			{391, "时间轮又是啥？", "What a timer wheel is", "watchdog-saves-slow-task", "Both examples, 5 s and 17 s, are turned on our wheel (internal/locks/timerwheel), which is compared with a sorted list. Netty's own code is not run."},
			{451, "解锁操作", "Releasing", "wake-up-lost lost-release-reply-while-held-twice lost-release-request", ""},
		},
	},
	{
		short: "S2", file: "002_350e0850a80a0d01.txt", english: "From SETNX to Redlock and WAIT",
		parts: []part{
			{1, "1.分布式锁", "What a distributed lock is", "", "A definition. That a lock of one process is no use to another machine is claim 55."},
			{7, "2.分布式锁的特征", "What is demanded of a distributed lock", "crash-before-del re-entrancy", "Fast and highly available have no number in the text. Requests and round trips are counted; how many of them a server does in a second depends on the machine, see the summary of S4."},
			{18, "3.redis的实现", "On Redis", "slow-task-blind-del", "The example's lease of 3 s is 10 s in the lesson: nothing depends on it."},
			{35, "4.加强版实现", "A stronger version", "lua-closes-the-gap literal-release-removes-nothing compare-in-one-command cas-drops-the-ttl", "Tair cannot be had as a package. CAS and CAD are modelled from the source of its module, and not compared with a server."},
			{55, "5.集群模式下的分布式锁", "On a cluster", "failover-forgets-the-lock cluster-forgets-one-shard wait-is-not-a-disk", ""},
			{59, "redlock算法", "The Redlock algorithm", "minimal-release-leaves-ghosts microseconds-against-seconds redlock-on-the-wall-clock redlock-and-amnesia", "How probable a loss is cannot be measured without knowing how probable it is that a node forgets; claim 24 takes 10 %, which is no measurement."},
			{78, "wait指令实现", "With the command WAIT", "wait-survives-the-failover wait-answers-zero wait-on-the-wrong-connection wait-counts-the-wrong-replica wait-undoes-nothing wait-for-nobody connected-replica-is-no-copy lock-waits-for-a-copy", "The text looks for an error and not for the number: set-wait-unchecked. Costs are servers, requests and times; money is not measured."},
		},
	},
	{
		short: "S3", file: "003_67466b891a5c8073.txt", title: "redis实现分布式锁", english: "A distributed lock on Redis, with two Lua scripts",
		parts: []part{
			{1, "redis实现分布式锁", "Why a local time is no good value", "clocks-that-disagree two-clear-away-one-dead-lock getset-tells-who-was-first deadline-check-then-del seconds-that-are-too-short", "The scheme that the text argues against is not printed: it is played as it is usually told, in two forms."},
			{4, "加锁:aquire_lock_with_timeout.lua", "The script that acquires", "literal-seconds-for-milliseconds", "That it is fast enough is claim 35, as far as requests go; the processor time of Lua is not in the simulator."},
			{6, "释放锁:release_lock.lua", "The script that releases", "lua-closes-the-gap", ""},
			{8, "java为例,加载两个lua脚本,然后简单加锁,释放锁", "The program around them, in Java", "literal-integer-that-is-a-text literal-seconds-for-milliseconds", "No JVM takes part in a run: what Spring's template does with the reply and with an Integer is from its source. An interrupt is the end of a context here."},
			{11, "当然java也有更复杂更丰富的组件 redisson", "There is also Redisson", "", "A pointer to what S1 is about: redisson and redisson-3.12.3."},
		},
	},
	{
		short: "S4", file: "004_0b550b2f4f804549.txt", english: "Distributed locks on MySQL, Redis, etcd and ZooKeeper",
		parts: []part{
			{10, "前言", "Preface", "", "What the text is going to say; nothing to play."},
			{18, "什么是分布式锁", "What a distributed lock is", "", "Locks of threads and of processes are words in a memory in claim 55, shared or not. Neither is a lock of the registry: its clients would never wait, and no store would be asked."},
			{36, "分布式锁的特性", "What is demanded of it", "", "The three demands below."},
			{38, "互斥", "Mutual exclusion", "pause-past-lease session-is-the-lease", "The property mutual-exclusion, and each row of the matrix."},
			{42, "避免死锁", "No deadlocks", "crash-before-del setnx-without-expire slow-task-blind-del watchdog-saves-slow-task re-entrancy", "The numbers of the example, a lease of 5 s and a release in the sixth second, are 10 s and later in the lesson."},
			{74, "容错", "Fault tolerance", "redlock-survives-a-dead-node etcd-lease-outlives-nobody replication-falls-behind", ""},
			{80, "分类", "Two kinds", "", "The two kinds below."},
			{84, "**自旋方式**", "Spinning", "mysql-row-left-behind", ""},
			{88, "监听方式", "Watching", "etcd-queue-is-fair etcd-prefix-wakes-everybody zookeeper-herd", ""},
			{92, "实现方式", "Implementations", "", "The four headings below."},
			{96, "基于 MySQL", "On MySQL", "mysql-row-left-behind mysql-lost-insert-reply mysql-hung-worker mysql-version-is-a-token literal-mysql-table", "A dead server is played, and so is load, with the times that servers and disks are given in claim 39; how slow a certain database is can only be measured on it."},
			{123, "基于 Redis", "On Redis", "setnx-without-expire literal-expiry-that-never-comes slow-task-blind-del get-then-del-gap delete-without-an-owner lua-closes-the-gap watchdog-saves-slow-task pause-freezes-the-watchdog", ""},
			{202, "主从同步问题", "Replication", "failover-forgets-the-lock sentinels-choose-who-knows-most split-brain cluster-forgets-one-shard two-primaries-by-hand", "With replicas and sentinels any lock on Redis can be played; set-nx-lua-cluster is the row of the matrix for a Redis Cluster."},
			{219, "Redlock 加锁流程：", "Acquiring with Redlock", "redlock-looks-at-the-clock redlock-on-the-wall-clock redlock-without-a-margin redlock-and-a-pause-after-the-check late-acquire-reply", "The timestamps T1 and T2, and the comparison with the bare lease, are in redlock-wall-clock."},
			{227, "Redlock 释放锁:", "Releasing with Redlock", "minimal-release-leaves-ghosts redlock-survives-a-dead-node", "The controversy about Redlock's safety is mentioned and not told there; its two arguments, the pause after the check and the clock that jumps, are lessons of their own."},
			{255, "基于 Etcd", "On etcd", "etcd-queue-is-fair etcd-prefix-wakes-everybody etcd-lease-outlives-nobody lost-txn-reply literal-etcd-key literal-nobody-reads-the-answers session-is-the-lease answers-that-stay-away", "Its pictures are lost; what they show is in the text."},
			{379, "基于 ZooKeeper", "On ZooKeeper", "zookeeper-session-expiry zookeeper-delete-hits-anothers-node zookeeper-delete-again zookeeper-lost-create-reply zookeeper-herd zookeeper-warning-before-expiry session-outlives-the-contact zookeeper-czxid-is-a-token", "How the servers find a dead client is claim 56. That their checker itself may fail is not played: a leader that stands still is replaced, and the next one gives all sessions their full time again. That ZooKeeper costs more to deploy and to operate is no property of a lock."},
			{424, "总结", "Summary", "", "How fast a store is has no figure in the texts and none in the simulator, where servers and disks need no time. The benchmark of the stores (make bench-live) takes and releases a lock on real servers, in turn. Measured once by one client, medians of 12 rounds of 40 pairs, all on two busy cores, without a network, and no server but the second waiting for its disk: one redis-server gave 2,152 pairs per second; beside it Redis with fsync always 0.10, etcd 0.18 with one member and 0.06 with three, ZooKeeper 0.42 with one server and 0.19 with three, MariaDB 0.27. With sixteen clients rows that are next to each other in MariaDB's index deadlocked, and a database that is asked again gets on; there are no figures of that, for the machine was too busy. Whether Redis is good enough for most businesses cannot be measured."},
			{446, "参考", "References", "", "Three links."},
		},
	},
}
