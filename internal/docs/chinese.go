package docs

import (
	"fmt"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/say"
)

const chinesePage = "zh.md"

// chinese is the reference of locks, faults and properties in Chinese, from the same registries. Verbs and keys are as
// files have them; what is measured stands on the pages in English, to which it leads.
func (w *writer) chinese() Page {
	body := []string{
		heading(1, "参考"),
		"锁、故障和性质，都由 " + code("simulate dev docs") + " 从代码写出。测量结果、命令和场景文件的键见 " + link("英文参考", "README.md") + "。",
		heading(2, "锁"),
	}
	for _, group := range w.groups() {
		for _, v := range group.locks {
			body = append(body, chineseLock(v)...)
		}
	}
	body = append(body, heading(2, "故障"), "在场景里用 "+code("when")+"（某一时刻）、"+code("at")+"（某个时间）或 "+code("every")+"（反复）说明何时开始。")
	for _, spec := range faults.All() {
		body = append(body, heading(3, spec.Name), text(spec.Summary.Chinese)+chineseEnd(spec)+" "+linkInto("参数", faultsPage, spec.Name), block("yaml", "faults:\n"+indented(spec.Example)))
	}
	body = append(body, heading(2, "性质"), "每次运行里，每条性质要么守住，要么被破坏；如果运行没有考验到它，就是未知。")
	var rows [][]string
	for _, p := range checker.All() {
		rows = append(rows, []string{linkInto(say.PropertyName(p.ID, say.Chinese), propertiesPage, p.ID), code(p.ID), text(p.Summary.Chinese)})
	}
	body = append(body, table([]string{"性质", "名字", "要求"}, rows))
	return page(chinesePage, "the registries of locks, faults and properties", body...)
}

// chineseLock tells what a lock is and when it breaks.
func chineseLock(v locks.Variant) []string {
	d := v.Doc(say.Chinese)
	var protocol strings.Builder
	for i, step := range d.Protocol {
		fmt.Fprintf(&protocol, "%d. %s\n", i+1, text(step))
	}
	return []string{
		heading(3, locks.Name(v.ID).Chinese), code(v.ID) + "：" + text(d.Idea),
		protocol.String(),
		"**保证：**" + text(d.Guarantees),
		"**何时失效：**" + text(d.BreaksWhen),
		link("测量结果", "locks/"+v.ID+".md"),
	}
}

// chineseEnd says how a fault ends.
func chineseEnd(spec faults.Spec) string {
	some := "用 " + code("for") + "、" + code("until") + " 或 " + code("forever: true") + " 说明何时结束"
	switch spec.Ends {
	case faults.EndRequired:
		return " 必须" + some + "。"
	case faults.EndOptional:
		return " 可以" + some + "。"
	}
	return " 发生即结束。"
}
