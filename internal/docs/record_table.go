package docs

// aside is a thread without a story, and why it has none.
type aside struct{ what, issue, why string }

var setAside = []aside{
	{
		"CURATOR-678", "https://github.com/apache/curator/issues/1193",
		"a release that loses its connection is said to leave its node for as long as the session lives. Curator's delete is a guaranteed one, which goes on in the background; curator-mutex is written from that code, and keeps. The thread is open.",
	},
	{
		"CURATOR-604", "https://github.com/apache/curator/issues/1121",
		"a client finds the node of its own expired session, on a server that has not heard of the end yet. That is a read of the past, and the model of ZooKeeper has none.",
	},
	{
		"node-redlock 169 and 274", "https://github.com/mike-marcacci/node-redlock/pull/274",
		"the end of the validity is counted from the first try, so that a lock that was waited for seems over when it begins. The client stops too early, never too late: no property is broken.",
	},
	{
		"redisson 7272", "https://github.com/redisson/redisson/issues/7272",
		"a renewal that is scheduled after the release that should have cancelled it. It is a race of callbacks inside of one process, and needs a second hold of the same thread; no protocol shows it.",
	},
	{
		"redisson 1626", "https://github.com/redisson/redisson/issues/1626",
		"a watchdog that is never cancelled, in rare cases; the cause did not become clear.",
	},
	{
		"dynamodb-lock-client 116", "https://github.com/awslabs/amazon-dynamodb-lock-client/pull/116",
		"a heartbeat revives a lock that has been released. There is no model of DynamoDB.",
	},
	{
		"RedLock.net 64", "https://github.com/samcook/RedLock.net/pull/64",
		"an extension that is under way overtakes the release, and sets the key again. It is not renewed from then on, so that it costs one lease and breaks nothing; the script that does it is that of redlock-rb-36.",
	},
	{
		"etcd 19597", "https://github.com/etcd-io/etcd/issues/19597",
		"who waits with a session that has ended goes on waiting until the holder is done, and then gets an error. That costs time and breaks nothing.",
	},
}

// argument is one about Redlock. story is the name of a scenario, and close how close that comes; ""
// if there is none, and close says why.
type argument struct{ who, source, says, story, close string }

// redlockDebate are the arguments in their order.
var redlockDebate = []argument{
	{
		"M. Kleppmann, 8 February 2016", kleppmann,
		"The clock of one node jumps: the key there runs out early, and a second client finds a majority.",
		"redlock-and-a-jumping-clock", "as told: five nodes, two out of reach, one whose clock is set",
	},
	{
		"M. Kleppmann", kleppmann,
		"The holder of the lock is stopped, by a garbage collection say, while the answers are on their way; all keys run out, and it wakes up with a majority.",
		"redlock-looks-at-the-clock", "as told, and it does not happen to a process that is stopped: the pause falls before the look at the clock, as the reply says. To a host that is suspended it does, for its clock stands still with it: not-played.md has that story",
	},
	{
		"M. Kleppmann", kleppmann,
		"The same pause after the lock was taken: nothing that the holder checks before its write protects the write.",
		"redlock-and-a-pause-after-the-check", "as told",
	},
	{
		"S. Sanfilippo, 9 February 2016", antirez,
		"The time is taken again after the votes, so a delay before that is noticed; one after it hits every lock that expires.",
		"pause-past-lease", "the second half: the locks on one server, under the same pause",
	},
	{
		"S. Sanfilippo", antirez,
		"What a step of the client's clock could hide from that check, the monotonic clock does not.",
		"redlock-on-the-wall-clock", "both clocks side by side",
	},
	{
		"S. Sanfilippo", antirez,
		"A node that restarts without its keys stays away for as long as the longest lease.",
		"redlock-and-amnesia", "as told, with the lock that does so and with the one that does not; and with disks in the place of the delay",
	},
	{
		"M. Kleppmann", kleppmann,
		"A number that grows with each holder, and a resource that refuses smaller ones.",
		"fence-saves-the-resource", "on one server, since Redlock has no such number; without a failover, which would give the numbers out again",
	},
	{
		"S. Sanfilippo", antirez,
		"Tokens that are only distinct will do for a resource that writes under the condition that its token is still the one of the read.",
		"", "not played: the resource of these stories compares numbers, and has no condition",
	},
	{
		"a library without the check", "https://github.com/mike-marcacci/node-redlock/pull/369",
		"The second argument, where the check was left out.",
		"node-redlock-369", "the library's protocol, with the votes one after the other instead of all at once",
	},
}

const (
	kleppmann = "https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html"
	antirez   = "http://antirez.com/news/101"
)
