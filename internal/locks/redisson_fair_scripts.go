package locks

import "lockstep/internal/store/redis"

// The scripts of Redisson's fair lock. KEYS: the lock; the queue, a list of fields;
// and the timeouts, a sorted set that says until when each of them is waited for.

// dropStale takes those off the head of the queue whose timeout is over by the
// clock of the client that asks, which is ARGV[4] of all scripts that do so.
const dropStale = `while true do
	local head = redis.call('lindex', KEYS[2], 0)
	if head == false then
		break
	end
	local deadline = redis.call('zscore', KEYS[3], head)
	if deadline == false or tonumber(deadline) > tonumber(ARGV[4]) then
		break
	end
	redis.call('zrem', KEYS[3], head)
	redis.call('lpop', KEYS[2])
end
`

var (
	// ARGV: lease, field, waiting time, now. All times are milliseconds.
	redissonFairLock = &redis.Script{Name: "lock", Owner: 2, Source: dropStale + `if redis.call('exists', KEYS[1]) == 0
		and (redis.call('exists', KEYS[2]) == 0 or redis.call('lindex', KEYS[2], 0) == ARGV[2]) then
	redis.call('lpop', KEYS[2])
	redis.call('zrem', KEYS[3], ARGV[2])
	local waiting = redis.call('zrange', KEYS[3], 0, -1)
	for i = 1, #waiting do
		redis.call('zincrby', KEYS[3], -tonumber(ARGV[3]), waiting[i])
	end
	redis.call('hset', KEYS[1], ARGV[2], 1)
	redis.call('pexpire', KEYS[1], ARGV[1])
	return nil
end
if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
	redis.call('hincrby', KEYS[1], ARGV[2], 1)
	redis.call('pexpire', KEYS[1], ARGV[1])
	return nil
end
if redis.call('zscore', KEYS[3], ARGV[2]) ~= false then
	return math.max(0, redis.call('pttl', KEYS[1]))
end
local last = redis.call('lindex', KEYS[2], -1)
local ttl
if last ~= false and last ~= ARGV[2] and redis.call('zscore', KEYS[3], last) ~= false then
	ttl = tonumber(redis.call('zscore', KEYS[3], last)) - tonumber(ARGV[4])
else
	ttl = redis.call('pttl', KEYS[1])
end
local deadline = ttl + tonumber(ARGV[3]) + tonumber(ARGV[4])
if redis.call('zadd', KEYS[3], deadline, ARGV[2]) == 1 then
	redis.call('rpush', KEYS[2], ARGV[2])
end
return ttl`}

	// KEYS also: channel, latch. ARGV: message, lease, field, now, command of
	// publishing, time to live of the latch.
	redissonFairUnlock = &redis.Script{Name: "unlock", Owner: 3, Source: `local before = redis.call('get', KEYS[5])
if before ~= false then
	return tonumber(before)
end
` + dropStale + `local function wake()
	local head = redis.call('lindex', KEYS[2], 0)
	if head ~= false then
		redis.call(ARGV[5], KEYS[4] .. ':' .. head, ARGV[1])
	end
end
if redis.call('exists', KEYS[1]) == 0 then
	wake()
	redis.call('set', KEYS[5], 1, 'px', ARGV[6])
	return 1
end
if redis.call('hexists', KEYS[1], ARGV[3]) == 0 then
	return nil
end
local holds = redis.call('hincrby', KEYS[1], ARGV[3], -1)
if holds > 0 then
	redis.call('pexpire', KEYS[1], ARGV[2])
	redis.call('set', KEYS[5], 0, 'px', ARGV[6])
	return 0
end
redis.call('del', KEYS[1])
redis.call('set', KEYS[5], 1, 'px', ARGV[6])
wake()
return 1`}

	// KEYS: queue, timeouts. ARGV: field, waiting time.
	redissonFairCancel = &redis.Script{Name: "cancel", Source: `local queue = redis.call('lrange', KEYS[1], 0, -1)
local behind = false
for i = 1, #queue do
	if behind then
		redis.call('zincrby', KEYS[2], -tonumber(ARGV[2]), queue[i])
	elseif queue[i] == ARGV[1] then
		behind = true
	end
end
redis.call('zrem', KEYS[2], ARGV[1])
redis.call('lrem', KEYS[1], 0, ARGV[1])`}
)
