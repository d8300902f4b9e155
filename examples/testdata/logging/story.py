"""Two clients take a working lock, or one that excludes no client: story.py FILE works|lies."""
import sys, threading, time

import locklog

mutex, tokens, lies = threading.Lock(), iter(range(1, 9)), sys.argv[2] == "lies"
LOCK = 'jobs "ä" \\1'  # needs quoting
said = {what: threading.Event() for what in ("b tries", "b is in", "a is in again", "b gave up", "a lost it")}


def acquire():
    if not lies:
        mutex.acquire()
    time.sleep(0.002)  # for a later time than that of the line before
    return next(tokens)


def release():
    if not lies:
        mutex.release()


def b_acquires():
    said["b tries"].set()
    return acquire()


def a_releases():  # the reply comes late
    release()
    assert said["b is in"].wait(60)


def thread(do):
    t = threading.Thread(target=do)
    t.start()
    return t


def a():
    b = threading.Thread(target=b_client)
    with locklog.held(LOCK, acquire, a_releases) as hold:
        b.start()
        said["b is in" if lies else "b tries"].wait(60)
        if lies:
            b.join()
        else:
            thread(hold.extended).join()  # as a watchdog does
        hold.write()
    if lies:
        return
    while mutex.locked():
        time.sleep(0.001)
    with locklog.held(LOCK, acquire, lambda: None) as hold:
        said["a is in again"].set()
        said["b gave up"].wait(60)
        thread(hold.lost).join()
        thread(hold.extended).join()  # a late one
        release()
        said["a lost it"].set()
        b.join()


def b_tries_in_vain():
    try:
        with locklog.held(LOCK, lambda: mutex.acquire(blocking=False), release, "b"):
            raise AssertionError("it has the lock")
    except TimeoutError:
        said["b gave up"].set()


def b_client():
    try:
        with locklog.held(LOCK, b_acquires, release, task="b") as hold:
            said["b is in"].set()
            time.sleep(0.002)
            hold.write()
            raise ValueError("the work fails")
    except ValueError:
        pass
    if lies:
        return
    said["a is in again"].wait(60)
    thread(b_tries_in_vain).join()
    said["a lost it"].wait(60)
    with locklog.held(LOCK, acquire, release, "b"):
        pass


locklog.to(sys.argv[1])
a()
