package say

// What a list of all there is says besides names and their sentences.
var (
	NoneBelowYet = New1[Verbatim]("There are none below {path} yet: simulate run pause-past-lease", "{path} 之下还没有：simulate run pause-past-lease")
	LockIdea     = New2[Flag, Verbatim]("[live?(on real servers only) ]{idea}", "[live?（只在真实服务器上）]{idea}")
	InvalidFile  = New1[Verbatim]("(invalid: simulate validate {file})", "（无效：simulate validate {file}）")
)
