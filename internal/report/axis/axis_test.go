package axis

import (
	"fmt"
	"strings"
	"testing"
)

func TestLeases(t *testing.T) {
	for _, tt := range []struct {
		end, lease float64
		want       string
	}{
		{27, 10, "1@10 2@20"},
		{18, 10, "1@10"},
		{6, 10, "0.1@1 0.2@2 0.3@3 0.4@4 0.5@5"},
		{2.7, 1, "1@1 2@2"},
		{59.9, 10, "1@10 2@20 3@30 4@40 5@50"},
		{60, 10, "2@20 4@40 6@60"},
		{1200, 10, "50@500 100@1e+03"},
		{0.001, 10, "2e-05@0.0002 4e-05@0.0004 6e-05@0.0006 8e-05@0.0008 0.0001@0.001"},
	} {
		var got []string
		for _, tick := range Leases(tt.end, tt.lease) {
			got = append(got, fmt.Sprintf("%s@%.3g", tick.Label, tick.Value))
		}
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("%v s in leases of %v s: %s, want %s", tt.end, tt.lease, g, tt.want)
		}
	}
}
