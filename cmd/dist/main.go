// Command dist builds the program for several systems, and writes an archive for each, with
// completions for shells and the static site, and a file of checksums. The same commit and the
// same Go give the same bytes on every machine.
package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is a system with an archive.
type target struct {
	goos, goarch string
	live         bool // real servers can be played on it
}

var targets = []target{
	{"linux", "amd64", true},
	{"linux", "arm64", true},
	{"darwin", "amd64", false},
	{"darwin", "arm64", false},
	{"windows", "amd64", false},
}

// completions are the file names that shells look for.
var completions = map[string]string{"bash": "simulate.bash", "zsh": "_simulate", "fish": "simulate.fish", "powershell": "simulate.ps1"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := dist(ctx, "dist", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// release is the common part of all archives.
type release struct {
	version string
	made    time.Time // of the commit, so that archives are reproducible
	goTool  string
	texts   []file
}

// file is one file of an archive.
type file struct {
	name       string
	data       []byte
	executable bool
}

// dist writes the archives of the named systems, such as linux/arm64, or of all.
func dist(ctx context.Context, to string, only []string) error {
	chosen := slices.DeleteFunc(slices.Clone(targets), func(t target) bool {
		return len(only) > 0 && !slices.Contains(only, t.goos+"/"+t.goarch)
	})
	if len(chosen) < len(only) {
		return fmt.Errorf("there is no archive for one of %s: see the table of targets in cmd/dist", strings.Join(only, ", "))
	}
	r, err := newRelease(ctx)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	sums := ""
	for _, t := range chosen {
		name, data, err := r.archive(ctx, t)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", t.goos, t.goarch, err)
		}
		if err := os.WriteFile(filepath.Join(to, name), data, 0o644); err != nil {
			return err
		}
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256(data), name)
		fmt.Printf("%s  %.1f MiB\n", filepath.Join(to, name), float64(len(data))/(1<<20))
	}
	return os.WriteFile(filepath.Join(to, "SHA256SUMS"), []byte(sums), 0o644)
}

// newRelease asks git for the version, and makes the common part.
func newRelease(ctx context.Context) (*release, error) {
	r := &release{goTool: cmp.Or(os.Getenv("GO"), "go")}
	described, err := output(ctx, nil, "git", "describe", "--tags", "--always", "--dirty")
	if err != nil {
		return nil, err
	}
	r.version = strings.TrimSpace(string(described))
	when, err := output(ctx, nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return nil, err
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(when)), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("git does not tell the time of the commit: %w", err)
	}
	r.made = time.Unix(seconds, 0).UTC()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		return nil, err
	}
	r.texts = []file{{name: "README.md", data: readme}}
	for _, shell := range slices.Sorted(maps.Keys(completions)) {
		text, err := output(ctx, nil, r.goTool, "run", "./cmd/simulate", "completion", shell)
		if err != nil {
			return nil, err
		}
		r.texts = append(r.texts, file{name: "completions/" + completions[shell], data: text})
	}
	site, err := r.site(ctx)
	r.texts = append(r.texts, site...)
	return r, err
}

// site is the static site with the playground: simulate serve finds it beside the program.
func (r *release) site(ctx context.Context) (files []file, err error) {
	dir, err := os.MkdirTemp("", "site")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if _, err := output(ctx, []string{"GO=" + r.goTool}, "scripts/site", dir); err != nil {
		return nil, err
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, path)
		files = append(files, file{name: "site/" + filepath.ToSlash(below), data: data})
		return err
	})
	return files, err
}

// archive builds the programs of a system and packs them.
func (r *release) archive(ctx context.Context, t target) (name string, data []byte, err error) {
	files := slices.Clone(r.texts)
	program, err := r.build(ctx, t, "simulate")
	if err != nil {
		return "", nil, err
	}
	files = append(files, program)
	if t.live {
		live, err := r.build(ctx, t, "simulate-live", "-tags", "live,queue")
		if err != nil {
			return "", nil, err
		}
		files = append(files, live)
	}
	folder := fmt.Sprintf("lockstep-%s-%s-%s", r.version, t.goos, t.goarch)
	if t.goos == "windows" {
		data, err = zipped(folder, files, r.made)
		return folder + ".zip", data, err
	}
	data, err = tarred(folder, files, r.made)
	return folder + ".tar.gz", data, err
}

// build builds one program, without paths and times of this machine.
func (r *release) build(ctx context.Context, t target, name string, flags ...string) (file, error) {
	dir, err := os.MkdirTemp("", "dist")
	if err != nil {
		return file{}, err
	}
	defer os.RemoveAll(dir)
	if t.goos == "windows" {
		name += ".exe"
	}
	at := filepath.Join(dir, name)
	args := append([]string{
		"build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -buildid= -X main.version=" + r.version, "-o", at,
	}, flags...)
	env := []string{"CGO_ENABLED=0", "GOOS=" + t.goos, "GOARCH=" + t.goarch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0"}
	if _, err := output(ctx, env, r.goTool, append(args, "./cmd/simulate")...); err != nil {
		return file{}, err
	}
	data, err := os.ReadFile(at)
	return file{name: name, data: data, executable: true}, err
}

// output runs a program and returns its output. The error has its standard error.
func output(ctx context.Context, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, strings.TrimSpace(complaints.String()))
	}
	return out, nil
}
