package say

// What the playground says with numbers and names in it.
var (
	RemoveFault = New1[Number]("remove fault {n}", "去掉故障 {n}")
	CommandAt   = New4[Verbatim, Verbatim, Number, Seconds]("{who} sends {command} (no. {n}) at {at}", "{who} 第 {n} 次发 {command}，{at}")
	StartHere   = New2[Number, Number]("New to this? Start here: {n} lessons, {minutes} minutes", "第一次接触？从这里开始：{n} 课，{minutes} 分钟")
	LessonIs    = New3[Number, Number, Phrase]("Lesson {n} of {of}: {title}", "第 {n} 课（共 {of} 课）：{title}")
)
