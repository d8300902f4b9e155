#!/usr/bin/env python3
"""The Lock of kazoo as a lock program for lockstep: ZooKeeper, --lock-store zookeeper."""
import json
import sys

from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import LockTimeout

lock = None


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")  # in one piece: the listener has a thread of its own
    sys.stdout.flush()


def changed(state):
    if state == KazooState.LOST:  # kazoo asks its users to listen for this
        say({"event": "lost"})


def init(servers, lease_ms):
    global client
    client = KazooClient(hosts=",".join(servers), timeout=lease_ms / 1000)
    client.add_listener(changed)
    client.start(timeout=20)


def acquire(name, wait_ms):
    """Returns whether the lock was acquired within the time."""
    global lock
    lock = client.Lock("/" + name)
    try:
        # kazoo 2.8 restarts the timeout whenever the client before us in the queue changes, so the
        # wait may be far longer: lockstep then says that the program did not answer in time.
        return lock.acquire(timeout=wait_ms / 1000)
    except LockTimeout:
        return False


def release():
    """Returns whether kazoo knew of an entry to remove."""
    return lock.release()


def answer(question):
    op = question["op"]
    if op == "init":
        init(question["servers"], question["lease_ms"])
        return {"ok": True}
    if op == "acquire":
        return {"ok": True} if acquire(question["name"], question["wait_ms"]) else {"ok": False, "err": "timeout"}
    if op == "release":
        return {"ok": True} if release() else {"ok": False, "err": "not-held"}
    return {"ok": False, "err": "unknown", "detail": f"no such request: {op}"}


for line in sys.stdin:
    question = json.loads(line)
    try:
        reply = answer(question)
    except Exception as e:  # whether the store did it is not known
        reply = {"ok": False, "err": "unknown", "detail": str(e)[:1000]}
    say({"id": question["id"], **reply})
