#!/usr/bin/env python3
"""The lock of tooz, on Redis, as a lock program for lockstep."""
import json
import sys

from tooz import coordination

lock = None


def init(client, servers, lease_ms):
    global coordinator
    lease = max(lease_ms // 1000, 1)  # tooz knows whole seconds only
    coordinator = coordination.get_coordinator(
        f"redis://{servers[0]}?lock_timeout={lease}&socket_timeout=1", client.encode())
    coordinator.start()


def acquire(name, wait_ms):
    """Returns whether the lock was acquired within the time."""
    global lock
    lock = coordinator.get_lock(name.encode())
    return lock.acquire(blocking=wait_ms / 1000)


def release():
    """Returns whether an entry of ours was removed."""
    return lock.release()


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
