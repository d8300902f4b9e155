package say

// Headings of the matrix, and the requirements of a design on its servers.
var (
	LibrariesByTheirCode = New0("The libraries' own code in virtual time")
	ByItsOwnCode         = New2[Verbatim, Verbatim]("measured in a test: {library}'s own code in virtual time, with {go} whose choices follow the seed")

	LeastShards   = New1[Number]("at least {n} {n|shard|shards}")
	SoManyNodes   = New1[Number]("{n} {n|node|nodes}")
	LeastReplicas = New1[Number]("at least {n} {n|replica|replicas}")
	RefusesAlone  = New2[Number, Planned](
		"no writes unless {n} {n|replica has|replicas have} reported within {time}")
)
