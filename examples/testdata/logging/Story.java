import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;

/** Two clients take a working lock, or one that excludes no client: Story [FILE] works|lies. */
class Story {
    static final String LOCK = "jobs \"\u00e4\" \\1"; // needs quoting
    static final Semaphore mutex = new Semaphore(1);
    static final AtomicLong tokens = new AtomicLong();
    static final CountDownLatch bTries = new CountDownLatch(1), bIsIn = new CountDownLatch(1), aIsInAgain = new CountDownLatch(1),
        bGaveUp = new CountDownLatch(1), aLostIt = new CountDownLatch(1);
    static boolean lies;

    static Long acquire() throws InterruptedException {
        if (!lies) mutex.acquire();
        Thread.sleep(2); // for a later time than that of the line before
        return tokens.incrementAndGet();
    }

    static void release() {
        if (!lies) mutex.release();
    }

    static void await(CountDownLatch latch) {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) throw new IllegalStateException("it never came");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void inAThread(Runnable work) throws InterruptedException {
        Thread t = new Thread(work);
        t.start();
        t.join();
    }

    static void a(Thread b) throws Exception {
        Runnable lateReply = () -> { release(); await(bIsIn); };
        try (LockLog hold = new LockLog(LOCK, Story::acquire, lateReply)) {
            b.start();
            await(lies ? bIsIn : bTries);
            if (lies) b.join();
            else inAThread(hold::extended); // as a watchdog does
            hold.write();
        }
        if (lies) return;
        while (mutex.availablePermits() == 0) Thread.sleep(1);
        try (LockLog hold = new LockLog(LOCK, Story::acquire, () -> {})) {
            aIsInAgain.countDown();
            await(bGaveUp);
            inAThread(hold::lost);
            inAThread(hold::extended); // a late one
            release();
            aLostIt.countDown();
            b.join();
        }
    }

    static void b() throws Exception {
        try (LockLog hold = new LockLog(LOCK, () -> { bTries.countDown(); return acquire(); }, Story::release)) {
            bIsIn.countDown();
            Thread.sleep(2);
            hold.write();
            throw new IllegalArgumentException("the work fails");
        } catch (IllegalArgumentException expected) {
            if (lies) return;
        }
        await(aIsInAgain);
        try (LockLog hold = new LockLog(LOCK, () -> { throw new TimeoutException(); }, Story::release)) {
            throw new IllegalStateException("it has the lock");
        } catch (TimeoutException expected) {
            bGaveUp.countDown();
        }
        await(aLostIt);
        try (LockLog hold = new LockLog(LOCK, Story::acquire, Story::release)) { }
    }

    public static void main(String[] args) throws Exception {
        lies = args[args.length - 1].equals("lies");
        if (args.length > 1) LockLog.to(args[0]); // otherwise as java.util.logging is configured
        a(new Thread(() -> {
            try {
                b();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }));
    }
}
