package diagram

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// Measures of the picture of the set-up.
const (
	boxWidth  = 108
	boxHeight = 26
	boxPitch  = 34
	boxes     = 6 // per role: enough for a small Redis Cluster
)

// Picture draws the set-up of the first run: clients ask the store for the lock and use the resource.
func Picture(b *bundle.Bundle, l say.Language) string {
	i := bundle.ReferenceOf(b)
	if i >= len(b.Runs) || b.Runs[i].Judgement.History == nil {
		return ""
	}
	h := b.Runs[i].Judgement.History
	clients, stores := named(h, history.RoleClient, l), named(h, history.RoleStore, l)
	if len(clients) == 0 || len(stores) == 0 {
		return ""
	}
	rows := max(len(clients), len(stores)+1, 2)
	height := rows*boxPitch + 16
	var s strings.Builder
	fmt.Fprintf(&s, `<svg class="picture" role="img" width="440" height="%d" viewBox="0 0 440 %d" xmlns="http://www.w3.org/2000/svg"><title>%s</title>`,
		height, height, html.EscapeString(say.TalkTo.With(say.ListOf(clients), say.ListOf(stores)).In(l)))
	mid := func(n, of int) int { return 8 + (rows-of)*boxPitch/2 + n*boxPitch + boxHeight/2 }
	right := append(slices.Clone(stores), say.Text("resource").In(l))
	for c := range clients {
		for r := range right {
			class := "ask"
			if r == len(right)-1 {
				class = "use"
			}
			fmt.Fprintf(&s, `<path class="%s" d="M%d %dL%d %d"/>`, class, boxWidth+2, mid(c, len(clients)), 440-boxWidth-2, mid(r, len(right)))
		}
	}
	box := func(x, y int, class, text string) {
		fmt.Fprintf(&s, `<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="4"/><text x="%d" y="%d" text-anchor="middle">%s</text>`,
			class, x, y-boxHeight/2, boxWidth, boxHeight, x+boxWidth/2, y+5, html.EscapeString(text))
	}
	for c, name := range clients {
		box(1, mid(c, len(clients)), "client", name)
	}
	for r, name := range right {
		class := "server"
		if r == len(right)-1 {
			class = "guarded"
		}
		box(439-boxWidth, mid(r, len(right)), class, name)
	}
	s.WriteString(`</svg>`)
	return s.String()
}

// named lists the names of the nodes of a role; of many, some and their number.
func named(h *history.History, role history.Role, l say.Language) []string {
	var all []string
	for _, id := range bundle.NodesOf(h, role) {
		all = append(all, sanitize.Text(h.Name(id), sanitize.MaxHeadName))
	}
	if len(all) > boxes {
		more := len(all) - boxes + 1
		all = append(all[:boxes-1], say.More.With(say.Number(more)).In(l))
	}
	return all
}
