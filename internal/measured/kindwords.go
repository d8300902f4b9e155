package measured

import (
	"slices"
	"strings"

	"lockstep/internal/say"
)

// Short ends the names of kinds of faults that last less than a lease.
const Short = "-short"

// kindWords are the kinds of faults as a reader would call them.
var kindWords = map[string]say.Both{
	"pause":              {English: "a pause past the lease", Chinese: "停顿超过租约"},
	"pause-short":        {English: "a short pause", Chinese: "短暂停顿"},
	"crash":              {English: "a client crash", Chinese: "客户端崩溃"},
	"host":               {English: "a lost host", Chinese: "主机失联"},
	"slow":               {English: "slow work", Chinese: "工作太慢"},
	"hung":               {English: "hung work", Chinese: "工作卡住"},
	"late-request":       {English: "a request later than the lease", Chinese: "请求迟到超过租约"},
	"late-request-short": {English: "a slightly late request", Chinese: "请求稍迟"},
	"late-reply":         {English: "a reply later than the lease", Chinese: "回复迟到超过租约"},
	"late-reply-short":   {English: "a slightly late reply", Chinese: "回复稍迟"},
	"late-release":       {English: "a release later than the lease", Chinese: "释放迟到超过租约"},
	"late-release-short": {English: "a slightly late release", Chinese: "释放稍迟"},
	"lost-request":       {English: "a lost request", Chinese: "请求丢失"},
	"lost-reply":         {English: "a lost reply", Chinese: "回复丢失"},
	"cut":                {English: "a client cut off past the lease", Chinese: "客户端断网超过租约"},
	"cut-short":          {English: "a client cut off briefly", Chinese: "客户端短暂断网"},
	"split":              {English: "a long split between servers", Chinese: "服务器之间长时间分区"},
	"split-short":        {English: "a brief split between servers", Chinese: "服务器之间短暂分区"},
	"restart":            {English: "a server restart", Chinese: "服务器重启"},
	"server-pause":       {English: "a server paused past the lease", Chinese: "服务器停顿超过租约"},
	"server-pause-short": {English: "a short server pause", Chinese: "服务器短暂停顿"},
	"fail-over":          {English: "a failover", Chinese: "故障转移"},
	"promote":            {English: "a replica promoted while the old primary lives", Chinese: "旧主节点还活着就提升副本"},
	"client-clock":       {English: "a jumping client clock", Chinese: "客户端时钟跳变"},
	"server-clock":       {English: "a jumping server clock", Chinese: "服务器时钟跳变"},
	"clock-rate":         {English: "a clock that runs fast or slow", Chinese: "时钟走速偏差"},
	"evict":              {English: "an entry dropped early", Chinese: "条目提前消失"},
	"lag":                {English: "replication lag", Chinese: "复制滞后"},
}

// ofAnyLength are the long kinds together with their short forms.
var ofAnyLength = map[string]say.Both{
	"pause":        {English: "a pause", Chinese: "停顿"},
	"late-request": {English: "a late request", Chinese: "请求迟到"},
	"late-reply":   {English: "a late reply", Chinese: "回复迟到"},
	"late-release": {English: "a late release", Chinese: "释放迟到"},
	"cut":          {English: "a client cut off", Chinese: "客户端断网"},
	"split":        {English: "a split between servers", Chinese: "服务器之间分区"},
	"server-pause": {English: "a server pause", Chinese: "服务器停顿"},
}

// KindInWords is a kind of fault as a reader would call it; its name where there are no words.
func KindInWords(kind string) say.Both {
	if b, ok := kindWords[kind]; ok {
		return b
	}
	return say.Both{English: kind, Chinese: kind}
}

// KindsInWords are kinds in words, a long one and its short form as one.
func KindsInWords(kinds []string) (out say.List) {
	for _, k := range kinds {
		long, short := strings.CutSuffix(k, Short)
		switch {
		case short && slices.Contains(kinds, long):
		case slices.Contains(kinds, k+Short):
			out = append(out, ofAnyLength[k])
		default:
			out = append(out, KindInWords(k))
		}
	}
	return out
}
