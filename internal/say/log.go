package say

// What a log of production shows, and what keeps it from showing more.
var (
	LogEmpty          = New0("the log has no events", "日志里没有事件")
	LogUncontended    = New0("nobody contended for a lock: the log shows no client waiting for another", "没有人争锁：看不到有客户端等别的客户端")
	LogExtendedUnheld = New3[Number, Verbatim, Verbatim]("line {n}: {client} extends {lock} without having acquired it in this log", "第 {n} 行：{client} 延长 {lock}，但日志里没有它拿到锁的一行")
	LogEndUnheld      = New3[Number, Verbatim, Verbatim]("line {n}: {client} ends a hold of {lock} that does not begin in this log: is the beginning of the log missing?", "第 {n} 行：{client} 结束对 {lock} 的持有，但日志里没有它的开始：日志缺了开头吗？")
	LogWriteUnheld    = New3[Number, Verbatim, Verbatim]("line {n}: {client} writes without having acquired {lock} in this log", "第 {n} 行：{client} 写入，但日志里没有它拿到 {lock} 的一行")
	LogTokensBack     = New5[Number, Verbatim, Number, Number, Verbatim](
		"line {n}: {client} gets token {token}, no higher than {newest} before it: the tokens of {lock} do not tell which holder is newer",
		"第 {n} 行：{client} 拿到令牌 {token}，不比之前的 {newest} 新：{lock} 的令牌说明不了谁更新")
	LogManyHold        = New4[Verbatim, Number, Verbatim, Number]("more than {most} clients hold {lock} at once, or died holding it: {client}, which acquired it in line {n}, was left out", "同时持有 {lock}（或持有时死掉）的客户端超过 {most} 个：第 {n} 行拿到锁的 {client} 被略去")
	LogManyHeld        = New2[Number, Verbatim]("{n} locks are in use at once, too many to remember: {lock} was left out while it was held", "同时在用的锁有 {n} 把，记不住：{lock} 在被持有时被略去")
	LogTokensForgotten = New1[Verbatim]("{lock} is back after its tokens were forgotten to make room for other locks: an older token would go unnoticed", "{lock} 再次出现，但它的令牌已为别的锁腾位而被忘掉：更旧的令牌看不出来")
	LogRepeated        = New3[Verbatim, Times, Number]("{lock}: a hold that had ended was ended again, {times}, first in line {n}", "{lock}：已结束的持有又被结束，{times}，首次在第 {n} 行")
	LogSorted          = New2[Number, Span]("the lines were first sorted on disk: line {n} is {by} older than one before it", "先在磁盘上排了序，因为第 {n} 行比前面的早 {by}")
	LogCut             = New1[Number]("line {n}, the last one, has no line break and was left out: the log is cut", "最后的第 {n} 行没有换行，已略去：日志被截断了")
	LogCompressedCut   = New1[Number]("the compressed file breaks off after line {n}: the log is cut", "压缩文件在第 {n} 行之后中断：日志被截断了")
	LogSkipped         = New3[Number, Number, Both]("{n} {n|line|lines} could not be read and {n|was|were} left out, first line {line}: {why}", "有 {n} 行看不懂，已略去，第一处是第 {line} 行：{why}")

	LogIsCertain  = New2[Number, Number]("broken: {overlaps} {overlaps|acquisition|acquisitions} while another client held the lock, {writes} stale {writes|write|writes}", "破坏：{overlaps} 次在别的客户端持有时拿到锁，{writes} 次过期写入")
	LogIsPossible = New2[Number, Number]("possible, not certain: {overlaps} {overlaps|overlap|overlaps}, {writes} stale {writes|write|writes}", "有可能，不能确定：{overlaps} 次重叠，{writes} 次过期写入")
	LogIsUnknown  = New1[Remarks]("unknown: {reasons}", "未知：{reasons}")
	LogIsClean    = New2[Number, Number]("no two clients held a lock at once: {locks} {locks|lock|locks}, {contended} contended for", "没有两个客户端同时持有一把锁：{locks} 把锁，其中 {contended} 把有人争")

	LogHolds        = New3[Verbatim, Number, Number]("{who} holds it (lines {from} to {to})", "{who} 持有着（第 {from} 到 {to} 行）")
	LogOverlap      = New4[Verbatim, Number, Clauses, OptionalSpan]("{who} acquires it in line {n} while {others}[, together for at least {time}]", "第 {n} 行 {who} 拿到锁，而 {others}[：同时持有至少 {time}]")
	LogMaybeOverlap = New4[Verbatim, Number, Verbatim, Number]("{who} acquires it in line {n}, so close to the end of {other}'s hold in line {m} that the clocks leave open which came first", "第 {n} 行 {who} 拿到锁，与 {other} 结束持有（第 {m} 行）相隔太近：时钟有误差，分不清先后")
	LogMaybeHolds   = New5[Verbatim, Number, Verbatim, Number, Optional]("{who} acquires it in line {n} while {other} may still hold it: the log says nothing of {other} after line {m}[; the same goes for {more} later {more|acquisition|acquisitions}]", "第 {n} 行 {who} 拿到锁，而 {other} 在第 {m} 行之后没有消息，也许仍持有[；之后还有 {more} 次]")
	LogWrites       = New3[Verbatim, Number, Verbatim]("{who} writes in line {n}[ with token {token}]", "第 {n} 行 {who} 写入[，令牌 {token}]")
	LogHasHad       = New3[Verbatim, Number, Verbatim]("{who} had the lock in line {n}[ with token {token}]", "{who} 拿到过锁（第 {n} 行[，令牌 {token}]）")
	LogStaleWrite   = New2[Phrase, Phrase]("{write} although {newer}", "{write}，在此之前 {newer}")
	LogMaybeStale   = New2[Phrase, Phrase]("{write}, and {newer}: the clocks leave open which came first", "{write}；时钟有误差，也许在此之前 {newer}")

	LogLines     = New5[Grouped, Verbatim, Grouped, Verbatim, Verbatim]("{n} lines of {format}, {locks} {locks|lock|locks}[, from {from} to {to}]", "{n} 行 {format}，{locks} 把锁[，从 {from} 到 {to}]")
	LogMore      = New1[Number]("... and {n} more, counted above", "……还有 {n} 处，已计入上面的数目")
	LogNoWrites  = New0("the log has no writes", "日志里没有写入")
	LogRotated   = New1[Verbatim]("{file} was rotated: reading on in the new one", "{file} 被轮换：接着读新的")
	LogTruncated = New2[Verbatim, Number]("{file} was truncated after {n} bytes were read: reading on from its beginning; lines may be missing", "{file} 在 {n} 字节处被截断：从头接着读；可能缺行")
	LogFollowing = New1[Verbatim]("following {file}; Ctrl-C ends it with the verdict so far", "正在跟读 {file}；按 Ctrl-C 结束并给出到此为止的结论")
	LogSayLease  = New0("a client that died without a word may hold the lock for ever: say with --lease how long a grant lasts", "无声死掉的客户端可能一直持有：用 --lease 说明锁授予多久")
	LogCounts    = New3[Number, Number, Flag]("{certain} certain, {possible} possible[more?, at least]", "确定 {certain}，可能 {possible}[more?，至少]")
	LogTimes     = New2[Verbatim, Number]("{verdict} {n}x", "{verdict} {n} 次")
	LogMoreLocks = New1[Number]("... and {n} more {n|lock|locks}", "……还有 {n} 把锁")
)
