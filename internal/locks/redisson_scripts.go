package locks

import "lockstep/internal/store/redis"

// The scripts of Redisson's locks. All keep a hash under the lock's name with one field,
// UUID:threadId of the holder, whose value counts its holds. Scripts of the same purpose have the
// same name, so that a scenario that waits for "unlock" means the same for all of these locks.

// Version 3.12.3. KEYS: lock (and channel). ARGV: see the commands.
var (
	redisson3123Lock = &redis.Script{Name: "lock", Owner: 2, Source: `if redis.call('exists', KEYS[1]) == 0 then
	redis.call('hincrby', KEYS[1], ARGV[2], 1)
	redis.call('pexpire', KEYS[1], ARGV[1])
	return nil
end
if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
	redis.call('hincrby', KEYS[1], ARGV[2], 1)
	redis.call('pexpire', KEYS[1], ARGV[1])
	return nil
end
return redis.call('pttl', KEYS[1])`}

	redisson3123Unlock = &redis.Script{Name: "unlock", Owner: 3, Source: `if redis.call('hexists', KEYS[1], ARGV[3]) == 0 then
	return nil
end
local holds = redis.call('hincrby', KEYS[1], ARGV[3], -1)
if holds > 0 then
	redis.call('pexpire', KEYS[1], ARGV[2])
	return 0
end
redis.call('del', KEYS[1])
redis.call('publish', KEYS[2], ARGV[1])
return 1`}

	redisson3123Renew = &redis.Script{Name: "renew", Owner: 2, Source: `if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
	redis.call('pexpire', KEYS[1], ARGV[1])
	return 1
end
return 0`}
)

// Since 3.44. The release leaves its result behind in a key of its own, the latch,
// and answers from there when it is run again; the renewal takes many locks.
var (
	redissonLockScript = &redis.Script{Name: "lock", Owner: 2, Source: `if redis.call('exists', KEYS[1]) == 0
		or redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
	redis.call('hincrby', KEYS[1], ARGV[2], 1)
	redis.call('pexpire', KEYS[1], ARGV[1])
	return nil
end
return redis.call('pttl', KEYS[1])`}

	redissonUnlockScript = &redis.Script{Name: "unlock", Owner: 3, Source: `local before = redis.call('get', KEYS[3])
if before ~= false then
	return tonumber(before)
end
if redis.call('hexists', KEYS[1], ARGV[3]) == 0 then
	return nil
end
local holds = redis.call('hincrby', KEYS[1], ARGV[3], -1)
if holds > 0 then
	redis.call('pexpire', KEYS[1], ARGV[2])
	redis.call('set', KEYS[3], 0, 'px', ARGV[5])
	return 0
end
redis.call('del', KEYS[1])
redis.call(ARGV[4], KEYS[2], ARGV[1])
redis.call('set', KEYS[3], 1, 'px', ARGV[5])
return 1`}

	redissonRenewScript = &redis.Script{Name: "renew", Owner: 2, Source: `local result = {}
for i = 1, #KEYS do
	if redis.call('hexists', KEYS[i], ARGV[i + 1]) == 1 then
		redis.call('pexpire', KEYS[i], ARGV[1])
		table.insert(result, 1)
	else
		table.insert(result, 0)
	end
end
return result`}
)

// redissonFencedScript is redissonLockScript with a counter under a second key; the
// token comes back with the time to live. -1 stands for a success.
var redissonFencedScript = &redis.Script{Name: "lock", Owner: 2, Source: `if redis.call('exists', KEYS[1]) == 0
		or redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
	local token = redis.call('incr', KEYS[2])
	redis.call('hincrby', KEYS[1], ARGV[2], 1)
	redis.call('pexpire', KEYS[1], ARGV[1])
	return {-1, token}
end
return {redis.call('pttl', KEYS[1]), -1}`}
