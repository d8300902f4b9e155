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

// happens are the kinds of faults as clauses behind *when*, for readers who are new to them.
var happens = map[string]say.Both{
	"pause":              {English: "a client stands still for longer than the lease", Chinese: "客户端停顿得比租约久"},
	"pause-short":        {English: "a client stands still, even for less than the lease", Chinese: "客户端停顿，哪怕比租约短"},
	"crash":              {English: "a client crashes", Chinese: "客户端崩溃"},
	"host":               {English: "the machine of a client is gone", Chinese: "客户端的机器没了"},
	"slow":               {English: "the work takes longer than the lease", Chinese: "工作做得比租约久"},
	"hung":               {English: "the work never ends", Chinese: "工作永远做不完"},
	"late-request":       {English: "a request arrives later than the lease lasts", Chinese: "请求比租约还迟到"},
	"late-request-short": {English: "a request arrives late", Chinese: "请求迟到"},
	"late-reply":         {English: "a reply arrives later than the lease lasts", Chinese: "回复比租约还迟到"},
	"late-reply-short":   {English: "a reply arrives late", Chinese: "回复迟到"},
	"late-release":       {English: "a release arrives later than the lease lasts", Chinese: "释放比租约还迟到"},
	"late-release-short": {English: "a release arrives late", Chinese: "释放迟到"},
	"lost-request":       {English: "a request is lost", Chinese: "请求丢失"},
	"lost-reply":         {English: "a reply is lost", Chinese: "回复丢失"},
	"cut":                {English: "a client is cut off for longer than the lease", Chinese: "客户端断网比租约久"},
	"cut-short":          {English: "a client is cut off, even briefly", Chinese: "客户端断网，哪怕很短"},
	"split":              {English: "the servers lose each other for longer than the lease", Chinese: "服务器之间失联比租约久"},
	"split-short":        {English: "the servers lose each other, even briefly", Chinese: "服务器之间失联，哪怕很短"},
	"restart":            {English: "a server restarts", Chinese: "服务器重启"},
	"server-pause":       {English: "a server stands still for longer than the lease", Chinese: "服务器停顿得比租约久"},
	"server-pause-short": {English: "a server stands still, even briefly", Chinese: "服务器停顿，哪怕很短"},
	"fail-over":          {English: "a server dies and another one takes over", Chinese: "一台服务器死掉，另一台接替"},
	"promote":            {English: "a replica takes over while the old primary lives on", Chinese: "旧主节点还活着，副本就接替"},
	"client-clock":       {English: "the clock of a client jumps", Chinese: "客户端的时钟跳变"},
	"server-clock":       {English: "the clock of a server jumps", Chinese: "服务器的时钟跳变"},
	"clock-rate":         {English: "a clock runs fast or slow", Chinese: "时钟走快或走慢"},
	"evict":              {English: "the store drops the lock early", Chinese: "存储提前丢掉锁"},
	"lag":                {English: "the replicas fall behind", Chinese: "副本落后"},
}

// Happening are kinds of faults as clauses: a long one whose short form breaks, too, is said as that.
func Happening(kinds []string) (out []say.Both) {
	for _, k := range kinds {
		if slices.Contains(kinds, k+Short) {
			continue
		}
		if b, ok := happens[k]; ok {
			out = append(out, b)
		} else {
			out = append(out, KindInWords(k))
		}
	}
	return out
}
