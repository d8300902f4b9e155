#!/usr/bin/env python3
"""The Lock of redis-py as a lock program for lockstep.

Put your own lock into the three functions; the rest speaks the protocol.
"""
import json
import sys

import redis
from redis.exceptions import LockError, LockNotOwnedError

lock = None


def init(client, servers, lease_ms):
    global connection, lease
    host, port = servers[0].rsplit(":", 1)
    # A request must not wait forever: a lost reply is an error after this time.
    connection = redis.Redis(host=host, port=int(port), socket_timeout=1, socket_connect_timeout=1)
    connection.ping()
    lease = lease_ms / 1000


def acquire(name, wait_ms):
    """Returns whether the lock was acquired within the time."""
    global lock
    lock = connection.lock(name, timeout=lease, sleep=0.01)
    return lock.acquire(blocking_timeout=wait_ms / 1000)


def release():
    """Returns whether an entry of ours was removed."""
    try:
        lock.release()
        return True
    except (LockNotOwnedError, LockError):
        return False


def answer(question):
    op = question["op"]
    if op == "init":
        init(question["client"], question["servers"], question["lease_ms"])
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
    print(json.dumps({"id": question["id"], **reply}), flush=True)
