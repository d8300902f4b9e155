package say

// The map of a sweep.
var (
	BoldIsLease   = New1[Verbatim]("bold line: {axis} = 1 lease")
	SeedsEach     = New2[Property, Number]("{property}, {n} seeds for each setting")
	ShareOfBroken = New2[Property, Number](
		"{property}, {n} seeds for each setting; share of broken runs in %")
	WhereDoesHold = New2[Property, Number](
		"Where does {property} hold? Each cell is one setting, played with the same {n} seeds.")
	MapIsEmpty = New2[Verbatim, Property](
		"No run of {lock} tested {property}: the map is empty.")
	KeepsInAll = New3[Verbatim, Property, Number](
		"{lock} keeps {property} in every run of all {n} {n|setting|settings} tested.")
	BreaksInAll = New3[Verbatim, Property, Number](
		"{lock} breaks {property} in all {n} {n|setting|settings} tested, in at least one run each.")
	KeepsInSome = New4[Verbatim, Property, Number, Number](
		"{lock} keeps {property} in every run of {n} {n|setting|settings}, and breaks it in {broken}.")
)
