package say

// Headings of the matrix, and the requirements of a design on its servers.
var (
	LibrariesAsTheyAre   = New0("Unmodified libraries on real servers")
	LibrariesByTheirCode = New0("The libraries' own code in virtual time")
	ByItsOwnCode         = New2[Verbatim, Verbatim]("measured in a test: {library}'s own code in virtual time, with {go} whose choices follow the seed")
	OnePrimaryOfRedis    = New0("Redis, one primary")
	PrimariesOfRedis     = New0("Redis, independent primaries")

	LeastShards   = New1[Number]("at least {n} {n|shard|shards}")
	SoManyNodes   = New1[Number]("{n} {n|node|nodes}")
	LeastReplicas = New1[Number]("at least {n} {n|replica|replicas}")
	DiskFirst     = New0("every write on disk before its reply")
	StaysAway     = New0("a crashed server stays down for longer than a lease")
	RefusesAlone  = New2[Number, Planned](
		"no writes unless {n} {n|replica has|replicas have} reported within {time}")
	WithTairString = New0("the module TairString")
	WithRedis84    = New0("Redis 8.4 or later")
)
