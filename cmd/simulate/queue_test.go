//go:build queue

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"lockstep/internal/campaign/queue"
	"lockstep/internal/campaign/queue/queuetest"
	"lockstep/internal/must"
)

// simulateIn is this program in a folder. Its stderr goes to a file there, which a failed test
// logs.
func simulateIn(t *testing.T, dir, log string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(filepath.Join(dir, "bin/simulate"), args...)
	cmd.Dir = dir
	said := must.Get(os.OpenFile(filepath.Join(dir, log), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600))(t)
	t.Cleanup(func() {
		_ = said.Close()
		if text, err := os.ReadFile(filepath.Join(dir, log)); t.Failed() && err == nil && len(text) > 0 {
			t.Logf("%s:\n%s", log, text[max(0, len(text)-8<<10):])
		}
	})
	cmd.Stderr = said
	return cmd
}

// A queue with worker processes prints what one process prints, also when a worker is killed.
func TestAQueuePrintsWhatOneProcessPrints(t *testing.T) {
	dir := t.TempDir()
	programIn(t, dir)
	server := must.Get(queue.Embed(filepath.Join(dir, "server"), "127.0.0.1:0"))(t)
	defer server.Close()
	worker := func(log string) *exec.Cmd {
		w := simulateIn(t, dir, log, "dev", "work", server.Address(), "--jobs", "2")
		must.Do(t, w.Start())
		return w
	}
	first, second := worker("first.log"), worker("second.log")
	works := dividedWorks(t)[:2]
	for i, args := range works {
		alone, _ := simulateIn(t, dir, "alone.log", append(args, "--json")...).Output() // with any exit code
		if len(alone) == 0 {
			t.Fatalf("%v prints nothing", args)
		}
		if i == 0 {
			must.Do(t, first.Process.Kill())
			_ = first.Wait()
		}
		got, _ := simulateIn(t, dir, "coordinator.log", append(args, "--json", "--on", server.Address(), "--ranges", "20")...).Output()
		if !bytes.Equal(got, alone) {
			t.Errorf("%v: one process prints\n%s\nand the queue\n%s", args, alone, got)
		}
	}
	must.Do(t, second.Process.Signal(syscall.SIGTERM))
	if err := second.Wait(); err != nil {
		t.Errorf("a terminated worker: %v", err)
	}
}

// Work that cannot be handed out is refused before anything is sent.
func TestWhatAQueueCannotPlayIsRefused(t *testing.T) {
	dir := t.TempDir()
	programIn(t, dir)
	program := filepath.Join(dir, "own.yaml")
	writeIn(t, program, "scenario: own\nlocks: [{exec: [touch, ran]}]\n")
	for _, x := range []struct {
		args []string
		said string
	}{
		{[]string{"search", program, "--on", "nats://127.0.0.1:1"}, "a lock that is a program (exec)"},
		{[]string{"search", "redlock-storm", "--for", "1s", "--on", "nats://127.0.0.1:1"}, "--for is a time"},
		{[]string{"search", "redlock-storm", "--shard", "1/2", "--on", "nats://127.0.0.1:1"}, "leave them out, or --on"},
		{[]string{"search", "redlock-storm", "--ranges", "0", "--on", "nats://127.0.0.1:1"}, "--ranges 0"},
		{[]string{"search", "redlock-storm", "--ranges", "5"}, "add --on"},
		{[]string{"dev", "claims", "--on", "redis://127.0.0.1"}, "no address of a NATS server"},
		{[]string{"dev", "claims", "--on", "nats://anna:secret@127.0.0.1:1"}, "no NATS server can be used at nats://127.0.0.1:1"},
		{[]string{"dev", "claims", "--on", "embedded:99999"}, "is no port"},
		{[]string{"explore", "setnx", "--resume", "walk.json", "--on", "nats://127.0.0.1:1"}, "workers of a queue cannot read"},
		{[]string{"matrix", "--scripts", "--on", "nats://127.0.0.1:1"}, "leave --scripts and --backend out"},
		{[]string{"dev", "work", "127.0.0.1"}, "no address of a NATS server"},
		{[]string{"dev", "work", "nats://127.0.0.1:1", "--jobs", "0"}, "--jobs 0: at least 1"},
	} {
		cmd := exec.Command(filepath.Join(dir, "bin/simulate"), x.args...)
		cmd.Dir = dir
		said, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(said), x.said) || strings.Contains(string(said), "secret") {
			t.Errorf("%v: %v\n%s", x.args, err, said)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the program of a lock was started")
	}
}

// The pods and the server configuration of deploy/kubernetes-workers.yaml print what one machine
// prints.
func TestTheWorkersOfDeployPrintWhatOneMachinePrints(t *testing.T) {
	type object struct {
		Kind string
		Data map[string]string
		Spec struct {
			Replicas int
			Template struct {
				Spec struct {
					Containers []struct {
						Args []string
						Env  []struct{ Name string }
					}
				}
			}
		}
	}
	objects := map[string]object{}
	d := yaml.NewDecoder(bytes.NewReader(deployFile(t, "kubernetes-workers.yaml", nil)))
	for {
		var o object
		if err := d.Decode(&o); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		objects[o.Kind] = o
	}
	dir := t.TempDir()
	programIn(t, dir)
	port := queuetest.Ports(t, 1)[0]
	at := strings.NewReplacer("nats://lockstep-queue", fmt.Sprintf("nats://127.0.0.1:%d", port), "/out", filepath.Join(dir, "out"), "1000000", "640")
	pod := func(kind string) *exec.Cmd {
		c := objects[kind].Spec.Template.Spec.Containers[0]
		if len(c.Env) != 1 || c.Env[0].Name != "NATS_TOKEN" {
			t.Fatalf("%s has the variables %v", kind, c.Env)
		}
		var args []string
		for _, word := range c.Args {
			args = append(args, at.Replace(word))
		}
		cmd := simulateIn(t, dir, kind+".log", args...)
		cmd.Env = append(os.Environ(), "NATS_TOKEN=a-token")
		return cmd
	}
	t.Setenv("NATS_TOKEN", "a-token") // the server has it from the same secret
	config, own := strings.CutPrefix(objects["ConfigMap"].Data["nats.conf"], "jetstream: {store_dir: /data}\n")
	if !own {
		t.Fatalf("another configuration: %s", config)
	}
	queuetest.Start(t, filepath.Join(dir, "parts"), port, config)
	for range objects["Deployment"].Spec.Replicas {
		w := pod("Deployment")
		must.Do(t, w.Start())
		defer func() {
			_ = w.Process.Kill()
			_ = w.Wait()
		}()
	}
	got, err := pod("Job").Output()
	if code(err) != exitMissed { // redlock breaks
		t.Fatalf("%v\n%s", err, got)
	}
	one, err := simulateIn(t, dir, "one.log", "search", "redlock-storm", "--seeds", "640", "--json", "--out", filepath.Join(dir, "out")).Output()
	if code(err) != exitMissed || len(one) == 0 {
		t.Fatalf("one machine: %v\n%s", err, one)
	}
	if a, b := withoutRunDir(one), withoutRunDir(got); !bytes.Equal(a, b) {
		t.Errorf("one machine prints\n%s\nand the queue\n%s", a, b)
	}
	// A wrong token is reported.
	cmd := pod("Deployment")
	cmd.Env, cmd.Stderr = append(os.Environ(), "NATS_TOKEN=another"), nil
	if said, err := cmd.CombinedOutput(); code(err) != exitEnvironment || !bytes.Contains(said, []byte("refuses the credentials")) {
		t.Errorf("%v: %s", err, said)
	}
}

func TestTheProgressOfAQueue(t *testing.T) {
	for said, x := range map[string]queue.Progress{
		"search: 0 of 100 ranges, 0.0 per second; workers: 0, players: 0":                                     {Of: 100},
		"search: 40 of 100 ranges, 4.0 per second; workers: 3, players: 6; ends in 15s":                       {Done: 40, Of: 100, Workers: 3, Slots: 6},
		"search: 40 of 100 ranges (20 were done before), 2.0 per second; workers: 1, players: 2; ends in 30s": {Done: 40, Before: 20, Of: 100, Workers: 1, Slots: 2},
		"search: 100 of 100 ranges (2 set aside), 10.0 per second; workers: 1, players: 2 (of another version, which take nothing: 4)": {
			Done: 100, Aside: 2, Of: 100, Workers: 1, Slots: 2, Strangers: 4,
		},
	} {
		if got := queueLine("search", x, 10*time.Second); got != said {
			t.Errorf("%q, not %q", got, said)
		}
	}
}
