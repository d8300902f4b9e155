package claims

import (
	"context"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
)

// Claims about who a lock is for: threads, processes, machines; and about a client that
// does not want to wait any more.

func init() {
	Register(Claim{53, both("UUID and threadId make a value that is unique.", "UUID 加 threadId 得到唯一的值。"), "S0:68-76", uniqueValue})
	Register(Claim{54, both("tryLock tries for acquireTimeout, and then gives up.", "tryLock 试 acquireTimeout 那么久，然后放弃。"), "S3:10", triesForItsTime})
	Register(Claim{55, both("Locks of threads and of processes are of no use to processes on several machines.", "线程锁和进程锁，对几台机器上的进程没有用。"), "S4:30-42", locksOfOneMachine})
}

// uniqueValue overruns a lease, so that a release meets the hold of another thread, and
// holds a release back until it meets the thread's own next hold. True when it does no
// harm in either case, depends when it does in one.
func uniqueValue(l *Lab) Result {
	const each = 50
	late := Story{
		Clients: "[A, B]", Work: "6s", Stagger: "12s", Workload: []string{"repeat: 2 times", "rest: 100ms"},
		Faults: []string{"when: A is about to send unlock; delay: request; by: 8s"},
	}
	others := func(lock string) int {
		return HowMany(l.Play(Story{Lock: lock, Work: "6s", Faults: overrun}, each), (*Run).Robbed)
	}
	own := func(lock string) int {
		late.Lock = lock
		return HowMany(l.Play(late, each), (*Run).Overlapped)
	}
	robbed, joined := others("set-nx-lua-thread"), own("set-nx-lua-thread")
	return Result{
		Verdict: Split(robbed == 0, joined == 0),
		Figure: both("After an overrun the release removed the key of another thread in %d of %d runs (with one value for all: %d). A release that came late removed the key of the same thread's next hold, so that two held, in %d of %d (with a value drawn for each acquisition: %d).",
			"超过租约之后，释放删掉别的线程的键，%[2]d 次运行中有 %[1]d 次（大家用同一个值时 %[3]d 次）。来得太晚的释放删掉同一个线程下一次持有的键，于是两个持有，%[5]d 次中有 %[4]d 次（每次拿锁都另抽一个值时 %[6]d 次）。",
			robbed, each, others("set-nx-lua-const"), joined, each, own("set-nx-lua")),
	}
}

// triesForItsTime lets B try for 10 s while A holds the lock. True when B gives up after
// that time, to the retry's length, also when its clock is set and when it is interrupted.
func triesForItsTime(l *Lab) Result {
	const lock, want = "lua-setex", 10 * time.Second
	story := Story{Lock: lock, Lease: "60s", Clients: "[A, B]", Work: "40s", Wait: "10s"}
	tried := func(runs []*Run) time.Duration {
		r := runs[0]
		begins, _ := r.First(history.Waits, "B")
		for _, e := range r.History.Events {
			if r.Name(e.Node) == "B" && (e.Kind == history.AcquireFailed || e.Kind == history.GaveUp) {
				return e.At.Sub(begins.At)
			}
		}
		l.Fail("B never gave up")
		return 0
	}
	v, _ := locks.Lookup(l.Plan(story).Locks[0])
	inner := v.New
	v.New = func(d locks.Deps) locks.Lock { return &interrupted{inner(d), d} }
	calm, interrupt := tried(l.Play(story, 1)), tried(l.PlayVariant(story, v, 1))
	set := func(by string) time.Duration {
		s := story
		s.Faults = []string{"when: B is about to send any command the 20th time; jump-clock: B; by: " + by}
		return tried(l.Play(s, 1))
	}
	ahead, back := set("+5s"), set("-5s")
	story.Work = "5s"
	got := HowMany(l.PlayVariant(story, v, 20), func(r *Run) bool { return len(r.Holds("B")) > 0 })
	inTime := func(d time.Duration) bool { return d >= want && d < want+200*time.Millisecond }
	return Result{
		Verdict: Split(inTime(calm), inTime(calm) && inTime(ahead) && inTime(back)),
		Figure: both("With acquireTimeout at 10 s a try lasts %s; with the wall clock set ahead by 5 s meanwhile %s, set back %s. Interrupted after 2 s it lasts %s, since the interrupt is caught and the loop goes on; when the lock is free after 5 s the interrupted client takes it in %d of 20 runs.",
			"acquireTimeout 为 10 秒时，一次尝试用 %s；墙上时钟在这期间拨快 5 秒，用 %s，拨慢，用 %s。过 2 秒被中断，仍用 %s，因为中断被捕获，循环照转；锁在 5 秒后空出来时，被中断的客户端 20 次运行中有 %d 次拿了它。",
			Seconds(calm), Seconds(ahead), Seconds(back), Seconds(interrupt), got),
	}
}

// interrupted is a lock whose callers interrupt those who have waited for 2 s.
type interrupted struct {
	locks.Lock
	deps locks.Deps
}

func (i *interrupted) Acquire(ctx context.Context) (locks.Lease, error) {
	ctx, cancel := i.deps.Env.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return i.Lock.Acquire(ctx)
}

// localLock is a lock in a memory that some clients share: that of a process for the lock of
// a thread, that of a machine's kernel for the lock of a process.
type localLock struct {
	locks.Deps
	held *bool
}

func (l *localLock) Acquire(ctx context.Context) (locks.Lease, error) {
	for *l.held {
		if err := l.Env.Sleep(ctx, l.Retry); err != nil {
			return nil, err
		}
	}
	*l.held = true
	return l, nil
}

func (l *localLock) Release(context.Context) error {
	*l.held = false
	return nil
}

func (*localLock) Lost() context.Context { return nil }
func (*localLock) Token() int64          { return 0 }

// locksOfOneMachine lets three clients be threads of one process, processes of one machine,
// and processes of three. True when each of the two locks works where its memory is shared,
// and neither does on several machines.
func locksOfOneMachine(l *Lab) Result {
	const each = 20
	overlaps := func(shared bool) int {
		one := new(bool)
		return HowMany(l.PlayVariant(Story{Lock: "setnx", Workload: []string{"repeat: 2 times"}}, locks.Variant{
			ID: "local lock", Store: locks.StoreRedis,
			New: func(d locks.Deps) locks.Lock {
				if shared {
					return &localLock{d, one}
				}
				return &localLock{d, new(bool)}
			},
		}, each), (*Run).Overlapped)
	}
	threads := []int{overlaps(true), overlaps(false), overlaps(false)}
	processes := []int{overlaps(true), overlaps(true), overlaps(false)}
	return Result{
		Verdict: Verdict(threads[0] == 0 && processes[1] == 0 && threads[2] == each && processes[2] == each),
		Figure: both("Two holders, of %d runs each, with a lock in the memory of a process: %d among threads of one, %d among processes of one machine, %d among three machines; with one in the kernel of a machine: %d, %d and %d. (Both are a word in a memory here, that the clients have in common or not.)",
			"各 %d 次运行中出现两个持有者的次数，锁在进程的内存里：同一进程的线程之间 %d 次，同一台机器的进程之间 %d 次，三台机器之间 %d 次；锁在一台机器的内核里：%d、%d 和 %d 次。（这里两者都是内存里的一个词，客户端要么共有，要么没有。）",
			each, threads[0], threads[1], threads[2], processes[0], processes[1], processes[2]),
	}
}
