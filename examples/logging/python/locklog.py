"""Writes a log of locks that `simulate check` reads as it is.

    locklog.to("locks.jsonl")           # once, in each process
    with locklog.held("jobs", lock.acquire, lock.release) as hold:
        hold.write()                    # then write, with the token
"""
import contextlib, datetime, json, logging, os, socket, threading, time

LOG = logging.getLogger("locks")
HOST, STARTED = socket.gethostname(), time.time_ns() // 1_000_000


class Line(logging.Formatter):
    def format(self, record):
        at = datetime.datetime.fromtimestamp(record.created, datetime.timezone.utc)
        return json.dumps({"time": at.isoformat(timespec="microseconds"), "event": record.msg, **record.args})


def to(file):
    handler = logging.FileHandler(file)  # it flushes each line
    handler.setFormatter(Line())
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False


class Hold:
    def __init__(self, lock, task):
        # The name is that of the thread that takes the lock, whichever thread renews it.
        client = f"{HOST}/{os.getpid()}/{STARTED}/{task or threading.get_ident()}"
        self.line, self.over, self.mutex = {"client": client, "lock": lock}, False, threading.Lock()

    def say(self, event, last=False):
        with self.mutex:
            if not self.over:  # a renewal may be late
                LOG.info(event, self.line)
            self.over = self.over or last

    def write(self):  # before each write to what the lock guards
        LOG.info("write", self.line)

    def extended(self):  # after the reply to each renewal, by any thread
        self.say("extended")

    def lost(self):  # when the lock says that it is lost, by any thread
        self.say("lost", last=True)


@contextlib.contextmanager
def held(lock, acquire, release, task=None):
    """acquire returns the fencing token, or True without one; False is not to have the lock.

    task names the client within its process where several share a thread."""
    hold = Hold(lock, task)
    hold.say("waiting")
    token = acquire()
    if token is False:
        raise TimeoutError(lock)
    if type(token) is int:  # and no random value, which is a secret
        hold.line = {**hold.line, "token": token}
    try:
        hold.say("acquired")
        yield hold
    finally:
        hold.say("released", last=True)
        release()
