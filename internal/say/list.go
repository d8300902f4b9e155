package say

// Lists, and the deletion of old runs.
var (
	NoneBelowYet = New1[Verbatim]("Nothing is stored in {path} yet. To begin with: simulate run pause-past-lease")
	LockIdea     = New2[Flag, Verbatim]("[live?(on real servers only) ]{idea}")
	InvalidFile  = New1[Verbatim]("(invalid: simulate run --dry-run {file})")

	SmallStore  = New2[Verbatim, Verbatim]("The runs in {path} take {size}: nothing to delete.")
	WouldDelete = New3[Number, Verbatim, Verbatim]("{n} {n|run|runs}, the oldest, would be deleted: {freed} of {all}.")
	DeletedRuns = New3[Number, Verbatim, Verbatim]("{n} {n|run|runs}, the oldest, {n|is|are} deleted: {freed} of {all}.")
	KeptRuns    = New3[Number, Verbatim, List]("{n} old {n|run|runs} with {size} {n|stays|stay}: {why}. Delete anything else by hand.")
	SomeWhich   = New2[Number, Phrase]("{n} {which}")
)
