package say

// The labels of the picture of a run.
var (
	ThinksItHolds = New1[Name]("{who} thinks it holds it", "{who} 以为自己持有锁")
	ServerSays    = New2[Verbatim, Name]("{server} says {who}", "{server} 说是 {who} 的")
	LeaseEnd      = New0("lease ends", "租约到期")
	Leases        = New1[Number]("{n} {n|lease|leases}", "{n} 个租约")
	OverwritesIt  = New0("too late", "太晚")
	IsRefused     = New0("refused", "被拒绝")
	SleptFor      = New3[Node, Span, Span](
		"{Who} slept {time}; its lease had {left} left.",
		"{who} 停顿了 {time}，它的租约还剩 {left}。")
	SleptPast = New2[Node, Span](
		"{Who} slept {time}; its lease was over already.",
		"{who} 停顿了 {time}，它的租约早已到期。")
	PerhapsTwoInside = New0("perhaps two inside", "可能两个在里面")
	DivergesHere     = New0("diverges here", "从这里分岔")
	IsDown           = New0("down", "宕机")
	CauseWas         = New1[Phrase]("In fact: {cause}.", "实际上：{cause}。")
	WrongOwnerShort  = New0("wrong owner", "删错了")
	StuckShort       = New0("no progress", "没有进展")
)
