package real_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/realtest"
)

// exampleLock is a program of examples, with what runs it and what tells whether its library is there.
type exampleLock struct {
	file    string
	command []string
	needs   []string
	store   locks.Store
	id      string // in the table of libraries
	library string // what of it is played
	debian  string // the package that it comes with, which has a version
}

// exampleLocks are all of them. Python is Debian's, which has Debian's libraries.
var exampleLocks = []exampleLock{
	{"bash/redis_cli_lock.sh", []string{"bash"}, []string{"redis-cli", "--version"}, locks.StoreRedis, "redis-cli", "SET NX PX and a script, by redis-cli", "redis-tools"},
	{"python/redis_py_lock.py", []string{"/usr/bin/python3"}, []string{"/usr/bin/python3", "-c", "import redis"}, locks.StoreRedis, "redis-py", "redis.lock.Lock", "python3-redis"},
	{"python/tooz_lock.py", []string{"/usr/bin/python3"}, []string{"/usr/bin/python3", "-c", "import tooz, redis"}, locks.StoreRedis, "tooz", "tooz.drivers.redis.RedisLock", "python3-tooz"},
	{"python/kazoo_lock.py", []string{"/usr/bin/python3"}, []string{"/usr/bin/python3", "-c", "import kazoo"}, locks.StoreZooKeeper, "kazoo", "kazoo.recipe.lock.Lock", "python3-kazoo"},
	{"php/symfony_lock.php", []string{"php"}, []string{"php", "-r", "require 'Symfony/Component/Lock/autoload.php'; new Redis();"}, locks.StoreRedis, "symfony-lock", "Symfony\\Component\\Lock\\Lock", "php-symfony-lock"},
	{"ruby/redis_lock.rb", []string{"ruby"}, []string{"ruby", "-e", "require 'redis'"}, locks.StoreRedis, "redis-rb", "SET NX PX and a script, by Redis", "ruby-redis"},
	{"java/CuratorLock.java", []string{"java", "-cp", "/usr/share/java/*"}, []string{"test", "-e", "/usr/share/java/curator-recipes.jar", "-a", "-e", "/usr/share/java/jackson-databind.jar"}, locks.StoreZooKeeper, "curator", "InterProcessMutex", "libcurator-recipes-java"},
}

// needExample skips the test of a program whose library is missing, or fails it in the second tier.
func needExample(t *testing.T, name string, needs []string) {
	t.Helper()
	if out, err := exec.Command(needs[0], needs[1:]...).CombinedOutput(); err != nil {
		why := "NOT PLAYED: " + name + " lacks something: " + err.Error() + " " + string(out) + ": scripts/install-examples installs it, and with LOCKSTEP_REQUIRE_MORE=1 (make test-more) this is a failure"
		if os.Getenv(realtest.RequireMore) == "1" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
}

// Every program of examples is a lock: without a fault no client gets in beside another, and every client
// gets in, the probe too.
func TestTheExamplesAreLocks(t *testing.T) {
	realtest.SecondTier(t)
	for _, tt := range exampleLocks {
		t.Run(strings.ReplaceAll(tt.file, "/", "-"), func(t *testing.T) {
			needExample(t, tt.file, tt.needs)
			p := quick("A", "B")
			p.Lease, p.Workload.Wait = 5*time.Second, 30*time.Second
			p.Workload.Work = plan.Range{Min: time.Second, Max: time.Second} // the other one comes meanwhile
			v, err := locks.NewProgram("", append(tt.command, example(t, tt.file)), tt.store)
			if err != nil {
				t.Fatal(err)
			}
			if tt.store == locks.StoreZooKeeper {
				realtest.Need(t, "zookeeper.jar")
				p.Network.Timeout = 2 * time.Second
			}
			p.Programs = append(p.Programs, v)
			h := run(t, p, locks.ProgramName)
			j := checker.Judge(h)
			if v := j.Finding(checker.MutualExclusionID).Verdict; v != checker.Kept || j.Acquired != 3 {
				t.Errorf("mutual exclusion is %s (%s) after %d acquisitions, want 3 with that of the probe", v, j.WhyUnknown().English(), j.Acquired)
			}
			for _, name := range []string{"A", "B"} {
				if n := len(find(h, history.Released, name)); n != 1 {
					t.Errorf("%s released %d times, want once", name, n)
				}
			}
		})
	}
}
