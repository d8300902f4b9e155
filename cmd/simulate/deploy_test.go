package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"lockstep/internal/campaign"
	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
)

// deployed is a file of deploy/ as its engine runs it: with the variables that the engine sets,
// each copy of the command a process of its own, all of them on one file system.
type deployed struct {
	copies []copyOf
	merge  []string // a command line
}

// copyOf is one of the copies of a command that an engine starts.
type copyOf struct {
	env  []string
	line []string
}

// The files of deploy/ divide the work and merge it: the output is that of one machine.
func TestTheFilesOfDeployPrintWhatOneMachinePrints(t *testing.T) {
	engines := map[string]func(*testing.T) deployed{"kubernetes": kubernetes, "github": github, "slurm": slurm}
	for name, read := range engines {
		t.Run(name, func(t *testing.T) {
			if name != "github" {
				realtest.SecondTier(t)
			}
			t.Parallel()
			dir := t.TempDir()
			play := programIn(t, dir)
			d := read(t)
			if len(d.copies) != 16 {
				t.Fatalf("%d copies, want 16", len(d.copies))
			}
			slices.Reverse(d.copies) // no engine keeps an order
			for _, c := range d.copies {
				if out, err := play(c.env, smaller(c.line)); err != nil {
					t.Fatalf("%v %v: %v\n%s", c.env, c.line, err, out)
				}
			}
			merged, err := play(nil, smaller(d.merge))
			if code(err) != exitMissed { // redlock breaks
				t.Fatalf("%v: %v\n%s", d.merge, err, merged)
			}
			one, err := play(nil, smaller([]string{"simulate", "search", "redlock-storm", "--seeds", "1000000", "--json", "--out", storeOf(d.merge)}))
			if code(err) != exitMissed || len(one) == 0 {
				t.Fatalf("one machine: %v\n%s", err, one)
			}
			if a, b := withoutRunDir(one), withoutRunDir(merged); !bytes.Equal(a, b) {
				t.Errorf("one machine prints\n%s\nand the shards\n%s", a, b)
			}
		})
	}
}

// dividedWorks has some seconds of work for each command that can be divided.
func dividedWorks(t *testing.T) [][]string {
	t.Helper()
	root := must.Get(filepath.Abs("../../scenarios/search"))(t)
	return [][]string{
		{"dev", "claims", "--claim", "3,10,18"},
		{"search", filepath.Join(root, "session-storm.yaml"), "--lock", "zk-sequential", "--seeds", "640", "--property", "progress"},
		{"sweep", filepath.Join(root, "pause-against-lease.yaml"), "--lock", "set-nx-lua", "--seeds", "2"},
		{"explore", "setnx", "--only", "evict,lost-reply", "--profile", "plain,twice"},
		{"matrix", "--lock", "set-nx-lua", "--fault", "N0,GP,PT,RS", "--seeds", "3"},
	}
}

// programIn puts this program into a folder, where engines find it, and returns a way to run it.
func programIn(t *testing.T, dir string) func(env, line []string) ([]byte, error) {
	t.Helper()
	self := must.Get(os.Executable())(t)
	for _, path := range []string{"bin", "parts"} {
		must.Do(t, os.Mkdir(filepath.Join(dir, path), 0o755))
	}
	must.Do(t, os.Symlink(self, filepath.Join(dir, "bin/simulate")))
	return func(env, line []string) ([]byte, error) {
		cmd := exec.Command("bash", "-c", strings.Join(line, " "))
		cmd.Dir = dir
		cmd.Env = append(env, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "HOME="+dir)
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		return append(out, said.Bytes()...), err
	}
}

// smaller reduces the number of seeds, and replaces paths of a container.
func smaller(line []string) (out []string) {
	for _, word := range line {
		word = strings.ReplaceAll(word, "1000000", "640")
		out = append(out, strings.ReplaceAll(word, "/parts", "./parts"))
	}
	return out
}

func code(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// storeOf is the run store of a command line.
func storeOf(line []string) string {
	if at := slices.Index(line, "--out"); at >= 0 {
		return line[at+1]
	}
	return defaultOut
}

// withoutRunDir removes the run directory, whose name contains the time.
func withoutRunDir(out []byte) []byte {
	return regexp.MustCompile(`"run_dir": ".*"`).ReplaceAll(out, nil)
}

func deployFile(t *testing.T, name string, into any) []byte {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join("../../deploy", name)))(t)
	if into != nil {
		must.Do(t, yaml.Unmarshal(data, into))
	}
	return data
}

// kubernetes reads an Indexed Job, whose pods have JOB_COMPLETION_INDEX, from 0.
func kubernetes(t *testing.T) (d deployed) {
	type job struct {
		Spec struct {
			CompletionMode string `yaml:"completionMode"`
			Completions    int
			Template       struct {
				Spec struct{ Containers []struct{ Args []string } }
			}
		}
	}
	var shards, merge job
	deployFile(t, "kubernetes-job.yaml", &shards)
	deployFile(t, "kubernetes-merge.yaml", &merge)
	if shards.Spec.CompletionMode != "Indexed" {
		t.Fatalf("a Job of mode %q has no index", shards.Spec.CompletionMode)
	}
	for i := range shards.Spec.Completions {
		d.copies = append(d.copies, copyOf{
			env:  []string{fmt.Sprintf("JOB_COMPLETION_INDEX=%d", i)},
			line: append([]string{"simulate"}, shards.Spec.Template.Spec.Containers[0].Args...),
		})
	}
	d.merge = append([]string{"simulate"}, merge.Spec.Template.Spec.Containers[0].Args...)
	return d
}

// github reads a matrix, whose values the engine puts into the command lines.
func github(t *testing.T) (d deployed) {
	var w struct {
		Jobs map[string]struct {
			Strategy struct{ Matrix struct{ Shard []int } }
			Steps    []struct{ Run string }
		}
	}
	deployFile(t, "github.yaml", &w)
	last := func(job string) []string {
		line := ""
		for _, s := range w.Jobs[job].Steps {
			if strings.HasPrefix(s.Run, "bin/simulate") {
				line = s.Run
			}
		}
		return strings.Fields(strings.TrimSuffix(line, " >result.json"))
	}
	for _, k := range w.Jobs["shard"].Strategy.Matrix.Shard {
		line := strings.ReplaceAll(strings.Join(last("shard"), " "), "${{ matrix.shard }}", fmt.Sprint(k))
		d.copies = append(d.copies, copyOf{line: strings.Fields(line)})
	}
	d.merge = last("merge")
	return d
}

// slurm reads an array, whose tasks have SLURM_ARRAY_TASK_ID between MIN and MAX, and COUNT.
func slurm(t *testing.T) (d deployed) {
	text := string(deployFile(t, "slurm.sh", nil))
	var from, to, cores int
	for _, x := range []struct {
		form string
		into []any
	}{{"--array=%d-%d", []any{&from, &to}}, {"--cpus-per-task=%d", []any{&cores}}} {
		_, after, _ := strings.Cut(text, "#SBATCH "+x.form[:strings.Index(x.form, "%")])
		must.Get(fmt.Sscanf(x.form[:strings.Index(x.form, "%")]+after, x.form, x.into...))(t)
	}
	script := filepath.Join(t.TempDir(), "slurm.sh")
	must.Do(t, os.WriteFile(script, []byte(strings.ReplaceAll(text, "1000000", "640")), 0o755))
	for id := from; id <= to; id++ {
		d.copies = append(d.copies, copyOf{line: []string{script}, env: []string{
			fmt.Sprintf("SLURM_ARRAY_TASK_ID=%d", id), fmt.Sprintf("SLURM_ARRAY_TASK_MIN=%d", from), fmt.Sprintf("SLURM_ARRAY_TASK_MAX=%d", to),
			fmt.Sprintf("SLURM_ARRAY_TASK_COUNT=%d", to-from+1), "SLURM_ARRAY_TASK_STEP=1", fmt.Sprintf("SLURM_CPUS_PER_TASK=%d", cores),
		}})
	}
	_, wrap, _ := strings.Cut(text, "--wrap 'simulate ")
	wrap, _, _ = strings.Cut(wrap, " >result.json'")
	d.merge = append([]string{"simulate"}, strings.Fields(wrap)...)
	return d
}

// Parts of another version of the program are refused.
func TestPartsOfAnotherVersionAreNotMerged(t *testing.T) {
	w := must.Get(campaign.NewWork("v0.1", "claims", nil, claimsOptions{[]int{10}}))(t)
	line, err := campaign.NewLine(w, "1/1", []map[string]any{{"n": 10, "verdict": "true", "figure": "nothing"}})
	part := campaign.NewResults(w, 1)
	must.Do(t, errors.Join(err, part.Put(line)))
	file := filepath.Join(t.TempDir(), "part-1.json")
	writeIn(t, file, string(part.Store()))
	f := &mergeFlags{globals: &globals{stdout: newScreen(), json: true}}
	if err := f.merge(t.Context(), []string{file}); err == nil || !strings.Contains(err.Error(), "version v0.1 of the program") {
		t.Errorf("got %v", err)
	}
}
