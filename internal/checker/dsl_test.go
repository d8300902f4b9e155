package checker

import (
	"fmt"
	"strconv"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/history/historytest"
)

// parse builds a history from a story.
var parse = historytest.Read

// show prints a finding the way that the tables expect it: the verdict, the
// count, and of every violation the interval in seconds, the clients with the
// one in the wrong first, and the events.
//
//	broken 1: 5-6 BA #0,1,2
func show(h *history.History, f Finding) string {
	out := string(f.Verdict)
	if f.Count > 0 {
		out += fmt.Sprintf(" %d:", f.Count)
	}
	for _, v := range f.Violations {
		out += " " + seconds(v.From)
		if v.To != v.From {
			out += "-" + seconds(v.To)
		}
		out += " "
		for _, c := range v.Clients {
			out += h.Name(c)
		}
		out += " #"
		for i, e := range v.Events {
			if i > 0 {
				out += ","
			}
			out += strconv.Itoa(int(e))
		}
	}
	return out
}

func seconds(i history.Instant) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%09d", i/1e9, i%1e9), "0"), ".")
}
