package tour

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/scenario"
	"lockstep/internal/shell"
)

// phrases are the words of the tour itself.
var phrases = map[string]Text{
	"heading": {"simulate tour: %d lessons, from SETNX to fencing", "simulate tour：%d 课，从 SETNX 到防护"},
	"about": {
		"Each lesson tells a story, asks what you expect, and plays the story in the simulator. Then it changes one thing and plays it again. Nothing here is canned: every number comes from the run. Another seed is another run: --seed 7.",
		"每一课讲一个故事，问你怎么想，再在模拟器里把它演一遍。然后只改一处，再演一遍。这里没有事先写好的结果：每个数字都来自这次运行。换一个种子就是另一次运行：--seed 7。",
	},
	"lesson":             {"Lesson %d of %d: %s", "第 %d 课（共 %d 课）：%s"},
	"story":              {"Story", "故事"},
	"predict":            {"Predict", "先猜一猜"},
	"run":                {"The run", "运行"},
	"see":                {"Step by step", "一步一步看"},
	"switch":             {"One switch", "只改一处"},
	"again":              {"The run again", "再运行一次"},
	"remember":           {"Remember", "记住"},
	"words":              {"Words", "词语"},
	"colon":              {": ", "："},
	"assumed":            {"assumed", "以为"},
	"in fact":            {"in fact", "实际"},
	"earlier":            {"... %d more before these ...", "... 前面还有 %d 步 ..."},
	"between":            {"... %d more in between ...", "... 中间还有 %d 步 ..."},
	"later":              {"... %d more after these ...", "... 后面还有 %d 步 ..."},
	"kept":               {"v kept", "v 守住"},
	"broken":             {"x broken %dx", "x 破坏 %d 次"},
	"unknown":            {"? unknown", "? 未知"},
	"pause":              {"pause %s", "停顿 %s"},
	"verb pause":         {"pause", "停顿"},
	"verb partition":     {"partition", "网络分区"},
	"fence":              {"fence: %s", "防护：%s"},
	"right":              {"You predicted %d, and so it is: %s", "你猜 %d，猜对了：%s"},
	"wrong":              {"You predicted %d. The run shows %d: %s", "你猜 %d。运行的结果是 %d：%s"},
	"shown":              {"The run shows %d: %s", "运行的结果是 %d：%s"},
	"no answer":          {"The run shows none of these answers.", "运行的结果不在这些答案里。"},
	"yours":              {"Your turn", "轮到你了"},
	"own":                {"Your own lock", "你自己的锁"},
	"find":               {"Put a value in the place of the question mark, until %s is %s:", "把问号换成一个值，直到 %s %s："},
	"find lock":          {"Put a lock in the place of the question mark, until %s is %s:", "把问号换成一把锁，直到 %s %s："},
	"until kept":         {"kept", "守住"},
	"until broken":       {"broken", "被破坏"},
	"more":               {"To go on from here:", "接着往下看："},
	"saw":                {"What you saw", "你看到了什么"},
	"nothing":            {"You have not seen a run yet.", "你还没有看过一次运行。"},
	"all kept":           {"all kept", "全部守住"},
	"none broken":        {"none broken", "没有破坏"},
	"of broken":          {"%d broken", "破坏 %d 条"},
	"score":              {"You predicted %d of %d right.", "猜了 %[2]d 次，对了 %[1]d 次。"},
	"next":               {"To try next", "接下来可以试试"},
	"goes on":            {"the next lesson", "下一课"},
	"anew":               {"the lessons from the start", "从头再看"},
	"many":               {"the same story with 1000 seeds", "同一个故事，换 1000 个种子"},
	"matrix":             {"this lock under every kind of fault", "这把锁面对每一种故障"},
	"claims":             {"what documents claim about locks, measured", "文档对锁的说法，逐条实测"},
	"locks":              {"all locks there are", "所有的锁"},
	"keys":               {"[Enter] go on   [b] back   [l] list   [q] quit", "[回车] 继续   [b] 后退   [l] 目录   [q] 退出"},
	"keys first":         {"[Enter] lesson 1   [1-%d] another lesson   [q] quit", "[回车] 第 1 课   [1-%d] 选一课   [q] 退出"},
	"keys guess":         {"[1-%d] your answer   [Enter] skip   [b] back   [q] quit", "[1-%d] 你的答案   [回车] 跳过   [b] 后退   [q] 退出"},
	"keys last":          {"[Enter] end   [b] back   [l] list   [q] quit", "[回车] 结束   [b] 后退   [l] 目录   [q] 退出"},
	"no such":            {"There is no such key here.", "这里没有这个键。"},
	"sign believes":      {"believes it holds", "以为自己持有"},
	"sign frozen inside": {"frozen, and believes it holds", "冻结，还以为自己持有"},
	"sign frozen":        {"frozen", "冻结"},
	"sign dies":          {"crashes", "崩溃"},
	"sign two":           {"two holders inside", "同时有两个持有者"},
	"resource":           {"resource", "资源"},
	"sign damage":        {"a write that damages the data", "损坏数据的写入"},
	"sign refused":       {"a write that is refused", "被拒绝的写入"},
	"sign and":           {"; ", "；"},
	"sign store":         {"a letter: whose entry the store has", "字母：存储里是谁的条目"},
	"seconds":            {"%s s", "%s 秒"},
	"millis":             {"%d ms", "%d 毫秒"},
}

// say returns a phrase in the language of the tour.
func (o *Options) say(name string, args ...any) string {
	t, ok := phrases[name]
	if !ok {
		panic("tour: there is no phrase " + name)
	}
	if len(args) == 0 {
		return t.In(o.Language)
	}
	return fmt.Sprintf(t.In(o.Language), args...)
}

// span writes a duration of a set-up.
func (o *Options) span(d time.Duration) string {
	if d%time.Second != 0 {
		return o.say("millis", d.Milliseconds())
	}
	return o.say("seconds", strconv.FormatInt(int64(d/time.Second), 10))
}

// fill puts the figures of the set-up into a text.
func (o *Options) fill(text string, first, second *Played) string {
	pauses := [2]time.Duration{}
	for i, p := range []*Played{first, second} {
		if f := pauseOf(p.Plan); f != nil {
			pauses[i] = f.End.For
		}
	}
	return strings.NewReplacer(
		"{lease}", o.span(first.Plan.Lease), "{lag}", o.span(first.Plan.Redis.Lag),
		"{pause}", o.span(pauses[0]), "{pause-again}", o.span(pauses[1]),
	).Replace(text)
}

// instant writes the time of a step.
func (o *Options) instant(at history.Instant) string {
	number, _ := strings.CutSuffix(at.String(), " s")
	return o.say("seconds", number)
}

// cell is a verdict as a table shows it.
func (o *Options) cell(f checker.Finding) string {
	switch f.Verdict {
	case checker.Kept:
		return o.say("kept")
	case checker.Broken:
		return o.say("broken", max(f.Count, len(f.Violations)))
	}
	return o.say("unknown")
}

// labels tell two runs apart by what differs between them: the lock, the fence, the
// length of the pause, or else the kind of fault.
func (o *Options) labels(first, second *Played) (string, string) {
	a, b := first.Run, second.Run
	if a.Lock != b.Lock {
		return a.Lock, b.Lock
	}
	if first.Plan.Workload.Fence != second.Plan.Workload.Fence {
		return o.say("fence", first.Plan.Workload.Fence), o.say("fence", second.Plan.Workload.Fence)
	}
	x, y := pauseOf(first.Plan), pauseOf(second.Plan)
	if x != nil && y != nil && x.End.For != y.End.For {
		return o.say("pause", o.span(x.End.For)), o.say("pause", o.span(y.End.For))
	}
	return o.say("verb " + first.Plan.Faults[0].Verb.Name()), o.say("verb " + second.Plan.Faults[0].Verb.Name())
}

// command is what plays a run again.
func (o *Options) command(p *Played) string {
	var changes []scenario.Change
	if p.Run.Fence != "" {
		changes = append(changes, scenario.Change{Key: "workload.fence", Value: p.Run.Fence})
	}
	if f := pauseOf(p.Plan); p.Run.Pause != 0 {
		changes = append(changes, scenario.Change{Key: fmt.Sprintf("faults.%d.for", f.Number), Value: scenario.Duration(p.Run.Pause)})
	}
	return p.Run.Command(o.Seed, changes...)
}

// lockKey stands for the lock among the keys of a scenario file.
const lockKey = "lock"

// command is what plays a run with a value of the learner's.
func (y *Yours) command(r *Run, value string, seed uint64) string {
	if y.Change == lockKey {
		other := *r
		other.Lock = value
		return other.Command(seed)
	}
	return r.Command(seed, scenario.Change{Key: y.Change, Value: value})
}

// Command is the command line that plays the scenario of a run with its lock and with changes of it.
func (r *Run) Command(seed uint64, changes ...scenario.Change) string {
	words := fmt.Sprintf("simulate run %s --lock %s", r.Scenario, r.Lock)
	for _, c := range changes {
		words += " --set " + shell.Pair(c.Key, c.Value)
	}
	return fmt.Sprintf("%s --seed %d", words, seed)
}
