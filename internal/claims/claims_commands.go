package claims

import (
	"strings"
	"time"

	"lockstep/internal/sim/redis"
	"lockstep/internal/world"
)

// Claims about single commands, put to the bare models of the servers.

func init() {
	Register(Claim{32, both("SET with NX answers 0 when the key exists.", "键存在时，带 NX 的 SET 答复 0。"), "S2:20", setNXOnHeldKey})
	Register(Claim{33, both("CAD replaces the script of the release, and CAS extends the lock.", "CAD 可以代替释放的脚本，CAS 可以延长锁。"), "S2:53", compareInOneCommand})
	Register(Claim{41, both("Each transaction of etcd raises the global revision by one, so the revision of each key is unique.", "etcd 的每个事务都让全局 revision 加一，所以每个键的 revision 都是唯一的。"), "S4:264", revisionOfTransactions})
}

// setNXOnHeldKey asks for a held key. True when the reply is the integer 0.
func setNXOnHeldKey(l *Lab) Result {
	s := l.Redis()
	first := s.Do(1, "SET", "lock", "a", "NX", "EX", "30")
	set, setnx := s.Do(2, "SET", "lock", "b", "NX", "EX", "30"), s.Do(2, "SETNX", "lock", "b")
	holder := s.Do(2, "GET", "lock")
	if !first.IsOK() || holder.Str != "a" {
		l.Fail("the key was not held: %s, %s", first, holder)
	}
	return Result{
		Verdict: Verdict(set.IsInt(0)),
		Figure:  both("On a held key SET NX EX answers %s, SETNX answers %s.", "键已被占着时，SET NX EX 答复 %s，SETNX 答复 %s。", set, setnx),
	}
}

// compareInOneCommand compares CAD with the script in every state of the key, and
// renews with CAS as the document writes it, with three arguments, and with EX.
// True when CAD does what the script does and CAS extends as it is written, depends
// when it does so with EX only.
func compareInOneCommand(l *Lab) Result {
	server := func(value string) *Server {
		s := l.Redis()
		s.Store().Extensions = redis.TairString
		if value != "" {
			s.Do(1, "SET", "lock", value, "NX", "EX", "30")
		}
		return s
	}
	same, states := 0, []string{"", "own", "foreign"}
	var cadReplies, scriptReplies []string
	for _, value := range states {
		one, two := server(value), server(value)
		cad := one.Do(1, "CAD", "lock", "own")
		script := two.Eval(1, compareAndDelete.Source, "lock", "own")
		if one.Do(1, "GET", "lock").String() == two.Do(1, "GET", "lock").String() && cad.IsInt(1) == script.IsInt(1) {
			same++
		}
		cadReplies = append(cadReplies, number(cad.String()))
		scriptReplies = append(scriptReplies, number(script.String()))
	}
	renewed := func(option ...string) (left world.Reply) {
		s := server("own")
		s.Pass(20 * time.Second)
		s.Do(1, "CAS", append([]string{"lock", "own", "own"}, option...)...)
		return s.Do(1, "TTL", "lock")
	}
	bare, withEX := renewed(), renewed("EX", "30")
	extends := func(ttl world.Reply) bool { return ttl.Int > 10 } // that many seconds were left
	plain := l.Redis().Do(1, "CAD", "lock", "own")
	verdict := False
	if same == len(states) && extends(withEX) {
		verdict = Split(true, extends(bare))
	}
	return Result{
		Verdict: verdict,
		Figure: both("CAD and the script leave the same key in %d of %d states (no key, own value, foreign value; they answer %s and %s). With 10 s left, CAS as printed leaves a TTL of %d s (-1: none), CAS with EX 30 one of %d s. A server without the module: %s.",
			"CAD 和脚本在 %[2]d 种状态中的 %[1]d 种里留下同样的键（没有键、自己的值、别人的值；两者的答复是 %[3]s 和 %[4]s）。还剩 10 秒时，照印的 CAS 留下的 TTL 是 %[5]d 秒（-1：没有），带 EX 30 的 CAS 是 %[6]d 秒。没有这个模块的服务器：%[7]s。",
			same, len(states), strings.Join(cadReplies, ", "), strings.Join(scriptReplies, ", "), bare.Int, withEX.Int, strings.TrimSpace(plain.String())),
	}
}

// revisionOfTransactions runs transactions of four kinds. True when each raises the
// revision by one and no two keys share one; depends when that is so for
// transactions that write one key, and not for all others.
func revisionOfTransactions(l *Lab) Result {
	e := l.Etcd()
	before := e.Put(l, "a").Revision
	one := e.Put(l, "b").Revision
	read := e.Get(l, "a").Revision
	refused := e.Txn(l, 1, world.EtcdTxn{
		If:   []world.EtcdCompare{{Key: "a"}}, // that it does not exist
		Then: []world.EtcdOp{{Kind: world.EtcdPut, Key: "a"}},
	})
	two := e.Put(l, "c", "d").Revision
	created := func(key string) int64 { return e.Get(l, key).Responses[0].KVs[0].CreateRevision }
	single := one == before+1 && created("a") != created("b")
	others := read == one+1 && refused.Revision == read+1 && two == refused.Revision+1 && created("c") != created("d")
	return Result{
		Verdict: Split(single, others),
		Figure: both("The revision rises by %d with a transaction that puts one key, by %d with one that reads, by %d with one whose comparison fails, by %d with one that puts two keys, which then have the create revisions %d and %d.",
			"写一个键的事务让 revision 加 %d，只读的加 %d，比较不成立的加 %d，写两个键的加 %d，这两个键的创建 revision 是 %d 和 %d。",
			one-before, read-one, refused.Revision-read, two-refused.Revision, created("c"), created("d")),
	}
}
