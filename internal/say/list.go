package say

// What a list of all there is says besides names and their sentences.
var (
	NoneBelowYet = New1[Verbatim]("Nothing is stored in {path} yet. To begin with: simulate run pause-past-lease", "{path} 里还没有存下什么。不妨先来：simulate run pause-past-lease")
	LockNamed    = New2[Both, Verbatim]("{name} ({id})", "{name}（{id}）")
	LockIdea     = New2[Flag, Verbatim]("[live?(on real servers only) ]{idea}", "[live?（只在真实服务器上）]{idea}")
	InvalidFile  = New1[Verbatim]("(invalid: simulate run --dry-run {file})", "（无效：simulate run --dry-run {file}）")

	SmallStore     = New2[Verbatim, Verbatim]("The runs in {path} have {size}: none has to go.", "{path} 里的运行共 {size}：都不必删。")
	WouldDelete    = New3[Number, Verbatim, Verbatim]("{n} {n|run|runs}, the oldest, would be deleted: {freed} of {all}.", "要删的是最旧的 {n} 次运行：{all} 中的 {freed}。")
	DeletedRuns    = New3[Number, Verbatim, Verbatim]("{n} {n|run|runs}, the oldest, {n|is|are} deleted: {freed} of {all}.", "最旧的 {n} 次运行已删：{all} 中的 {freed}。")
	NothingDeleted = New0("Nothing is deleted yet: --yes does it.", "还没有删：加上 --yes 才删。")
	KeptRuns       = New3[Number, Verbatim, List]("{n} old {n|run|runs} with {size} {n|stays|stay}: {why}. What else is to go you remove by hand.", "{n} 次旧的运行留下（{size}）：{why}。还要删的请自己动手。")
	SomeWhich      = New2[Number, Phrase]("{n} {which}", "{n} 次{which}")
)
