package redis

import (
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// same compares two replies to a command.
func same(cmd *Cmd, want, got Reply) bool {
	if want.Kind != got.Kind || want.Str != got.Str || len(want.Elements()) != len(got.Elements()) {
		return false
	}
	if want.Int != got.Int {
		// TTL and PTTL: the two have not read the same clock at the same time.
		toleranceMS := int64(20_000)
		isTTL := (strings.HasSuffix(cmd.name, "TTL") || strings.HasSuffix(cmd.name, "EXPIRETIME")) && want.Int > 900 && got.Int > 900
		if !isTTL || want.Int-got.Int > toleranceMS || got.Int-want.Int > toleranceMS {
			return false
		}
	}
	if want.Kind == ReplyError {
		return normal(cmd, want.Err.Error()) == normal(cmd, got.Err.Error())
	}
	a, b := want.Elements(), got.Elements()
	if cmd.name == "TIME" && len(a) == 2 {
		return near(a[0].Str, b[0].Str, 20) && near(a[1].Str, b[1].Str, 1_000_000)
	}
	if cmd.name == "HGETALL" {
		a, b = pairs(a), pairs(b)
	}
	for i := range a {
		if !same(cmd, a[i], b[i]) {
			return false
		}
	}
	return true
}

// near reports whether two numbers differ by less than a tolerance.
func near(a, b string, tolerance int64) bool {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	return errX == nil && errY == nil && max(x-y, y-x) < tolerance
}

// pairs sorts the reply of HGETALL by field: Redis promises no order.
func pairs(list []Reply) []Reply {
	type pair [2]Reply
	var sorted []pair
	for i := 0; i+1 < len(list); i += 2 {
		sorted = append(sorted, pair{list[i], list[i+1]})
	}
	sort.Slice(sorted, func(i, j int) bool { return sorted[i][0].Str < sorted[j][0].Str })
	var out []Reply
	for _, p := range sorted {
		out = append(out, p[0], p[1])
	}
	return out
}

// normal removes the text of Lua's own error if the script has anyText: position,
// script and line still have to agree.
func normal(cmd *Cmd, text string) string {
	if cmd.Script != nil && cmd.Script.Name == "library" {
		return luaComplaint.ReplaceAllString(text, "$1...$2")
	}
	for _, known := range lockScripts {
		byHash := cmd.Len() > 0 && (cmd.name == "EVALSHA" || cmd.name == "SCRIPT") &&
			(strings.EqualFold(cmd.Arg(0).String(), hashOf(known.Source)) || cmd.Len() > 1 && cmd.Arg(1).String() == known.Source)
		if (cmd.Script == &known.Script || byHash) && known.anyText {
			return luaComplaint.ReplaceAllString(text, "$1...$2")
		}
	}
	return text
}

var luaComplaint = regexp.MustCompile(`(user_script:\d+: ).*?( script: [0-9a-f]{40}, on @user_script:\d+\.$|$)`)
