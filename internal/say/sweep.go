package say

// What the map of a sweep says.
var (
	BoldIsLease    = New1[Verbatim]("bold line: {axis} = 1 lease", "粗线：{axis} = 1 个租约")
	CountsInLeases = New1[Planned]("in leases of {time}", "以 {time} 的租约计")
	SeedsEach      = New2[Property, Number]("{property}, {n} seeds for each setting", "{property}，每个设置 {n} 个种子")
	ShareOfBroken  = New2[Property, Number](
		"{property}, {n} seeds for each setting; share of broken runs in %",
		"{property}，每个设置 {n} 个种子；被破坏的运行所占的百分比")
	WhereDoesHold = New2[Property, Number](
		"Where does {property} hold? Each cell is one setting, played with the same {n} seeds.",
		"{property} 在哪里成立？每格是一个设置，都用同样的 {n} 个种子。")
	MapIsEmpty = New2[Verbatim, Property](
		"No run of {lock} put {property} to the test anywhere: the map is empty.",
		"{lock} 没有一次运行检验到 {property}：图是空的。")
	KeepsInAll = New3[Verbatim, Property, Number](
		"{lock} keeps {property} in every run of all {n} {n|setting|settings} tested.",
		"{lock} 在检验过的全部 {n} 个设置里，每次运行都守住 {property}。")
	BreaksInAll = New3[Verbatim, Property, Number](
		"{lock} breaks {property} in all {n} {n|setting|settings} tested, in at least one run each.",
		"{lock} 在检验过的全部 {n} 个设置里，都有运行破坏 {property}。")
	KeepsInSome = New4[Verbatim, Property, Number, Number](
		"{lock} keeps {property} in every run of {n} {n|setting|settings}, and breaks it in {broken}.",
		"{lock} 在 {n} 个设置里每次运行都守住 {property}，在 {broken} 个里破坏它。")
	RateRange = New2[Verbatim, Verbatim]("{low} to {high}", "{low} 到 {high}")
)
