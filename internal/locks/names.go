package locks

import "lockstep/internal/say"

// names are what people call the locks, for menus, tables and headings, which show the ids beside them. None is longer
// than 29 characters, so that none is cut. A lock without one is called by its id.
var names = map[string]say.Both{
	"setnx":                   {English: "SETNX, no expiry", Chinese: "SETNX，不会过期"},
	"setnx-expire":            {English: "SETNX, then EXPIRE", Chinese: "SETNX，再 EXPIRE"},
	"setnx-timestamp-del":     {English: "SETNX, deadline, then DEL", Chinese: "SETNX 存期限，过期就 DEL"},
	"setnx-timestamp-getset":  {English: "SETNX, deadline, GETSET", Chinese: "SETNX 存期限，用 GETSET 接管"},
	"set-nx-ex-del":           {English: "SET NX EX, then DEL", Chinese: "SET NX EX，再 DEL"},
	"set-nx-token-getdel":     {English: "SET NX EX, GET, then DEL", Chinese: "SET NX EX，GET 比较后 DEL"},
	"set-nx-lua":              {English: "SET NX EX, released by Lua", Chinese: "SET NX EX，由 Lua 释放"},
	"set-nx-lua-const":        {English: "SET NX EX, one shared value", Chinese: "SET NX EX，大家用同一个值"},
	"set-nx-lua-thread":       {English: "SET NX EX, a value per thread", Chinese: "SET NX EX，每个线程一个值"},
	"set-nx-lua-cluster":      {English: "SET NX EX on a Cluster", Chinese: "Redis Cluster 上的 SET NX EX"},
	"set-nx-minreplicas":      {English: "SET NX EX, min-replicas", Chinese: "SET NX EX，要求最少副本"},
	"set-nx-incr-fence":       {English: "SET NX EX, with tokens", Chinese: "SET NX EX，带令牌"},
	"cas-cad":                 {English: "SET NX EX, CAS and CAD", Chinese: "SET NX EX，CAS 和 CAD"},
	"lua-setex":               {English: "SETEX in a script", Chinese: "脚本里的 SETEX"},
	"self-fence":              {English: "SET NX EX, checks the clock", Chinese: "SET NX EX，看着自己的时钟"},
	"watchdog-lua":            {English: "SET NX EX, with a watchdog", Chinese: "SET NX EX，由看门狗续期"},
	"watchdog-blind":          {English: "SET NX EX, blind renewals", Chinese: "SET NX EX，盲目续期"},
	"set-wait":                {English: "SET NX EX, then WAIT", Chinese: "SET NX EX，再 WAIT"},
	"set-wait-1of2":           {English: "WAIT for one of two replicas", Chinese: "WAIT 两个副本中的一个"},
	"set-wait-pooled":         {English: "WAIT through a pool", Chinese: "经连接池的 WAIT"},
	"set-wait-unchecked":      {English: "WAIT, its number not read", Chinese: "WAIT，不看它的数字"},
	"redisson":                {English: "Redisson's lock", Chinese: "Redisson 的锁"},
	"redisson-3.12.3":         {English: "Redisson 3.12.3", Chinese: "Redisson 3.12.3"},
	"redisson-fair":           {English: "Redisson's fair lock", Chinese: "Redisson 的公平锁"},
	"redisson-fenced":         {English: "Redisson's lock, with tokens", Chinese: "Redisson 的锁，带令牌"},
	"redisson-lease":          {English: "Redisson, lease not renewed", Chinese: "Redisson，租约不续"},
	"redisson-redlock":        {English: "Redisson's RedLock", Chinese: "Redisson 的 RedLock"},
	"redlock":                 {English: "Redlock", Chinese: "Redlock"},
	"redlock-extend":          {English: "Redlock, extended", Chinese: "Redlock，会续期"},
	"redlock-delayed-restart": {English: "Redlock, delayed restarts", Chinese: "Redlock，推迟重启"},
	"redlock-fsync":           {English: "Redlock, each write on disk", Chinese: "Redlock，每次写入落盘"},
	"redlock-minrelease":      {English: "Redlock, sparing releases", Chinese: "Redlock，只在需要处释放"},
	"redlock-wall-clock":      {English: "Redlock by wall clocks", Chinese: "Redlock，用墙上时钟"},
	"etcd-txn":                {English: "etcd, one transaction", Chinese: "etcd，一个事务"},
	"etcd-mutex":              {English: "etcd's mutex", Chinese: "etcd 的互斥锁"},
	"etcd-prefix-watch":       {English: "etcd, watch of a prefix", Chinese: "etcd，监视一个前缀"},
	"zk-ephemeral":            {English: "ZooKeeper, one node", Chinese: "ZooKeeper，一个节点"},
	"zk-sequential":           {English: "ZooKeeper's queue", Chinese: "ZooKeeper 的队列"},
	"curator-mutex":           {English: "Curator's mutex", Chinese: "Curator 的互斥锁"},
	"consul-session":          {English: "Consul session", Chinese: "Consul 会话"},
	"nats-kv":                 {English: "Key in a NATS bucket", Chinese: "NATS 桶里的键"},
	"mysql-for-update":        {English: "MySQL, SELECT FOR UPDATE", Chinese: "MySQL，SELECT FOR UPDATE"},
	"mysql-get-lock":          {English: "MySQL's GET_LOCK", Chinese: "MySQL 的 GET_LOCK"},
	"mysql-unique":            {English: "MySQL, a unique row", Chinese: "MySQL，唯一键的一行"},
	"mysql-unique-ttl":        {English: "MySQL, a row that expires", Chinese: "MySQL，会过期的一行"},
	"pg-advisory":             {English: "PostgreSQL advisory lock", Chinese: "PostgreSQL 咨询锁"},

	"bsm-redislock":    {English: "redislock (Go)", Chinese: "bsm-redislock（Go）"},
	"etcd-concurrency": {English: "etcd's concurrency (Go)", Chinese: "etcd 的 Go 库"},
	"redsync":          {English: "redsync (Go)", Chinese: "redsync（Go）"},
	"rueidislock":      {English: "rueidislock (Go)", Chinese: "rueidislock（Go）"},

	"lit-cas-3arg":     {English: "Misprint: CAS without a time", Chinese: "误印：CAS 没有时间"},
	"lit-del-key":      {English: "Misprint: DEL of another key", Chinese: "误印：DEL 了另一个键"},
	"lit-etcd-ka":      {English: "Misprint: renewals unread", Chinese: "误印：不读续期的答复"},
	"lit-etcd-key":     {English: "Misprint: two keys in etcd", Chinese: "误印：etcd 里两个键"},
	"lit-expire-key":   {English: "Misprint: EXPIRE elsewhere", Chinese: "误印：EXPIRE 了另一个键"},
	"lit-expire-loser": {English: "Misprint: losers EXPIRE, too", Chinese: "误印：没拿到也 EXPIRE"},
	"lit-lua-s2":       {English: "Misprint: script cut short", Chinese: "误印：脚本少一行"},
	"lit-mysql-ddl":    {English: "Misprint: wrong unique key", Chinese: "误印：唯一键写错"},
	"lit-s2-units":     {English: "Misprint: Redlock's units", Chinese: "误印：Redlock 的单位"},
	"lit-s3-integer":   {English: "Misprint: text as an Integer", Chinese: "误印：文本当整数"},
	"lit-s3-units":     {English: "Misprint: swapped units", Chinese: "误印：单位弄反"},
	"lit-unchecked":    {English: "Misprint: SET not checked", Chinese: "误印：SET 没检查"},
	"lit-wait-retry":   {English: "Misprint: WAIT tried again", Chinese: "误印：WAIT 失败再来"},
}

// Name is what people call the lock of an id; the id where they call it nothing else.
func Name(id string) say.Both {
	if name, ok := names[id]; ok {
		return name
	}
	return say.Both{English: id, Chinese: id}
}
