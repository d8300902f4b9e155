// Package measurements carries what was measured and stored, so that an installed program can
// answer from it. The larger files are packed: gzip -dc measurements/explore.json.gz shows one.
package measurements

import (
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// Dir is where the files are in the sources.
const Dir = "measurements"

//go:embed explore.json.gz matrix.json.gz libraries/*.json.gz programs/*.json.gz
var files embed.FS

// Most is how many bytes a file may have, unpacked: many times what there is.
const Most = 64 << 20

// Explore is the stored result of simulate explore.
func Explore() ([]byte, error) { return Read(files, "explore.json") }

// Matrix is the stored result of simulate matrix.
func Matrix() ([]byte, error) { return Read(files, "matrix.json") }

// Libraries are the Go libraries that were measured by their own code, each a file.
func Libraries() ([][]byte, error) { return all("libraries") }

// Programs are the programs of examples that were measured on real servers, each a file.
func Programs() ([][]byte, error) { return all("programs") }

func all(dir string) (out [][]byte, err error) {
	entries, err := files.ReadDir(dir)
	for _, e := range entries {
		data, err := Read(files, dir+"/"+e.Name())
		if err != nil {
			return nil, err
		}
		out = append(out, data)
	}
	return out, err
}

// Read reads a file of measurements, which may be packed: x.json, or where there is none x.json.gz.
func Read(from fs.FS, name string) ([]byte, error) {
	data, err := fs.ReadFile(from, name)
	if packed := name + ".gz"; errors.Is(err, fs.ErrNotExist) {
		if data, other := fs.ReadFile(from, packed); other == nil {
			return Unpack(packed, data)
		}
	}
	if err != nil {
		return nil, err
	}
	return Unpack(name, data)
}

// Unpack returns the bytes of a file, unpacked if its name ends in .gz.
func Unpack(name string, data []byte) ([]byte, error) {
	if !strings.HasSuffix(name, ".gz") {
		return data, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s is not packed by gzip: %w", name, err)
	}
	out, err := io.ReadAll(io.LimitReader(r, Most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s is damaged: %w", name, err)
	case len(out) > Most:
		return nil, fmt.Errorf("%s is longer than %d MiB", name, Most>>20)
	}
	return out, nil
}

// Pack is the reverse: the bytes to write into a file of that name.
func Pack(name string, data []byte) ([]byte, error) {
	if !strings.HasSuffix(name, ".gz") {
		return data, nil
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}
