package serve

import (
	"archive/zip"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
)

// serveZip packs a run directory while it sends it. Other directories, such as the whole store,
// are not served.
func (h *Handler) serveZip(w http.ResponseWriter, r *http.Request, dir string) {
	dir, ok := h.runDir(dir)
	if !ok {
		http.NotFound(w, r)
		return
	}
	name := path.Base(path.Dir(dir)) + "-" + path.Base(dir) + ".zip"
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	if r.Method == http.MethodHead {
		return
	}
	z := zip.NewWriter(w)
	if h.pack(z, dir) != nil || z.Close() != nil {
		panic(http.ErrAbortHandler) // the sent part must not look like a whole file
	}
}

// pack adds the regular files of a directory, in the order of their names.
func (h *Handler) pack(z *zip.Writer, dir string) error {
	return fs.WalkDir(h.store.FS(), dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !e.Type().IsRegular() || !visible(name) {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		header := &zip.FileHeader{
			Name: path.Base(dir) + name[len(dir):], Method: zip.Deflate, Modified: info.ModTime().UTC(),
		}
		out, err := z.CreateHeader(header)
		if err != nil {
			return err
		}
		return h.copyTo(out, name)
	})
}

func (h *Handler) copyTo(out io.Writer, name string) error {
	in, err := h.store.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(out, in)
	return err
}
