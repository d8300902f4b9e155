package runstore

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
)

// maxMeasured is how many files of a store Larger looks at: every run asks, and must not be
// felt to. Of more files than that each would be some 50 KiB, and the store has a GiB.
const maxMeasured = 20_000

// Larger reports whether runs of a store have more than so many bytes, as far as it looks.
func Larger(store fs.FS, runs []Stored, limit int64) bool {
	files := 0
	for i := range runs {
		size, n := runs[i].size(store)
		if limit -= size; limit < 0 {
			return true
		}
		if files += n; files > maxMeasured {
			return false
		}
	}
	return false
}

// Size is how many bytes the files of a run have.
func (s *Stored) Size(store fs.FS) int64 {
	size, _ := s.size(store)
	return size
}

func (s *Stored) size(store fs.FS) (size int64, files int) {
	_ = fs.WalkDir(store, s.Path(), func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it takes no room that we know of
		}
		files++
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size, files
}

// ofRun matches the files and folders at the top of a run directory, also of older versions.
var ofRun = regexp.MustCompile(`^(report\.html|(result|trace|env)\.json|history\.jsonl|history(-[0-9]+-.*)?\.edn|scenario\.yaml|junit\.xml|summary\.md|[a-z]+\.log)$`)

// needed are the files without which a directory is no run of this program.
var needed = []string{resultName, "history.jsonl", "scenario.yaml", "env.json"}

// Own reports whether this program has made all of a run directory: it has the name and the
// files of a run, and nothing that somebody has put there.
func (s *Stored) Own(store fs.FS) bool {
	entries, err := fs.ReadDir(store, s.Path())
	if err != nil || !runName.MatchString(s.Name) || s.At.IsZero() {
		return false
	}
	for _, e := range entries {
		if e.IsDir() && (e.Name() == "plots" || e.Name() == "stores") {
			continue
		}
		if !e.Type().IsRegular() || !ofRun.MatchString(e.Name()) {
			return false
		}
	}
	for _, name := range needed {
		if _, err := fs.Stat(store, path.Join(s.Path(), name)); err != nil {
			return false
		}
	}
	return true
}

// runName matches what Dir and Save name a run; runPath finds runs in a page.
var (
	runName = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-seed-[0-9]+(-[0-9]+)?$`)
	runPath = regexp.MustCompile(`[^/"'\s<>&;]+/[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-seed-[0-9]+(-[0-9]+)?`)
)

// Shown returns the paths of runs that pages at the root of a store name, such as a
// comparison; the index, which lists all of them, is none of these.
func Shown(store fs.FS) (map[string]bool, error) {
	pages, err := Pages(store)
	if err != nil {
		return nil, err
	}
	shown := map[string]bool{}
	for _, page := range pages {
		if path.Dir(page) != "." {
			continue // what is drawn anew of a run names that one alone
		}
		data, err := fs.ReadFile(store, page)
		if err != nil {
			return nil, err
		}
		for _, found := range runPath.FindAll(data, -1) {
			shown[string(found)] = true
		}
	}
	return shown, nil
}

// Latest is the path of the run that root/latest leads to, "" if there is no such link.
func Latest(root string) string {
	target, err := os.Readlink(filepath.Join(root, latestName))
	if err != nil {
		return ""
	}
	return filepath.ToSlash(filepath.Clean(target))
}

// Remove removes a run directory. It gets another name first, so that nobody sees half a run.
func Remove(root string, s *Stored) error {
	dir := filepath.Join(root, filepath.FromSlash(s.Path()))
	at, err := draft(func() (string, error) {
		path := filepath.Join(filepath.Dir(dir), draftPrefix+"removed-"+filepath.Base(dir))
		return path, os.Rename(dir, path)
	})
	if err != nil {
		return err
	}
	return settle(at, os.RemoveAll(at), func() error {
		_ = os.Remove(filepath.Dir(dir)) // fails when other runs are in it, as it should
		return nil
	})
}
