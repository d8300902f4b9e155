package queue

import (
	"os"
	"testing"

	"lockstep/internal/queue/queuetest"
)

func TestMain(m *testing.M) {
	queuetest.Main() // tests start this program as their servers
	os.Exit(m.Run())
}
