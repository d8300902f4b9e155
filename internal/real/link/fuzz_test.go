package link_test

import (
	"testing"

	"lockstep/internal/real/link"
	"lockstep/internal/real/link/linktest"
)

func FuzzRedis(f *testing.F) {
	linktest.Fuzz(f, link.Redis, "*1\r\n$4\r\nPING\r\n", "*-1\r\n", "$9223372036854775807\r\n")
}
