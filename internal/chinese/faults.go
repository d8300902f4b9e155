package chinese

// What a fault does, when, and for how long, as a scenario says it: package faults
// puts these texts together from a verb, an end and a trigger.
func fault(text string) (string, bool) {
	if got, ok := say(triggerRules, text); ok {
		return got, true
	}
	return say(faultRules, text)
}

var triggerRules = compile([]pair{
	{"{fault} {f} after {moment}", "{moment}之后 {f}，{fault}"},
	{"{fault} when {moment} until {moment2}", "{moment}时，{fault}，直到{moment2}"},
	{"{fault} when {moment}", "{moment}时，{fault}"},
	{"{fault} every {f}", "每隔 {f}，{fault}"},
	{"{fault} at {f}", "在 {f}，{fault}"},
})

var faultRules = compile([]pair{
	{"pause {who}[ for {f}][ until {moment}][ forever]", "让 {who} 停顿[ {f}][，直到{moment}][，不再醒来]"},
	{"crash {who}", "让 {who} 崩溃"},
	{"lose-host {who}", "让 {who} 连同主机一起失联"},
	{"restart {who}[ down {f}]", "重启{who}[，停机 {f}]"},
	{"slow {who} by {f}", "让 {who} 的工作慢 {f}"},
	{"hang {who}[ forever][ for {f}]", "让 {who} 的工作卡住[，不再恢复][，持续 {f}]"},
	{"evict lock[ from {node}]", "存储提前删掉锁的条目[，在 {node} 上]"},
	{"promote replica", "有人手动提升副本"},
	{"fail-over {x}", "故障转移（{x}）"},
	{"delay request by {f}", "让请求迟到 {f}"},
	{"delay reply by {f}", "让回复迟到 {f}"},
	{"drop request", "让请求丢失"},
	{"drop reply", "让回复丢失"},
	{"jump-clock {who} by {x}", "{who}的时钟跳 {x}"},
	{"drift-clock {who} rate {x}[ for {f}][ forever]", "{who}的时钟走速改变 {x}[，持续 {f}][，不再恢复]"},
	{"partition {names} from {names2}[ for {f}][ forever][ until {moment}]", "网络分区，隔开 {names} 与 {names2}[，持续 {f}][，不再恢复][，直到{moment}]"},
	{"cut what {names} sends to {names2}[ for {f}][ forever]", "切断 {names} 发往 {names2} 的方向[，持续 {f}][，不再恢复]"},
	{"lag {f}[ for {f2}][ forever]", "复制变慢 {f}[，持续 {f2}][，不再恢复]"},
})

// momentRules are the moments that a fault waits for. The command at the end of one
// may be followed by the time at which it counts.
var momentRules = compile([]pair{
	{"{moment} every time", "每次{moment}"},
	{"{moment} the {n} time", "第 {n} 次{moment}"},
	{"{who} starts waiting", "{who} 开始等锁"},
	{"{who} acquires", "{who} 拿到锁"},
	{"{who} enters", "{who} 进入临界区"},
	{"{who} is in its critical section", "{who} 在临界区里"},
	{"{who} is about to write", "{who} 正要写入"},
	{"{who} writes", "{who} 写入"},
	{"{who} renews", "{who} 续期"},
	{"{who} releases", "{who} 释放"},
	{"{who} loses its lease", "{who} 失去租约"},
	{"{who} wakes", "{who} 醒来"},
	{"{who} is about to send any command", "{who} 正要发命令"},
	{"{who} is about to send {sent}", "{who} 正要发 {sent}"},
	{"{who} sends {sent}", "{who} 发出 {sent}"},
	{"{who} has the reply of {sent}", "{who} 收到 {sent} 的回复"},
	{"{who} has {sent} executed", "{who} 的 {sent} 已执行"},
})
