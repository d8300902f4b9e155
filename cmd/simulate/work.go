package main

import (
	"context"
	"errors"
	"runtime"

	"github.com/spf13/cobra"

	"lockstep/internal/shard"
)

// workFlags are the flags of the command work.
type workFlags struct {
	*globals
	jobs int
}

func workCommand(g *globals) *cobra.Command {
	f := &workFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "work <address>",
		Short: "Play what other machines hand out over a queue",
		Long: `Play ranges of searches, sweeps, matrices, walks and claims that other machines hand out over
NATS JetStream, with --on nats://HOST or --on embedded, until it is stopped. Any number of
workers may come and go at any time, also by kill -9: what one of them was playing is played again.

A worker reads scenarios and ranges and nothing else, and writes no file. It takes work of
its own version only, so start coordinator and workers from the same build.

Credentials are read from the address or the environment, as the tool nats does:
NATS_USER and NATS_PASSWORD, NATS_TOKEN, NATS_CREDS, NATS_NKEY, NATS_CA, NATS_CERT and NATS_KEY.
It needs the program built with -tags queue; make build-live puts one beside this.`,
		Example: `  simulate dev work nats://queue.example.com  # until the work is done
  simulate dev work tls://a.example,tls://b.example --jobs 8  # two servers`,
		Args: arguments(1, 1, "the address of a queue, such as nats://queue.example.com"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.work(cmd.Context(), args[0]) },
	}
	cmd.Flags().IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0), "how many ranges to play at once, each in a process of its own")
	cmd.Flags().Lookup("jobs").DefValue = "one for each core"
	return cmd
}

// playRange plays a range that a worker was given, and returns its part.
func playRange(w *shard.Work, s shard.Shard) ([]byte, error) {
	x := &given{work: w}
	f := &mergeFlags{globals: &globals{quiet: true, out: nowhere, stdout: newScreen()}}
	shards := shardFlags{scenario: w.Scenario, given: x, shard: s}
	err := f.again(context.Background(), shards)
	var silent *silentExit
	if errors.As(err, &silent) && x.part != nil {
		return x.part, nil
	}
	if err == nil {
		err = errors.New("it has come to nothing")
	}
	return nil, err
}

// nowhere is a run store that cannot be written: a worker keeps nothing.
const nowhere = "/dev/null/nothing"

// playGiven plays a range that a worker was given.
func (f *shardFlags) playGiven(w *shard.Work, play func() (any, error)) error {
	if how := f.given.work.Differs(w); how != "" {
		return errors.New("the work is not what this program would do: " + how)
	}
	result, err := play()
	if err != nil {
		return err
	}
	part, err := shard.NewPart(w, f.shard, result)
	if err != nil {
		return &bugError{err}
	}
	f.given.part = part.Store()
	return &silentExit{code: exitMet}
}
