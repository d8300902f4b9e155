package redis

import "strings"

// lackedCommands are the commands of Redis 7.0 that the model does not have, newerCommands those of
// later versions. A script that calls one ends the run: the error for a command that does not exist
// would be blamed on the lock, and pcall would hide it.
var lackedCommands, newerCommands = named(lackedNames), named(newerNames)

func named(names string) map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(names) {
		m[name] = true
	}
	return m
}

const newerNames = `
	digest hexpire hexpireat hexpiretime hgetdel hgetex hpersist hpexpire hpexpireat hpexpiretime hpttl hsetex httl msetex
	waitaof
`

const lackedNames = `
	acl append asking auth bgrewriteaof bgsave bitcount bitfield bitfield_ro bitop bitpos blmove blmpop blpop
	brpop brpoplpush bzmpop bzpopmax bzpopmin client cluster command config copy dbsize debug dump echo eval_ro
	evalsha_ro failover fcall fcall_ro flushdb function geoadd geodist geohash geopos georadius georadius_ro
	georadiusbymember georadiusbymember_ro geosearch geosearchstore getbit getex hello hincrbyfloat hmset
	hrandfield hscan hstrlen incrbyfloat info keys lastsave latency lcs linsert lmove lmpop lolwut lpos lpushx
	lset ltrim memory migrate module monitor move object pfadd pfcount pfdebug pfmerge pfselftest psubscribe psync
	pubsub punsubscribe quit randomkey readonly readwrite rename renamenx replconf replicaof reset restore
	restore-asking role rpoplpush rpushx sadd save scan scard sdiff sdiffstore select setbit setrange shutdown
	sinter sintercard sinterstore sismember slaveof slowlog smembers smismember smove sort sort_ro spop spublish
	srandmember srem sscan ssubscribe subscribe substr sunion sunionstore sunsubscribe swapdb sync touch
	unsubscribe unwatch watch xack xadd xautoclaim xclaim xdel xgroup xinfo xlen xpending xrange xread xreadgroup
	xrevrange xsetid xtrim zdiff zdiffstore zinter zintercard zinterstore zlexcount zmpop zmscore zpopmax zpopmin
	zrandmember zrangebylex zrangestore zremrangebylex zremrangebyrank zrevrange zrevrangebylex zrevrangebyscore
	zrevrank zscan zunion zunionstore
`
