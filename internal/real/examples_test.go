package real_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/real/realtest"
)

// exampleLock is a program of examples.
type exampleLock struct {
	file    string
	command []string // runs it
	needs   []string // a command that fails without its library
	store   locks.Store
	id      string // in the table of libraries
	library string // the class or function that is played
	debian  string // its package, which has a version
}

// exampleLocks are all of them. Python is Debian's, with Debian's libraries.
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

// Without a fault, each program of examples gives the lock to all clients, one at a time.
func TestTheExamplesAreLocks(t *testing.T) {
	realtest.SecondTier(t)
	for _, tt := range exampleLocks {
		t.Run(strings.ReplaceAll(tt.file, "/", "-"), func(t *testing.T) {
			needExample(t, tt.file, tt.needs)
			p := quick(t, "set-nx-lua", "lease=5s", "workload.wait=up to 30s", "workload.work=1s") // in which the other one waits
			v, err := locks.NewProgram("", append(tt.command, example(t, tt.file)), tt.store)
			if err != nil {
				t.Fatal(err)
			}
			if tt.store == locks.StoreZooKeeper {
				realtest.NeedServers(t, tt.store)
				p.Network.Timeout = 2 * time.Second
			}
			p.Programs, p.Locks = append(p.Programs, v), []string{v.ID}
			h := run(t, p)
			wantKept(t, h, 3)
			for _, name := range []string{"A", "B"} {
				wantEvents(t, h, 1, history.Released, name)
			}
		})
	}
}
