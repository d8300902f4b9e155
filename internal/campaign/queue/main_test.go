package queue

import (
	"context"
	"os"
	"testing"
	"time"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/queue/queuetest"
)

// patientPlayer is set in the environment of players that take so long for each range, and no processor.
const patientPlayer = "LOCKSTEP_TEST_PLAYER"

func TestMain(m *testing.M) {
	queuetest.Main() // tests start this program as their servers
	if d, err := time.ParseDuration(os.Getenv(patientPlayer)); err == nil {
		ServePlayer("v1", os.Stdin, os.Stdout, func() { os.Exit(0) }, func(w *campaign.Work, s campaign.Shard) ([]byte, error) {
			time.Sleep(d)
			return squares(context.Background(), w, s)
		})
	}
	os.Exit(m.Run())
}
