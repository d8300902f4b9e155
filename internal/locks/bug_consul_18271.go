// Lock consul-18271
//
// Idea: the library knows that its renewals fail, and tells nobody. It waits for the
// answer to a blocking query, which does not come for minutes when packets are
// dropped.
//
// Protocol:
//  1. As consul-session: SESSION, RENEW every half of its time to live; ACQUIRE; a blocking query watches the key.
//  2. Its answer, or its error, is what tells the holder. A renewal without an answer is repeated, and given up after the time to live, without a word.
//     The fixed form tells the holder when no renewal has worked for the whole of it.
//
// Guarantees: as consul-session, which is written from the same code.
//
// Breaks when: the holder is cut off for longer than twice the time to live and the lock delay: the next
// one gets the lock, and the first one has not been told.
//
// Source: https://github.com/hashicorp/consul/issues/18271; api/lock.go, monitorLock, and
// api/session.go, RenewPeriodic.
//
// 想法：库知道续期一直失败，却不告诉任何人。它等着阻塞查询的答复，而网络丢包时，答复几分钟都不
// 来。
//
// 协议：
//  1. 同 consul-session：SESSION，每过存活时间的一半 RENEW 一次；ACQUIRE；用阻塞查询盯住键。
//  2. 持有者知道什么，全靠这个查询的答复或错误。没有答复的续期会重发，过了存活时间就放弃，一声不
//     响。修好的形式里，整个存活时间都没有一次续期成功，就告诉持有者。
//
// 保证：同 consul-session，两者依据同样的代码。
//
// 何时被破坏：持有者断开得比存活时间的两倍加上 lock-delay 还久：下一个拿到锁，而前一个没有被告
// 知。
//
// 来源：https://github.com/hashicorp/consul/issues/18271；api/lock.go 的 monitorLock，以及
// api/session.go 的 RenewPeriodic。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/consul"
)

func init() {
	registerBug(Variant{
		ID: "consul-18271", File: "bug_consul_18271.go", Store: consul.ID, LeaseUnit: time.Millisecond,
		Bug: &Bug{Library: "Consul api.Lock", Has: "as of July 2023", Issue: "https://github.com/hashicorp/consul/issues/18271"},
		New: func(d Deps) Lock { return newConsulSession(d) },
	}, func(d Deps) Lock { return &consulTold{*newConsulSession(d)} })
}

type consulTold struct{ consulSession }

func (l *consulTold) Acquire(ctx context.Context) (Lease, error) {
	got, err := l.consulSession.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	lease := got.(*consulLease)
	watch, stop := l.Env.WithCancel(l.Env.Background())
	l.Env.Go(watch, "renewals", func(ctx context.Context) { l.tell(ctx, lease) })
	return &consulToldLease{lease, stop}, nil
}

// tell tells the holder when no renewal has worked for the session's time to live.
func (l *consulTold) tell(ctx context.Context, lease *consulLease) {
	until := l.Env.Mono() + l.ttl()
	for l.Env.Sleep(ctx, min(l.ttl()/2, max(until-l.Env.Mono(), 0))) == nil {
		asked := l.Env.Mono()
		patient, cancel := l.Env.WithTimeout(ctx, max(until-asked, 0))
		err := l.consul.RenewSession(patient, lease.session)
		cancel()
		switch {
		case err == nil:
			until = asked + l.ttl()
		case ctx.Err() == nil && l.Env.Mono() >= until:
			lease.tellLost()
			return
		}
	}
}

type consulToldLease struct {
	*consulLease
	stop context.CancelFunc // of the look at the renewals
}

func (l *consulToldLease) Release(ctx context.Context) error {
	l.stop()
	return l.consulLease.Release(ctx)
}
