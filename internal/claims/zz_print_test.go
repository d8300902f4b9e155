package claims

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestZZPrint(t *testing.T) {
	var cs []Claim
	for _, f := range strings.Split(os.Getenv("CLAIMS"), ",") {
		n, _ := strconv.Atoi(f)
		if c, ok := Lookup(n); ok {
			cs = append(cs, c)
		}
	}
	for _, c := range cs {
		start := time.Now()
		out, err := Measure(context.Background(), Options{Claims: []Claim{c}})
		if err != nil {
			fmt.Println(c.N, err)
			continue
		}
		fmt.Printf("%d %s: %s\n   %s (%v)\n", c.N, out[0].Verdict, c.Text, out[0].Figure, time.Since(start))
	}
}
