"""A lock on etcd as a program for lockstep, by the JSON gateway. The argument says how it
releases: guarded, revoke (its lease), blind (without a condition), prefix (blind, every key of the folder)."""
import base64
import itertools
import json
import sys
import time
import urllib.request

how = sys.argv[1]


def ask(path, **body):
    request = urllib.request.Request(f"http://{servers[0]}/v3/{path}", json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=1) as reply:
        return json.load(reply)


def coded(text):
    return base64.b64encode(text.encode()).decode()


def acquire(name, wait_ms):
    global key, mine, lease
    key, mine = coded("locks/" + name), coded(f"{client}-{next(numbers)}")
    until = time.monotonic() + wait_ms / 1000
    lease = ask("lease/grant", TTL=ttl)["ID"]
    while time.monotonic() < until:
        won = ask("kv/txn", compare=[{"key": key, "target": "CREATE", "result": "EQUAL", "create_revision": 0}],
                  success=[{"request_put": {"key": key, "value": mine, "lease": lease}}])
        if won.get("succeeded"):
            return True
        time.sleep(0.01)
        ask("lease/keepalive", ID=lease)
    return False


def release():
    if how == "revoke":
        ask("kv/lease/revoke", ID=lease)
        return True
    if how == "blind":
        return bool(ask("kv/deleterange", key=key).get("deleted"))
    if how == "prefix":
        return bool(ask("kv/deleterange", key=coded("locks/"), range_end=coded("locks0")).get("deleted"))
    freed = ask("kv/txn", compare=[{"key": key, "target": "VALUE", "result": "EQUAL", "value": mine}],
                success=[{"request_delete_range": {"key": key}}])
    return freed.get("succeeded", False)


numbers = itertools.count()
for line in sys.stdin:
    q = json.loads(line)
    a = {"id": q["id"], "ok": True}
    try:
        if q["op"] == "init":
            servers, client, ttl = q["servers"], q["client"], max(1, q["lease_ms"] // 1000)
        elif q["op"] == "acquire" and not acquire(q["name"], q["wait_ms"]):
            a.update(ok=False, err="timeout")
        elif q["op"] == "release" and not release():
            a.update(ok=False, err="not-held")
    except Exception as e:  # the next request goes to the next server
        servers.append(servers.pop(0))
        a.update(ok=False, err="unknown", detail=str(e)[:1000])
    print(json.dumps(a), flush=True)
