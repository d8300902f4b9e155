package say

// What a log of production shows, and what keeps it from showing more.
var (
	LogEmpty          = New0("the log has no events", "日志里没有事件")
	LogUncontended    = New0("nobody contended for a lock: no client is seen to wait for another", "没有人争锁：看不到有客户端等别的客户端")
	LogExtendedUnheld = New3[Number, Verbatim, Verbatim]("line {n}: {client} extends {lock} without having acquired it in this log", "第 {n} 行：{client} 延长 {lock}，但日志里没有它拿到锁的一行")
	LogEndUnheld      = New3[Number, Verbatim, Verbatim]("line {n}: {client} ends a hold of {lock} that it has not begun in this log: is its beginning missing?", "第 {n} 行：{client} 结束对 {lock} 的持有，但日志里没有它的开始：日志缺了开头吗？")
	LogWriteUnheld    = New3[Number, Verbatim, Verbatim]("line {n}: {client} writes without having acquired {lock} in this log", "第 {n} 行：{client} 写入，但日志里没有它拿到 {lock} 的一行")
	LogTokensBack     = New5[Number, Verbatim, Number, Number, Verbatim](
		"line {n}: {client} gets the token {token}, which is no newer than {newest} before it: tokens of {lock} do not tell who is newer",
		"第 {n} 行：{client} 拿到令牌 {token}，不比之前的 {newest} 新：{lock} 的令牌说明不了谁更新")
	LogManyHold        = New4[Verbatim, Number, Verbatim, Number]("more than {most} clients hold {lock} at once, or died with it: {client}, who acquired it in line {n}, was set aside", "同时持有 {lock}（或持有时死掉）的客户端超过 {most} 个：第 {n} 行拿到锁的 {client} 被略去")
	LogManyHeld        = New2[Number, Verbatim]("{n} locks are in use at once, too many to remember: {lock} was set aside while it was held", "同时在用的锁有 {n} 把，记不住：{lock} 在被持有时被略去")
	LogTokensForgotten = New2[Number, Verbatim]("{n} locks are too many to remember the tokens of all: those of {lock} were set aside", "有 {n} 把锁，记不住所有令牌：{lock} 的令牌被略去")
	LogRepeated        = New3[Verbatim, Number, Times]("{lock}: a hold that had ended was ended again, {times}, first in line {n}", "{lock}：已结束的持有又被结束，{times}，首次在第 {n} 行")
	LogSorted          = New2[Number, Verbatim]("the lines were sorted on disk first, since line {n} is out of order: {why}", "先在磁盘上排了序，因为第 {n} 行次序不对：{why}")
	LogCut             = New1[Number]("line {n}, the last one, has no line break and was left out: the log is cut", "最后的第 {n} 行没有换行，已略去：日志被截断了")
	LogCompressedCut   = New1[Number]("the compressed file ends behind line {n} without its end: the log is cut", "压缩文件在第 {n} 行之后没有结尾：日志被截断了")
	LogSkipped         = New3[Number, Number, Verbatim]("{n} {n|line was|lines were} left out that make no sense, the first of them line {line}: {why}", "有 {n} 行看不懂，已略去，第一处是第 {line} 行：{why}")
	LogInterrupted     = New1[Number]("interrupted behind line {n}: the verdict is that of the lines until there", "在第 {n} 行之后中断：结论只到那里")
)
