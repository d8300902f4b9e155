package say

// The sentences of doctor and claims that have arguments.
var (
	NoRealServers = New1[Verbatim](
		"real servers need Linux, and this is {system}: the simulator plays everything here, and a Linux container plays on real servers:")
	InSources = New1[Phrase]("{Why} in the folder of lockstep's sources,")
	// PlaysLocks is what the program of a store's server is needed to do.
	PlaysLocks  = New1[Verbatim]("play locks of {store} on real servers, and to compare the model with one")
	StartsImage = New1[Verbatim]("start {product} in a container")
	PullsImage  = New1[Verbatim]("docker pull {image}, or scripts/local-images")
	NeededTo    = New1[Phrase]("needed to {what}")

	ClaimsWith    = New2[Number, List]("{n} {n|claim|claims}: {verdicts}")
	SoManyVerdict = New2[Number, Phrase]("{n} {verdict}")
	MeasuredIn    = New2[Phrase, Verbatim]("{what} in {seconds} s")
)
