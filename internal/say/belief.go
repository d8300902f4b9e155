package say

// What the clients believe, and what the store has.
var (
	NobodyBelieves = New0("nobody believes: mine", "没有人认为自己持有锁")
	ManyBelieve    = New1[Number]("{n} clients believe: mine", "{n} 个客户端都认为：锁是我的")
	Believe        = New1[Names]("{who} believe: mine", "{who} 都认为：锁是我的")
	Believes       = New1[Name]("{who} believes: mine", "{who} 认为：锁是我的")
	StoreIsDown    = New0("store: down", "存储：不在")
	StoreHasNobody = New0("store: nobody", "存储：无人")
	StoreHas       = New1[Name]("store: {who}", "存储：{who}")
	StoresHave     = New1[Shares]("stores: {who}", "各台存储：{who}")
)

// What breaks at an event.
var (
	Breaks           = New1[Remarks]("{what}", "{what}")
	TwoInsideSince   = New2[Node, Seconds]("two inside: {who} has been in since {time}", "两个在里面：{who} 从 {time}起就在里面")
	TwoInside        = New0("two inside", "两个在里面")
	WrongOwnerOf     = New2[Node, Node]("wrong owner: the entry was {owner}'s, not {who}'s", "删错了：条目是 {owner} 的，不是 {who} 的")
	WrongOwner       = New0("wrong owner: the entry was another client's", "删错了：条目是别的客户端的")
	StaleWriteHeld   = New2[Node, Seconds]("stale write: {who} has held the lock since {time}", "过期写：{who} 从 {time}起持有锁")
	StaleWriteInside = New2[Node, Seconds]("stale write: {who} has been in since {time}", "过期写：{who} 从 {time}起就在里面")
	StaleWriteAfter  = New2[Node, Node]("stale write: {who} had the lock after {writer}", "过期写：{who} 在 {writer} 之后拿过锁")
	StaleWrite       = New0("stale write", "过期写")
	LostUpdateOf     = New1[Node]("lost update: what {who} wrote is overwritten", "丢失更新：{who} 写的被覆盖了")
	LostUpdate       = New0("lost update", "丢失更新")
	StuckSince       = New1[Seconds]("stuck: nobody has been able to get the lock since {time}", "卡死：从 {time}起没有人能拿到锁")
	IsBroken         = New1[Verbatim]("{property} is broken", "{property} 被破坏")
)
