package say

// What a list of all there is says besides names and their sentences.
var (
	NoneBelowYet = New1[Verbatim]("Nothing is stored in {path} yet. To begin with: simulate run pause-past-lease", "{path} 里还没有存下什么。不妨先来：simulate run pause-past-lease")
	LockIdea     = New2[Flag, Verbatim]("[live?(on real servers only) ]{idea}", "[live?（只在真实服务器上）]{idea}")
	InvalidFile  = New1[Verbatim]("(invalid: simulate validate {file})", "（无效：simulate validate {file}）")
)
