//go:build unix

package locktest_test

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bsm/redislock"
	goredis "github.com/redis/go-redis/v9"

	"lockstep/internal/plan"
	"lockstep/internal/scenario"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/redis/resp"
	"lockstep/locktest"
)

// The workload of TestSpeed: five clients take bsm/redislock's lock twenty times each, extend it twice while
// they hold it, and A stands still once for longer than the lease.
const (
	speedRuns   = 200
	speedRounds = 20
	speedLease  = 2 * time.Second
	speedRetry  = 20 * time.Millisecond
	speedPause  = 3 * time.Second
	speedWork   = 20 * time.Millisecond // at most, before each extension
	speedLast   = 5 * time.Millisecond  // at most, after the last one
)

// TestSpeed says how many runs of one workload a core plays in a second, beside the same library in the same
// workload with nothing around it: no network, no faults, no history, no verdict. It is a test because a bubble
// takes no *testing.B. make bench runs it; so does
//
//	LOCKTEST_SPEED=1 go test -run Speed -v
//	LOCKTEST_SPEED=1 simulate test . -- -count=1 -run Speed -v
func TestSpeed(t *testing.T) {
	if os.Getenv("LOCKTEST_SPEED") == "" {
		t.Skip("it measures, and asserts nothing")
	}
	with, without := time.Duration(0), time.Duration(0)
	for i := range speedRuns + 1 {
		seed := uint64(i + 1)
		before := processorTime()
		locktest.PlayOn(t, locktest.Redis{Nodes: 1}, extending(seed), seed, speedPlan(t))
		between := processorTime()
		bareRun(t, seed)
		if i > 0 { // the first one compiles the scripts
			with, without = with+between-before, without+processorTime()-between
		}
	}
	perSecond := func(took time.Duration) float64 { return speedRuns / took.Seconds() }
	t.Logf("%d runs of 5 clients and %d rounds: %.0f runs per second and core; the library alone %.0f; ratio %.2f",
		speedRuns, speedRounds, perSecond(with), perSecond(without), perSecond(with)/perSecond(without))
}

func processorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// speedPlan is the workload; what happens within the critical section is in extending.
func speedPlan(t *testing.T) func(*plan.Plan) {
	return func(p *plan.Plan) {
		story, err := scenario.Parse("speed", []byte("scenario: Speed\nclients: [A, B, C, D, E]\n"+
			"faults:\n- when: A is in its critical section the 3rd time\n  pause: A\n  for: "+speedPause.String()+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		*p = *story
		p.Lease = speedLease
		p.Workload.Repeat = speedRounds
		p.Workload.Work = plan.Range{Max: speedLast}
		p.Workload.Rest = plan.Range{}
		p.Workload.Retry = speedRetry
	}
}

// extending makes locks of bsm/redislock whose holder extends them twice before it gives them back.
func extending(seed uint64) func(locktest.Client) locktest.Lock {
	return func(c locktest.Client) locktest.Lock {
		client := redislock.New(c.Redis())
		luck := rand.New(rand.NewPCG(seed, uint64(c.Name()[0])))
		return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
			lock, err := client.Obtain(ctx, c.Key(), speedLease, &redislock.Options{RetryStrategy: redislock.LinearBackoff(speedRetry)})
			if err != nil {
				return nil, err
			}
			return locktest.LeaseFunc(func(ctx context.Context) error {
				extend(ctx, lock, luck)
				return lock.Release(ctx)
			}), nil
		})
	}
}

// extend works and extends twice. What comes of it is not looked at: A has lost the lock once.
func extend(ctx context.Context, lock *redislock.Lock, luck *rand.Rand) {
	for range 2 {
		time.Sleep(time.Duration(luck.Int64N(int64(speedWork))))
		_ = lock.Refresh(ctx, speedLease, nil)
	}
}

// bareRun is the workload with nothing but the library, a model of the store and a bubble.
func bareRun(t *testing.T, seed uint64) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // without an end, the library gives up after a lease
		defer cancel()
		server := &bareServer{store: redis.New(), luck: rand.New(rand.NewPCG(seed, 0))}
		var all sync.WaitGroup
		for name := range 5 {
			client := goredis.NewClient(&goredis.Options{Addr: "192.0.2.1:6379", Dialer: server.dial})
			locks, luck := redislock.New(client), rand.New(rand.NewPCG(seed, uint64(name+1)))
			all.Go(func() {
				defer client.Close()
				for round := range speedRounds {
					lock, err := locks.Obtain(ctx, "lock", speedLease, &redislock.Options{RetryStrategy: redislock.LinearBackoff(speedRetry)})
					if err != nil {
						t.Error(err)
						return
					}
					if name == 0 && round == 2 {
						time.Sleep(speedPause)
					}
					extend(ctx, lock, luck)
					time.Sleep(time.Duration(luck.Int64N(int64(speedLast))))
					_ = lock.Release(ctx)
				}
			})
		}
		all.Wait()
	})
}

// bareServer is a model of Redis behind its protocol, a millisecond or two away.
type bareServer struct {
	mu    sync.Mutex
	store *redis.Store
	luck  *rand.Rand
}

var bareScripts sync.Map // by their hash

func (s *bareServer) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	go func() {
		defer far.Close()
		for in := bufio.NewReader(far); ; {
			args, err := readCommand(in)
			if err != nil {
				return
			}
			answer, latency := s.answer(args)
			time.Sleep(latency)
			if _, err := far.Write(answer); err != nil {
				return
			}
		}
	}()
	return near, nil
}

func (s *bareServer) answer(args []string) ([]byte, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	latency := time.Millisecond + time.Duration(s.luck.Int64N(int64(time.Millisecond)))
	var cmd redis.Cmd
	switch name := strings.ToUpper(args[0]); name {
	case "HELLO":
		return []byte("-ERR unknown command 'HELLO'\r\n"), latency
	case "CLIENT":
		return []byte("+OK\r\n"), latency
	case "EVAL", "EVALSHA":
		hash := args[1]
		if name == "EVAL" {
			sum := sha1.Sum([]byte(args[1]))
			hash = hex.EncodeToString(sum[:])
			bareScripts.LoadOrStore(hash, &redis.Script{Name: hash, Source: args[1]})
		}
		script, ok := bareScripts.Load(hash)
		if !ok {
			return []byte("-NOSCRIPT No matching script. Please use EVAL.\r\n"), latency
		}
		keys, _ := strconv.Atoi(args[2])
		cmd = redis.EvalKeys(script.(*redis.Script), args[3:3+keys]...)
		for _, a := range args[3+keys:] {
			cmd = cmd.Text(a)
		}
	default:
		cmd = redis.Command(name, args[1:]...)
	}
	return resp.AppendReply(nil, s.store.Exec(time.Now().UnixMilli(), 1, &cmd), 2), latency
}

// readCommand reads an array of strings.
func readCommand(in *bufio.Reader) (args []string, err error) {
	for n := 1; n > 0; n-- {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		size, _ := strconv.Atoi(strings.TrimSpace(line[1:]))
		if line[0] == '*' {
			n += size
			continue
		}
		text := make([]byte, size+2)
		if _, err := io.ReadFull(in, text); err != nil {
			return nil, err
		}
		args = append(args, string(text[:size]))
	}
	return args, nil
}
