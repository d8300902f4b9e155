package say

// Headings of the matrix, and what a design wants of its servers.
var (
	LibrariesAsTheyAre   = New0("Unmodified libraries on real servers", "真实服务器上的库，未经修改")
	LibrariesByTheirCode = New0("The libraries' own code in virtual time", "虚拟时间里库自己的代码")
	ByItsOwnCode         = New2[Verbatim, Verbatim]("measured in a test: {library}'s own code in virtual time, with {go} whose choices follow the seed", "在测试里测得：{library} 自己的代码，运行在虚拟时间里，{go} 的选择由种子决定")
	ByItsOwnCodeOnce     = New2[Verbatim, Verbatim]("measured in a test: {library}'s own code in virtual time, with {go}, some of whose choices follow no seed", "在测试里测得：{library} 自己的代码，运行在虚拟时间里；{go} 的一些选择不由种子决定")
	OnePrimaryOfRedis    = New0("Redis, one primary", "Redis，一台主节点")
	PrimariesOfRedis     = New0("Redis, independent primaries", "Redis，互相独立的主节点")

	LeastShards   = New1[Number]("at least {n} {n|shard|shards}", "至少 {n} 个分片")
	SoManyNodes   = New1[Number]("{n} {n|node|nodes}", "{n} 个节点")
	LeastReplicas = New1[Number]("at least {n} {n|replica|replicas}", "至少 {n} 个副本")
	DiskFirst     = New0("every write on disk before its reply", "每次写入先落盘再回复")
	StaysAway     = New0("a crashed server stays away for longer than a lease", "崩溃的服务器离开得比租约还久")
	RefusesAlone  = New2[Number, Planned](
		"no writes unless {n} {n|replica has|replicas have} reported within {time}",
		"{time}之内没有 {n} 个副本报到就拒绝写入")
	WithTairString = New0("the module TairString", "TairString 模块")
	WithRedis84    = New0("Redis 8.4 or later", "Redis 8.4 或更新的版本")
)
