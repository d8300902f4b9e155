<?php
// Symfony's Lock, with its RedisStore, as a lock program for lockstep.
//
// Put your own lock into the three functions; the rest speaks the protocol.

require 'Symfony/Component/Lock/autoload.php';

use Symfony\Component\Lock\Exception\LockReleasingException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\RedisStore;

function init(array $servers, int $leaseMs): void
{
    global $factory, $lease;
    [$host, $port] = explode(':', $servers[0]);
    $redis = new Redis();
    // A request must not wait forever: a lost reply is an error after this time.
    $redis->connect($host, (int) $port, 1.0, null, 0, 1.0);
    $factory = new LockFactory(new RedisStore($redis));
    $lease = $leaseMs / 1000;
}

// acquire returns whether the lock was acquired within the time.
function acquire(string $name, int $waitMs): bool
{
    global $factory, $lease, $lock;
    $end = hrtime(true) + $waitMs * 1_000_000;
    $lock = $factory->createLock($name, $lease, false);
    while (!$lock->acquire()) {
        if (hrtime(true) > $end) {
            return false;
        }
        usleep(10_000);
    }

    return true;
}

// release returns whether an entry of ours was there to be removed.
function release(): bool
{
    global $lock;
    if (!$lock->isAcquired()) {
        return false;
    }
    $lock->release();

    return true;
}

function answer(array $question): array
{
    switch ($question['op']) {
        case 'init':
            init($question['servers'], $question['lease_ms']);

            return ['ok' => true];
        case 'acquire':
            return acquire($question['name'], $question['wait_ms']) ? ['ok' => true] : ['ok' => false, 'err' => 'timeout'];
        case 'release':
            return release() ? ['ok' => true] : ['ok' => false, 'err' => 'not-held'];
    }

    return ['ok' => false, 'err' => 'unknown', 'detail' => 'no such request'];
}

while (($line = fgets(STDIN)) !== false) {
    $question = json_decode($line, true);
    try {
        $reply = answer($question);
    } catch (Throwable $e) { // whether the store did it is not known
        $reply = ['ok' => false, 'err' => 'unknown', 'detail' => substr($e->getMessage(), 0, 1000)];
    }
    echo json_encode(['id' => $question['id']] + $reply, JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
