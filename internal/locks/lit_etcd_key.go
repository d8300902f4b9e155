// Lock lit-etcd-key
//
// Idea: the document's program as it is printed. The transaction asks whether one
// key exists, and writes another.
//
// Protocol:
//  1. GRANT lease, KEEPALIVE lease: as etcd-txn.
//  2. TXN: if the key /cron/lock/job7 has the create revision 0, PUT /cron/jobs/job7 with the lease, else GET it. (Here the first is the lock's name with ".lock" behind it, and the second the lock's name.)
//  3. REVOKE lease: as etcd-txn.
//
// Guarantees: none. Nobody ever writes the key that everybody compares, so each
// transaction succeeds.
//
// Breaks when: two clients want the lock. Both get it, at the same time and
// without any fault. The second one's PUT takes the key over: it belongs to the
// second one's lease from then on.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", lines 345-347.
//
// 想法：文档印出来的程序，一字不改。事务问一个键是否存在，写的却是另一个键。
//
// 协议：
//  1. GRANT 租约，KEEPALIVE 租约：同 etcd-txn。
//  2. TXN：键 /cron/lock/job7 的创建 revision 是 0，就 PUT /cron/jobs/job7，系在租约上，否则 GET
//     它。（这里前者是锁的名字加上 .lock，后者就是锁的名字。）
//  3. REVOKE 租约：同 etcd-txn。
//
// 保证：没有。大家都去比较的键从来没有人写，所以每个事务都成功。
//
// 何时被破坏：两个客户端想要锁。不用任何故障，两个同时拿到。第二个的 PUT 接管了键：从此它属于
// 第二个的租约。
//
// 来源：S4（MySQL、Redis、etcd 和 ZooKeeper 上的分布式锁）第 345-347 行。

package locks

import (
	"time"

	"lockstep/internal/store/etcd"
)

func init() {
	Register(Variant{
		ID: "lit-etcd-key", File: "lit_etcd_key.go", Store: etcd.ID, LeaseUnit: time.Second,
		New: func(d Deps) Lock { return &etcdTxn{Deps: d, compared: d.Name + ".lock"} },
	})
}
