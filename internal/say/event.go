package say

import "time"

// Exact is a duration to the nanosecond, as Go writes it: 1.5s. The same in every language.
type Exact time.Duration

// In writes the duration; 0 says nothing.
func (e Exact) In(Language) string {
	if e == 0 {
		return ""
	}
	return time.Duration(e).String()
}

// What one event of a history says, exactly and without its context. The text of an event, where
// it has one, is in the words of a lock, a server or a scenario.
var (
	NoEvent    = New0("no event", "没有这个事件")
	AnyEvent   = New2[Name, Verbatim]("{who}: {kind}", "{who}：{kind}")
	HasEnded   = New0("(the history has ended)", "（历史到此为止）")
	ItsHeader  = New0("its header", "它的头部")
	ExactlyAt  = New2[Verbatim, Phrase]("{at} s  {what}", "{at} 秒  {what}")
	EventWaits = New2[Name, Number]("{who} waits for the lock, round {n}", "{who} 等待锁，第 {n} 轮")

	EventAcquired      = New2[Name, Optional]("{who} acquires the lock[, token {token}]", "{who} 拿到了锁[，令牌 {token}]")
	EventAcquireFailed = New2[Name, Verbatim]("{who} fails to acquire[: {text}]", "{who} 没拿到锁[：{text}]")
	EventGaveUp        = New1[Name]("{who} gives up waiting", "{who} 不再等待")
	EventEntered       = New1[Name]("{who} enters its critical section", "{who} 进入临界区")
	EventLostLease     = New1[Name]("{who} is told that it has lost the lock", "{who} 被告知锁已丢失")
	EventReleasing     = New1[Name]("{who} begins to release", "{who} 开始释放")
	EventReleased      = New1[Name]("{who} hears that its entry was removed", "{who} 得知自己的条目已删掉")
	EventNotHeld       = New1[Name]("{who} hears that it had no entry", "{who} 得知自己没有条目")
	EventReleaseFailed = New2[Name, Verbatim](
		"{who} does not know whether its release has worked[: {text}]", "{who} 不知道释放是否成功[：{text}]")
	EventFinished = New1[Name]("{who} has played all its rounds", "{who} 做完了所有轮次")

	EventRead    = New3[Name, Number, Optional]("{who} reads version {n}[, token {token}]", "{who} 读到版本 {n}[，令牌 {token}]")
	EventWrote   = New3[Name, Number, Optional]("{who} writes version {n}[, token {token}]", "{who} 写入版本 {n}[，令牌 {token}]")
	EventRefused = New3[Name, Number, Optional](
		"a write of {who} is refused, highest token {n}[, token {token}]", "{who} 的写入被拒绝，最高的令牌 {n}[，令牌 {token}]")

	EventSent           = New3[Name, Name, Verbatim]("{who} sends to {peer}[: {text}]", "{who} 发给 {peer}[：{text}]")
	EventExecuted       = New3[Name, Name, Verbatim]("{who} executes for {peer}[: {text}]", "{who} 为 {peer} 执行[：{text}]")
	EventReplied        = New3[Name, Name, Verbatim]("{who} hears from {peer}[: {text}]", "{who} 收到 {peer} 的回复[：{text}]")
	EventTimedOut       = New3[Name, Name, Verbatim]("{who} hears nothing from {peer}[: {text}]", "{who} 没有等到 {peer} 的回复[：{text}]")
	EventRequestDropped = New2[Name, Name]("a request from {who} to {peer} is lost", "{who} 发给 {peer} 的请求丢了")
	EventReplyDropped   = New2[Name, Name]("a reply from {who} to {peer} is lost", "{who} 发给 {peer} 的回复丢了")

	EventGranted = New4[Name, Name, Exact, Verbatim](
		"{who} creates an entry for {owner}[, for {long}][: {text}]", "{who} 为 {owner} 建立条目[，时长 {long}][：{text}]")
	EventExtended = New5[Name, Name, Name, Exact, Verbatim](
		"{who} extends the entry of {owner} for {peer}[, for {long}][: {text}]", "{who} 应 {peer} 的请求延长 {owner} 的条目[，时长 {long}][：{text}]")
	EventRemoved = New4[Name, Name, Name, Verbatim](
		"{who} removes the entry of {owner} for {peer}[: {text}]", "{who} 应 {peer} 的请求删掉 {owner} 的条目[：{text}]")
	EventExpired = New3[Name, Name, Verbatim](
		"{who} drops the entry of {owner}: its time is up[: {text}]", "{who} 丢弃 {owner} 的条目：期限已到[：{text}]")
	EventReplicated = New5[Name, Name, Name, Exact, Verbatim](
		"{who} copies the entry of {owner} from {peer}[, for {long}][: {text}]", "{who} 从 {peer} 复制 {owner} 的条目[，时长 {long}][：{text}]")
	EventMayHaveRemoved = New3[Name, Name, Verbatim](
		"{who} may have removed an entry for {peer}, it is not known whose[: {text}]", "{who} 可能应 {peer} 的请求删掉了一个条目，不知道是谁的[：{text}]")
	EventForgotten = New3[Name, Name, Verbatim]("{who} has lost the entry of {owner}[: {text}]", "{who} 丢失了 {owner} 的条目[：{text}]")

	EventFaultBegan = New3[Number, Name, Verbatim]("fault {n} begins[ on {who}][: {text}]", "故障 {n} 开始[，作用于 {who}][：{text}]")
	EventFaultEnded = New3[Number, Name, Verbatim]("fault {n} ends[ on {who}][: {text}]", "故障 {n} 结束[，作用于 {who}][：{text}]")
	EventFroze      = New2[Name, Optional]("{who} freezes[ (fault {n})]", "{who} 停住[（故障 {n}）]")
	EventThawed     = New2[Name, Optional]("{who} runs again[ (fault {n})]", "{who} 继续运行[（故障 {n}）]")
	EventCrashed    = New2[Name, Optional]("{who} dies[ (fault {n})]", "{who} 死了[（故障 {n}）]")
	EventRestarted  = New2[Name, Optional]("{who} starts again[ (fault {n})]", "{who} 重新启动[（故障 {n}）]")
	EventPromoted   = New2[Name, Name]("{who} becomes the primary after {peer}", "{who} 接替 {peer} 成为主节点")
	EventDemoted    = New2[Name, Name]("{who} becomes a replica of {peer}", "{who} 成为 {peer} 的副本")
	EventClock      = New2[Name, Verbatim]("{who}'s clock is stepped by {long}", "{who} 的时钟跳了 {long}")
	EventHealed     = New0("all faults are over", "所有故障都结束了")
	EventCutShort   = New0("the run is cut short", "这次运行被中途结束")
	EventNoEffect   = New1[Number]("fault {n} has changed nothing", "故障 {n} 没有改变任何东西")

	EventReenters  = New2[Name, Number]("{who} asks for the lock again, depth {n}", "{who} 再次请求锁，深度 {n}")
	EventReentered = New3[Name, Number, Optional](
		"{who} is given the lock again, depth {n}[, token {token}]", "{who} 再次拿到锁，深度 {n}[，令牌 {token}]")
	EventReenterFailed = New3[Name, Number, Verbatim](
		"{who} is not given the lock again, depth {n}[: {text}]", "{who} 没能再次拿到锁，深度 {n}[：{text}]")
	EventLeft = New3[Name, Number, Verbatim]("{who} gives the lock back once, depth {n}[: {text}]", "{who} 还了一次锁，深度 {n}[：{text}]")
)
