package report

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"lockstep/internal/plan"
)

// glossary explains the words of a report, in the order in which a reader meets them.
var glossary = []pair{
	{"mutual-exclusion", "At no instant do two clients believe that they hold the lock."},
	{"owner-only-release", "A release removes only the entry of the client that releases."},
	{"no-stale-write", "The resource takes no write from a client after another one has acquired the lock."},
	{"no-lost-update", "No accepted write overwrites one that its client had not seen."},
	{"progress", "Once all faults are over, the lock becomes free again within ten leases."},
	{"belief", "A client thinks that it holds the lock: from the success of acquire until it releases, is told of the loss, or dies."},
	{"grant", "A server has an entry for a client. Only the server knows when that ends."},
	{"lease", "How long the store keeps an entry without hearing from its owner."},
	{"token", "A number that grows with every acquisition, so that the resource can tell old from new."},
	{"fence", "The resource's refusal of a token lower than one it has seen."},
	{"true time", "The one clock that nobody in the world can read; all figures here use it."},
	{"kept, broken, unknown", "Unknown is never a kind of kept: the run did not put the property to the test."},
}

// legendItem explains one shape of the diagram.
type legendItem struct {
	Figure template.HTML
	Text   string
}

// swatch draws a small figure for the legend.
func swatch(body string) template.HTML {
	return template.HTML(`<svg class="spacetime" width="22" height="16" viewBox="0 0 22 16" aria-hidden="true">` + body + `</svg>`)
}

var legend = []legendItem{
	{swatch(`<path d="M5 15 17 3M1 11 9 3M13 15 21 7" style="stroke:var(--c1)" stroke-width="2"/>` +
		`<rect x="1" y="2" width="20" height="12" rx="2" fill="none" style="stroke:var(--c1)"/>`), "the client believes that it holds the lock"},
	{swatch(`<rect x="1" y="2" width="20" height="12" rx="2" style="fill:var(--c1)"/>`), "the store has its entry"},
	{swatch(`<path d="M0 8H22" class="end"/>`), "the entry ends"},
	{swatch(`<rect x="1" y="1" width="20" height="14" class="frozen"/>`), "frozen"},
	{swatch(`<path d="M1 5H16" class="msg"/><path d="M15 2 21 5 15 8z" class="head"/><path d="M1 12H21" class="msg late"/>`), "message; dashed: late"},
	{swatch(`<path d="M1 3L20 8L1 13" class="msg unseen"/>`), "command on a real server: when it was executed is unknown"},
	{swatch(`<path d="M6 3l10 10m0 -10l-10 10" class="cross"/>`), "lost, or dead"},
	{swatch(`<path d="M11 1l7 7l-7 7l-7 -7z" style="fill:var(--c1)"/>`), "accepted write, with the version"},
	{swatch(`<path d="M11 1l7 7l-7 7l-7 -7z" class="refused"/>`), "refused write"},
	{swatch(`<circle cx="11" cy="8" r="6.5" class="ring"/>`), "a property breaks"},
}

// setUp lists what was played, in words.
func setUp(p *plan.Plan) []pair {
	if p == nil {
		return nil
	}
	names := make([]string, len(p.Clients))
	for i, n := range p.Clients {
		names[i] = clean(n, maxName)
	}
	w := p.Workload
	out := []pair{
		{"clients", strings.Join(names, ", ")},
		{"lease", p.Lease.String()},
		{"rounds", fmt.Sprintf("%d per client, waiting up to %s for the lock", w.Repeat, w.Wait)},
		{"work inside", between(w.Work)},
		{"rest between rounds", between(w.Rest)},
		{"network", fmt.Sprintf("%s each way, response timeout %s%s", between(p.Network.Latency), p.Network.Timeout, loss(p.Network.LossPPM))},
		{"fence", string(w.Fence)},
		{"servers", servers(p.Redis)},
	}
	for _, c := range p.Clocks {
		out = append(out, pair{
			"clock of " + clean(c.Node, maxName),
			fmt.Sprintf("off by %s, drifts by %d ppm", c.Offset, c.DriftPPM),
		})
	}
	for i := range out {
		out[i].Value = clean(out[i].Value, maxLine)
	}
	return out
}

func between(r plan.Range) string {
	if r.Max <= r.Min {
		return r.Min.String()
	}
	return r.Min.String() + " to " + r.Max.String()
}

func loss(ppm int64) string {
	if ppm == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of a million commands lose one half", ppm)
}

func servers(r plan.Redis) string {
	if r.Replicas == 0 {
		return "one Redis server"
	}
	plural := "replica"
	if r.Replicas > 1 {
		plural = "replicas"
	}
	return fmt.Sprintf("one Redis primary and %d %s, %s behind; a failover takes %s",
		r.Replicas, plural, r.Lag, r.Failover.After.Round(time.Millisecond))
}
