package compare_test

import (
	"slices"

	"lockstep/internal/report/compare"
	"lockstep/internal/report/reporttest"
)

// comparison is one of three runs: the second leaves a lock out, the third is of another scenario.
func comparison() *compare.Comparison {
	second := reporttest.Bundle()
	second.Seed, second.Hash, second.Runs = 8, "77aa", second.Runs[1:]
	p := *second.Plan
	p.Locks = p.Locks[1:]
	second.Plan = &p
	setting := func(name, value string, dependent bool) compare.Setting {
		return compare.Setting{Name: name, Value: value, Dependent: dependent}
	}
	settings := func(lease string, more ...compare.Setting) []compare.Setting {
		return append([]compare.Setting{setting("lease", lease, false), setting("workload, work", "2s..3s", false)}, more...)
	}
	paused := settings("10s", setting("fault 1", "pause: A", false), setting("servers, redis, lag", "0s", true))
	third := compare.WaitingBundle(7, compare.WaitingRun("etcd-mutex", []string{"A", "B"}, []int64{10, 20}, []int64{500, 500}))
	return &compare.Comparison{
		Replay: "simulate report reports/a reports/b",
		Runs: []compare.Run{
			{Bundle: reporttest.Bundle(), Dir: "reports/a", Href: "./a/report.html", Settings: paused},
			{Bundle: second, Dir: "reports/b", Href: "./b/report.html", Settings: slices.Clone(paused)},
			{Bundle: third, Dir: "reports/c", Settings: settings("4s", setting("expect, etcd-mutex, progress", "kept", true))},
		},
	}
}
