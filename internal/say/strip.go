package say

// The labels of the picture of a run.
var (
	ThinksItHolds = New1[Name]("{who} thinks it holds it")
	ServerSays    = New2[Verbatim, Name]("{server} says {who}")
	LeaseEnd      = New0("lease ends")
	Leases        = New1[Number]("{n} {n|lease|leases}")
	OverwritesIt  = New0("too late")
	SleptFor      = New3[Node, Span, Span]("{Who} slept {time}; its lease had {left} left.")
	SleptPast     = New2[Node, Span]("{Who} slept {time}; its lease was over already.")
	CauseWas      = New1[Phrase]("In fact: {cause}.")
)
