package say

// What the clients believe, and what the store has.
var (
	NobodyBelieves = New0("no client thinks it holds it", "没有客户端认为自己持有锁")
	ManyBelieve    = New1[Number]("{n} clients each think they hold it", "{n} 个客户端都以为自己持有锁")
	Believe        = New1[Names]("{who} each think they hold it", "{who} 都以为自己持有锁")
	Believes       = New1[Name]("{who} thinks it holds the lock", "{who} 以为自己持有锁")
	StoreIsDown    = New1[Product]("{store} is down", "{store}：宕机")
	StoreHasNobody = New1[Product]("{store} has no entry", "{store} 里没有条目")
	StoreHas       = New2[Product, Name]("{store} says {who}", "{store} 里是 {who}")
	StoresHave     = New1[Shares]("servers say {who}", "各台服务器：{who}")
)

// What breaks at an event.
var (
	Breaks           = New1[Remarks]("{what}", "{what}")
	TwoInsideSince   = New2[Node, Seconds]("two holders inside: {who} has been in since {time}", "同时有两个持有者：{who} 从 {time}起就在里面")
	TwoInside        = New0("two holders inside", "同时有两个持有者")
	WrongOwnerOf     = New2[Node, Node]("wrong owner: the entry was {owner}'s, not {who}'s", "删错了：条目是 {owner} 的，不是 {who} 的")
	WrongOwner       = New0("wrong owner: the entry was another client's", "删错了：条目是别的客户端的")
	StaleWriteHeld   = New2[Node, Seconds]("stale write: {who} has held the lock since {time}", "过期写：{who} 从 {time}起持有锁")
	StaleWriteInside = New2[Node, Seconds]("stale write: {who} has been in since {time}", "过期写：{who} 从 {time}起就在里面")
	StaleWriteAfter  = New2[Node, Node]("stale write: {who} had the lock after {writer}", "过期写：{who} 在 {writer} 之后拿过锁")
	StaleWrite       = New0("stale write", "过期写")
	LostUpdateOf     = New1[Node]("lost update: what {who} wrote is overwritten", "丢失更新：{who} 写的被覆盖了")
	LostUpdate       = New0("lost update", "丢失更新")
	StuckSince       = New1[Seconds]("stuck: no client has been able to get the lock since {time}", "卡死：从 {time}起没有人能拿到锁")
	IsBroken         = New1[Property]("{property} is broken", "{property} 被破坏")
)
