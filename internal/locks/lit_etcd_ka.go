// Lock lit-etcd-ka
//
// Idea: the document's program with its way of looking after the renewals: a
// background task reads one answer from the channel, once, and asks whether the
// channel is nil instead of whether the answer is.
//
// Protocol:
//  1. GRANT lease, KEEPALIVE lease, TXN, REVOKE lease: as etcd-txn.
//  2. In the background: read the first answer to a renewal and print it. No later answer is read; the library keeps 16 of them, drops the others and renews on.
//  3. If the renewals end before any answer has come, the channel is closed and the read brings nil, which the program then looks into: the process dies.
//
// Guarantees: as etcd-txn, once the first renewal has been answered.
//
// Breaks when: as etcd-txn; the loss of the lease is never noticed, although
// somebody wrote a message for it. Besides, a client whose first renewal is not
// answered within six seconds dies, with the lock in its hands.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", lines 326-338.
//
// 想法：文档的程序，连同它照看续期的办法：后台任务从通道里读一次答复，只读一次，而且检查的是通
// 道是不是 nil，不是答复是不是 nil。
//
// 协议：
//  1. GRANT 租约，KEEPALIVE 租约，TXN，REVOKE 租约：同 etcd-txn。
//  2. 在后台：读续期的第一个答复，打印出来。以后的答复没有人读；库存下其中 16 个，其余的丢掉，照
//     样续期。
//  3. 如果续期在有任何答复之前就结束了，通道关闭，读到的是 nil，程序却去看它里面的东西：进程就死
//     了。
//
// 保证：第一次续期得到答复之后，同 etcd-txn。
//
// 何时被破坏：同 etcd-txn；租约丢了从来没有人发现，尽管有人为此写了一条消息。另外，第一次续期
// 六秒之内没有答复的客户端会死掉，手里还拿着锁。
//
// 来源：S4（MySQL、Redis、etcd 和 ZooKeeper 上的分布式锁）第 326-338 行。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/etcd"
)

func init() {
	Register(Variant{
		ID: "lit-etcd-ka", File: "lit_etcd_ka.go", Store: etcd.ID, LeaseUnit: time.Second,
		New: func(d Deps) Lock { return &litEtcdKA{etcdTxn{Deps: d, compared: d.Name}} },
	})
}

type litEtcdKA struct{ etcdTxn }

func (l *litEtcdKA) Acquire(ctx context.Context) (Lease, error) {
	return l.etcdTxn.acquire(ctx, l.readOnce)
}

// readOnce is the document's task for the answers. It ends with the program, for
// which here the renewals stand.
func (l *litEtcdKA) readOnce(k *etcdKeeper) {
	l.Env.Go(k.ctx, "answers", func(ctx context.Context) {
		for !k.answered && k.lost.Err() == nil {
			if k.news.Wait(ctx) != nil {
				return
			}
		}
		if !k.answered {
			l.Env.Crash("runtime error: invalid memory address or nil pointer dereference")
		}
	})
}
