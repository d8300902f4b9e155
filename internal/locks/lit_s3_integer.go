// Lock lit-s3-integer
//
// Idea: lua-setex with the result type that the document gives its scripts: Integer.
// The scripts answer with texts, and the program casts what it gets.
//
// Protocol:
//  1. EVAL acquire: EXISTS key is 0 -> SETEX key seconds token, "1"; else "-1".
//  2. The reply is cast to Integer, which a text is not: an exception ends tryLock, whatever the reply says.
//
// Guarantees: mutual exclusion, in that no client ever learns that it holds the lock.
//
// Breaks when: it runs. The script has been executed when the exception is thrown, so the
// key is there, with a value that nobody has been told, and stays for a lease. When it has
// gone the next client comes and does the same.
//
// Source: S3 "A distributed lock on Redis, with two Lua scripts", lines 9-10:
// setResultType(Integer.class) and the cast. Spring Data Redis,
// ReturnType.fromJavaType: of the numbers only Long stands for an integer reply, so
// that a reply for Integer is a value, which the template's serializer makes a text of.
// (A template as it comes writes lockTime as a Java object, and SETEX refuses it: then
// nobody gets the lock either, and no key stays.)
//
// 想法：lua-setex，用文档给脚本规定的返回类型：Integer。脚本答复的是文本，程序对它做类型转换。
//
// 协议：
//  1. EVAL acquire：EXISTS key 是 0 -> SETEX key seconds token，"1"；否则 "-1"。
//  2. 把答复转换成 Integer，而文本转换不了：tryLock 以异常结束，不管答复说什么。
//
// 保证：互斥，因为从来没有客户端得知自己持有锁。
//
// 何时被破坏：运行它就行。抛出异常时脚本已经执行过了，所以键在那里，值没有告诉过任何人，要留一
// 个租约。它消失之后，下一个客户端来，再做同样的事。
//
// 来源：S3《redis实现分布式锁》第 9-10 行：setResultType(Integer.class) 和类型转换。Spring Data
// Redis，ReturnType.fromJavaType：数里只有 Long 代表整数答复，所以给 Integer 的答复是一个值，模板
// 的序列化器把它变成文本。（模板照默认的样子会把 lockTime 写成 Java 对象，SETEX 拒绝它：那样也没
// 有人拿得到锁，也不会留下键。）

package locks

import (
	"context"
	"errors"
	"time"

	"lockstep/internal/store/redis"
	"lockstep/internal/world"
)

func init() {
	Register(Variant{
		ID: "lit-s3-integer", File: "lit_s3_integer.go", Store: StoreRedis, LeaseUnit: time.Second,
		New: func(d Deps) Lock { return &litS3Integer{d} },
	})
}

type litS3Integer struct{ Deps }

// errClassCast is what the cast of a text to a number is in Java.
var errClassCast = errors.New("ClassCastException: String to Integer")

func (l *litS3Integer) Acquire(context.Context) (Lease, error) {
	reply := l.Redis.Do(l.Env.Background(), redis.Eval(setEXScript, l.Name).Num(world.Seconds(l.Lease)).Text(newToken(l.Env)))
	if reply.Err != nil {
		return nil, reply.Err
	}
	return nil, errClassCast
}
