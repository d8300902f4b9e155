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
// key is there, with a value that no client has been told, and stays for a lease. When it has
// gone the next client does the same.
//
// Source: S3 "A distributed lock on Redis, with two Lua scripts", lines 9-10:
// setResultType(Integer.class) and the cast. Spring Data Redis, ReturnType.fromJavaType: of the
// numbers only Long stands for an integer reply, so that a reply for Integer is a value, which the
// template's serializer makes a text of. (A template as it comes writes lockTime as a Java object,
// and SETEX refuses it: then no client gets the lock either, and no key stays.)

package locks

import (
	"context"
	"errors"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "lit-s3-integer", Store: StoreRedis, LeaseUnit: time.Second, New: stateless(litS3Integer),
	})
}

// errClassCast is Java's exception for the cast of a text to a number.
var errClassCast = errors.New("ClassCastException: String to Integer")

func litS3Integer(_ context.Context, d *Deps) (Lease, error) {
	script := redis.Eval(setEXScript, d.Name).Num(ports.Seconds(d.Lease)).Text(newToken(d.Env))
	if reply := d.Redis.Do(d.Env.Background(), script); reply.Err != nil {
		return nil, reply.Err
	}
	return nil, errClassCast
}
