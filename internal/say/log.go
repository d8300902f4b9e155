package say

// What a log of production shows, and what keeps it from showing more.
var (
	LogEmpty          = New0("the log has no events", "日志里没有事件")
	LogUncontended    = New0("no client contended for a lock: the log shows none waiting for another", "没有人争锁：看不到有客户端等别的客户端")
	LogExtendedUnheld = New3[Phrase, Verbatim, Verbatim]("{at}: {client} extends {lock} without having acquired it in this log", "{at}：{client} 延长 {lock}，但日志里没有它拿到锁的一行")
	LogEndUnheld      = New3[Phrase, Verbatim, Verbatim]("{at}: {client} ends a hold of {lock} that does not begin in this log: is the beginning of the log missing?", "{at}：{client} 结束对 {lock} 的持有，但日志里没有它的开始：日志缺了开头吗？")
	LogWriteUnheld    = New3[Phrase, Verbatim, Verbatim]("{at}: {client} writes without having acquired {lock} in this log", "{at}：{client} 写入，但日志里没有它拿到 {lock} 的一行")
	LogTokensBack     = New5[Phrase, Verbatim, Number, Number, Verbatim](
		"{at}: {client} gets token {token}, no higher than {newest} before it: the tokens of {lock} do not tell which holder is newer",
		"{at}：{client} 拿到令牌 {token}，不比之前的 {newest} 新：{lock} 的令牌说明不了谁更新")
	LogManyHold        = New4[Verbatim, Number, Verbatim, Phrase]("{lock} has more than {most} holds without an end, or of nearly one time: that of {client}, which begins in {at}, was left out", "{lock} 没有结束或时间几乎相同的持有超过 {most} 个：{client} 始于{at}的那个被略去")
	LogManyHeld        = New2[Number, Verbatim]("{n} locks are in use at once, too many to remember: {lock} was left out while it was held", "同时在用的锁有 {n} 把，记不住：{lock} 在被持有时被略去")
	LogTokensForgotten = New1[Verbatim]("{lock} is back after its tokens were forgotten to make room for other locks: an older token would go unnoticed", "{lock} 再次出现，但它的令牌已为别的锁腾位而被忘掉：更旧的令牌看不出来")
	LogRepeated        = New3[Verbatim, Times, Phrase]("{lock}: a hold that had ended was ended again, {times}, first in {at}", "{lock}：已结束的持有又被结束，{times}，首次在{at}")
	LogAt              = New2[Number, Verbatim]("line {n}[ of {file}]", "[{file} ]第 {n} 行")
	LogWriteAfter      = New4[Phrase, Verbatim, Verbatim, Phrase](
		"{at}: {client} writes after its hold of {lock} from {from} has ended: no newer holder had the lock by then, but nothing guarded the write",
		"{at}：{client} 在{from}开始的对 {lock} 的持有结束之后写入：那时还没有更新的持有者，但这次写入没有锁的保护")
	LogAgain = New4[Verbatim, Verbatim, Phrase, Phrase](
		"{client} acquires {lock} in {at} although it has it since {from}: the log does not tell a re-entrant lock from two holders with one name (say --reentrant, or log tokens, or a name for each process and thread)",
		"{client} 从{from}起持有 {lock}，又在{at}拿到：日志分不清是可重入的锁，还是同名的两个持有者（用 --reentrant 说明，或记下令牌，或给每个进程和线程单独的名字）")
	LogNotDead        = New4[Phrase, Verbatim, Verbatim, Phrase]("{at} says that {client} is dead, which it is not: {event} in {line}", "{at}说 {client} 已死，其实没有：{line}是它的 {event}")
	LogManyAtOnce     = New3[Number, Verbatim, Phrase]("more than {n} lines of {client} about one lock have one time, from {at} on: their order is not known", "{client} 关于一把锁的同一时刻的行超过 {n} 条（从{at}起）：分不清先后")
	LogCrowded        = New2[Number, Phrase]("more than {n} lines have the time of {at}: their order is not known", "与{at}同一时刻的行超过 {n} 条：分不清先后")
	LogAssumed        = New1[Series]("assumed, since not given: {flags}; the verdict is the same with 0", "没有给出，所以假定：{flags}；取 0 时结论相同")
	LogAssumedMatters = New3[Series, Series, Phrase]("assumed, since not given: {flags}; with {zeros} the verdict is: {verdict}", "没有给出，所以假定：{flags}；若 {zeros}，结论是：{verdict}")
	LogNotGiven       = New1[Planned]("{time}, assumed, and 0", "假定为 {time}，也试 0")
	LogSorted         = New2[Number, Span]("the lines were first sorted on disk: line {n} is {by} older than one before it", "先在磁盘上排了序，因为第 {n} 行比前面的早 {by}")
	LogCut            = New1[Phrase]("{at}, the last one, has no line break and was left out: the log is cut", "{at}是最后一行，没有换行，已略去：日志被截断了")
	LogCompressedCut  = New1[Phrase]("the compressed file breaks off after {at}: the log is cut", "压缩文件在{at}之后中断：日志被截断了")
	LogSkipped        = New3[Number, Phrase, Both]("{n} {n|line|lines} could not be read and {n|was|were} left out, first {at}: {why}", "有 {n} 行看不懂，已略去，第一处是{at}：{why}")

	LogIs        = New2[Phrase, Phrase]("two holders: {overlaps}[; stale writes: {writes}]", "两个持有者：{overlaps}[；过期写入：{writes}]")
	LogIsUnknown = New1[Remarks]("two holders: unknown: {reasons}", "两个持有者：未知：{reasons}")
	LogIsClean   = New3[Number, Number, Phrase]("two holders: none ({locks} {locks|lock|locks}, {contended} contended for)[; stale writes: {writes}]", "两个持有者：无（{locks} 把锁，其中 {contended} 把有人争）[；过期写入：{writes}]")

	LogHolder      = New2[Verbatim, Verbatim]("{who}[ (token {token})]", "{who}[（令牌 {token}）]")
	LogHolds       = New3[Phrase, Phrase, Phrase]("{who} holds it ({from} to {to})", "{who} 持有着（{from}到{to}）")
	LogOverlap     = New4[Phrase, Phrase, Clauses, OptionalSpan]("{who} acquires it in {at} while {others}[, together for {time} by the times]", "{at}，{who} 拿到锁，而 {others}[：按日志的时间同时持有 {time}]")
	LogMaybeBefore = New5[Phrase, Phrase, Span, Phrase, Phrase]("{who} acquires it in {at}, by the times {by} before the end of {other}'s hold in {end}: too close to be certain", "{at}，{who} 拿到锁，按日志的时间比 {other} 结束持有（{end}）早 {by}：相隔太近，不能确定")
	LogMaybeAfter  = New5[Phrase, Phrase, Phrase, Phrase, OptionalSpan]("{who} acquires it in {at}, so close to the end of {other}'s hold in {end} that it may have come first[: {by} after it by the times]", "{at}，{who} 拿到锁，与 {other} 结束持有（{end}）相隔太近，也许先于它[：按日志的时间晚 {by}]")
	LogMaybeHolds  = New5[Phrase, Phrase, Phrase, Phrase, Optional]("{who} acquires it in {at} while {other} may still hold it: the log says nothing of {other} after {last}[; the same goes for {more} later {more|acquisition|acquisitions}]", "{at}，{who} 拿到锁，而 {other} 在{last}之后没有消息，也许仍持有[；之后还有 {more} 次]")
	LogWrites      = New3[Verbatim, Phrase, Verbatim]("{who} writes in {at}[ with token {token}]", "{at}，{who} 写入[，令牌 {token}]")
	LogHasHad      = New3[Verbatim, Phrase, Verbatim]("{who} had the lock in {at}[ with token {token}]", "{who} 拿到过锁（{at}[，令牌 {token}]）")
	LogStaleWrite  = New2[Phrase, Phrase]("{write} although {newer}", "{write}，在此之前 {newer}")
	LogMaybeStale  = New2[Phrase, Phrase]("{write}, and {newer}: the clocks leave open which came first", "{write}；时钟有误差，也许在此之前 {newer}")

	LogLines     = New5[Grouped, Verbatim, Grouped, Verbatim, Verbatim]("{n} lines of {format}, {locks} {locks|lock|locks}[, from {from} to {to}]", "{n} 行 {format}，{locks} 把锁[，从 {from} 到 {to}]")
	LogMore      = New1[Number]("... and {n} more, counted above", "……还有 {n} 处，已计入上面的数目")
	LogNoWrites  = New0("the log has no writes", "日志里没有写入")
	LogRotated   = New1[Verbatim]("{file} was rotated: reading on in the new one", "{file} 被轮换：接着读新的")
	LogTruncated = New2[Verbatim, Number]("{file} was truncated after {n} bytes were read: reading on from its beginning; lines may be missing", "{file} 在 {n} 字节处被截断：从头接着读；可能缺行")
	LogFollowing = New1[Verbatim]("following {file}; Ctrl-C ends it with the verdict so far", "正在跟读 {file}；按 Ctrl-C 结束并给出到此为止的结论")
	LogSayLease  = New0("a client that died without a word may hold the lock for ever: say with --lease how long a grant lasts", "无声死掉的客户端可能一直持有：用 --lease 说明锁授予多久")
	LogCounts    = New3[Number, Number, Flag]("{certain} certain, {possible} possible[more?, at least]", "确定 {certain}，可能 {possible}[more?，至少]")
	LogTimes     = New2[Phrase, Number]("{verdict} {n}x", "{verdict} {n} 次")
	LogMoreLocks = New1[Number]("... and {n} more {n|lock|locks}", "……还有 {n} 把锁")
)
