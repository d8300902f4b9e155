"""A lock program with a switch for each bug that a lock can have, and for each lie that a program can tell.

    lock.py [renew] [BUG | LIE | ADDRESS]

It speaks to Redis by sockets, so that nothing has to be installed. Without an argument it is SET NX PX and a
script that compares; with "renew" a heartbeat every third of the lease renews it, and tells when it is lost.
"""
import fcntl
import json
import os
import socket
import sys
import threading
import time
import uuid

args = sys.argv[1:]
renews = "renew" in args
has = lambda word: word in args
RELEASE = "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) end return 0"
RENEW = "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('pexpire',KEYS[1],ARGV[2]) end return 0"
PUT = "local v=redis.call('get',KEYS[1]) if not v or v==ARGV[1] then redis.call('set',KEYS[1],ARGV[1],'PX',ARGV[2]) return 1 end return 0"


class Link:
    """One connection, opened again after an error."""

    def __init__(self, address):
        self.address, self.sock = address, None

    def ask(self, *words):
        try:
            if self.sock is None:
                host, port = self.address.rsplit(":", 1)
                self.sock = socket.create_connection((host, int(port)), 1)
                self.sock.settimeout(0.8 * lease / 1000)
            out = b"*%d\r\n" % len(words)
            for w in words:
                w = str(w).encode()
                out += b"$%d\r\n%s\r\n" % (len(w), w)
            self.sock.sendall(out)
            reply = b""
            while not reply.endswith(b"\r\n") or reply[:1] == b"$" and reply[1:2] != b"-" and reply.count(b"\r\n") < 2:
                more = self.sock.recv(4096)
                if not more:
                    raise OSError("closed")
                reply += more
            return reply
        except OSError:
            self.sock = None
            return None


def say(**message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


class Hold:
    def __init__(self, token):
        self.token, self.released, self.began = token, False, time.monotonic()
        if renews:
            self.later()

    def later(self):
        self.timer = threading.Timer(lease / 3000, self.beat)
        self.timer.daemon = True
        self.timer.start()

    def beat(self):
        if has("extends-anything"):  # bug: the extension does not check whose entry it is
            beats.ask("SET", name, self.token, "XX", "PX", lease)
        else:
            r = beats.ask("EVAL", PUT if has("beats-on") else RENEW, 1, name, self.token, lease)
            if r == b":0\r\n" and not self.released and not has("beats-on"):
                say(event="lost")
                return
        if has("beats-on") or not self.released:  # bug: the answer to a heartbeat starts the next one
            self.later()

    def release(self):
        self.released = True
        if renews:
            self.timer.cancel()
        if has("extends-anything"):  # after a pause its heartbeat may come too late
            beats.ask("SET", name, self.token, "XX", "PX", lease)
        if has("blind"):  # bug: whose entry it is by now does not matter
            return link.ask("DEL", name)
        return link.ask("EVAL", RELEASE, 1, name, self.token)

    def watch(self, deadline):
        """Tells the holder at its deadline, if it holds the lock by then."""
        def end():
            if not self.released:
                say(event="lost")
        t = threading.Timer(max(0, deadline - time.monotonic()), end)
        t.daemon = True
        t.start()


def try_lock(token):
    """True: acquired; False: another client has it; None: unknown."""
    if has("own-file"):  # lie: a lock of the machine's and none of the servers'
        return grab()
    if has("file-and-get"):  # lie: the same behind one request
        link.ask("GET", name)
        return grab()
    if has("says-yes"):  # lie
        link.ask("SET", name, token, "NX", "PX", lease)
        return True
    if has("says-yes-alone"):  # lie
        return True
    if has("nobody"):  # lie: no client is ever let in
        link.ask("GET", name)
        return False
    if has("only-a") and me not in ("A", "probe"):  # lie: no other client is ever let in
        link.ask("GET", name)
        return False
    if has("early"):  # lie: it holds before it has asked
        threading.Timer(0.05, lambda: beats.ask("SET", name, token, "NX", "PX", lease)).start()
        return True
    if has("get-then-set"):  # bug
        if link.ask("GET", name) != b"$-1\r\n":
            return False
        time.sleep(0.03)
        return link.ask("SET", name, token, "PX", lease) is not None or None
    r = link.ask("SET", name, token, "NX", "PX", lease)
    if r is None and has("any-error"):  # bug: an error counts as the lock
        return True
    return None if r is None else r.startswith(b"+OK")


def grab():
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:
        return False


def acquire(end):
    global hold, dead, tokens
    token = me if has("one-token") else uuid.uuid4().hex  # bug: each time the same token
    while not dead:
        began = time.monotonic()
        got = try_lock(token)
        if got:
            hold = Hold(token)
            if has("counts-from-reply"):  # bug: the lease began when the request was sent
                began = time.monotonic()
            if not renews:
                hold.watch(began + 0.9 * lease / 1000)
            return True
        if time.monotonic() > end:
            dead = has("dies-of-a-try")  # lie: a client whose try has failed never gets in again
            return False
        time.sleep(0.02)
    time.sleep(max(0, end - time.monotonic()))
    return False


dead, hold = False, None
for line in sys.stdin:
    q = json.loads(line)
    i, op = q["id"], q["op"]
    if op == "init":
        me, lease, name = q["client"], q["lease_ms"], "app:" + ("x" if has("two-keys") else "lock")
        address = next((a for a in args if ":" in a), q["servers"][0])  # lie: another server's address
        link, beats = Link(address), Link(address)
        if has("own-file") or has("file-and-get"):
            file = open(os.environ["LOCK_FILE"], "w")
        say(id=i, ok=True)
    elif op == "acquire":
        ok = acquire(time.monotonic() + q["wait_ms"] / 1000)
        if ok and has("two-keys"):  # a second key of its own: which one is the lock's is unknown
            link.ask("SET", "app:y", me, "PX", lease)
        if has("other-id"):
            i += 1  # lie: it answers another request
        say(id=i, ok=ok, **({} if ok else {"err": "timeout"}))
    elif has("own-file") or has("file-and-get"):
        fcntl.flock(file, fcntl.LOCK_UN)
        say(id=i, ok=True)
    else:
        r = b":1\r\n" if has("keeps") else hold.release()  # lie: it has released
        say(id=i, ok=r == b":1\r\n", **({} if r == b":1\r\n" else {"err": "not-held" if r == b":0\r\n" else "unknown"}))
