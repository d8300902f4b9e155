#!/usr/bin/env ruby
# A lock in Ruby with the gem redis, as a lock program for lockstep.
#
# Put your own lock into the three methods; the rest speaks the protocol.
require "json"
require "redis"
require "securerandom"

UNLOCK = <<~LUA
  if redis.call("get", KEYS[1]) == ARGV[1] then
    return redis.call("del", KEYS[1])
  end
  return 0
LUA

def init(servers, lease_ms)
  host, port = servers.first.split(":")
  # A request must not wait forever: a lost reply is an error after this time.
  @redis = Redis.new(host: host, port: port.to_i, timeout: 1)
  @redis.ping
  @lease_ms = lease_ms
end

# Whether the lock was acquired within the time.
def acquire(name, wait_ms)
  @name, @token = name, SecureRandom.hex(16)
  give_up = Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond) + wait_ms
  until @redis.set(@name, @token, nx: true, px: @lease_ms)
    return false if Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond) > give_up
    sleep 0.01
  end
  true
end

# Whether an entry of ours was removed.
def release
  @redis.eval(UNLOCK, keys: [@name], argv: [@token]) == 1
end

def answer(question)
  case question["op"]
  when "init"
    init(question["servers"], question["lease_ms"])
    { ok: true }
  when "acquire"
    acquire(question["name"], question["wait_ms"]) ? { ok: true } : { ok: false, err: "timeout" }
  when "release"
    release ? { ok: true } : { ok: false, err: "not-held" }
  else
    { ok: false, err: "unknown", detail: "no such request" }
  end
end

$stdout.sync = true
$stdin.each_line do |line|
  question = JSON.parse(line)
  begin
    reply = answer(question)
  rescue StandardError => e # whether the store did it is not known
    reply = { ok: false, err: "unknown", detail: e.message[0, 1000] }
  end
  puts JSON.generate({ id: question["id"] }.merge(reply))
end
